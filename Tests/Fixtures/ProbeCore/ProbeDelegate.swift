// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
public import LifetraceApp
import Synchronization

/// An app that does what a scenario tells it, good or bad, and otherwise nothing.
///
///     - tell: {hang: didEnterBackground, for: 12}      # the next such callback takes 12 s
///     - tell: {exit-in: didEnterBackground}            # the process ends in the next such callback
///     - tell: {spin-in: didEnterBackground}            # the next such callback computes without end
///     - tell: {wait-in: didEnterBackground}            # the next such callback waits for a lock for ever
///     - tell: {task: upload}                           # begins a background task, until {end: upload}
///     - tell: {completions: never}                     # wake handlers do not complete
///     - tell: {observe: NSCurrentLocaleDidChange}
///     - tell: {lock: /group/database}                  # a shared file, until it is told `unlock`
///     - tell: {save: A}                                # edits A and saves it, synced, in LIFETRACE_DATA
///     - tell: {write: B}                               # the same without a sync
///     - tell: {load: B}                                # reads it back
///     - tell: {brick: next}                            # a file, with which no launch comes up
public final class ProbeDelegate: ApplicationDelegate {
  private var tasks: [String: BackgroundTaskIdentifier] = [:]
  private var hangs: [String: Double] = [:]
  private var exitsIn = ""
  private var spinsIn = ""
  private var waitsIn = ""
  private var hangSeconds = 12.0
  private var completes = true
  private var preserves = false
  private var locked: (file: LockedFile, resource: Lifetrace.Resource)?
  private let motion = Motion()
  private var server: Server?
  /// What only a real process can do wrong.
  private let misbehave: @MainActor (String, String) -> Void

  /// A probe; `misbehave` gets the words that it does not know.
  public init(misbehave: @escaping @MainActor (String, String) -> Void = { _, _ in }) {
    self.misbehave = misbehave
  }

  private final class Motion: MotionReceiver {
    func motionReceived(_ event: String) {}
  }

  /// Asks for motion events.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    application.motionReceiver = motion
    if access(path(of: "brick"), F_OK) == 0 { misbehave("exit", "3") }
    if let source = launchOptions?[.sourceApplication] { application.say("launched by \(source)") }
    return true
  }

  /// Says who asked.
  public func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    app.say("\(url) from \(options[.sourceApplication] ?? "nobody")")
    return true
  }

  /// Takes the words above.
  public func application(_ application: Application, told word: String, _ value: String) {
    switch word {
    case "for": hangSeconds = Double(value) ?? 0
    case "exit-in": exitsIn = value
    case "spin-in": spinsIn = value
    case "wait-in": waitsIn = value
    case "hang": hangs[value] = hangSeconds
    case "pass": application.pass(seconds: Double(value) ?? 0)
    case "task":
      tasks[value] = application.beginBackgroundTask(withName: value) { self.end(value) }
    case "leak": tasks[value] = application.beginBackgroundTask(withName: value)
    case "end": end(value)
    case "lock": lock(value)
    case "unlock": unlock()
    case "save": keep(value, .disk)
    case "write": keep(value, .kernel)
    case "brick": close(open(path(of: "brick"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    case "load": _ = try? Lifetrace.restore(.init(value), from: path(of: value))
    case "completions": completes = value != "never"
    case "preserve": preserves = value == "yes"
    case "observe":
      application.notificationCenter.addObserver(forName: .init(rawValue: value)) { _ in }
    default: if !answers(word) { misbehave(word, value) }
    }
  }

  private func end(_ name: String) {
    if let task = tasks.removeValue(forKey: name) { Application.shared.endBackgroundTask(task) }
  }

  /// A file that is locked as long as this lives.
  private final class LockedFile {
    private let file: Int32

    init(_ path: String) {
      file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      if flock(file, LOCK_EX) != 0 { perror(path) }
    }

    deinit { close(file) }
  }

  private func path(of name: String) -> String {
    (getenv("LIFETRACE_DATA").map { String(cString: $0) } ?? ".") + "/" + name
  }

  private func keep(_ name: String, _ level: Lifetrace.Level) {
    let object = Lifetrace.Object(name)
    object.dirty(bytes: name.utf8.count)
    do { try Lifetrace.save(object, to: path(of: name), level: level) { Array(name.utf8) } } catch {
      perror(name)
    }
  }

  private func lock(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let resource = Lifetrace.Resource(.init(name), .lock, attribute: "shared")
    locked = (LockedFile(path), resource)
    resource.acquire()
  }

  private func unlock() {
    locked?.resource.release()
    locked = nil
  }

  private func hang(_ callback: String) {
    if exitsIn == callback { misbehave("exit", "3") }
    if spinsIn == callback { misbehave("spin", "") }
    if waitsIn == callback { misbehave("wait", "") }
    if let seconds = hangs.removeValue(forKey: callback) {
      Application.shared.pass(seconds: seconds)
    }
  }

  /// Hangs if told so.
  public func applicationDidBecomeActive(_ application: Application) { hang("didBecomeActive") }
  /// Hangs if told so.
  public func applicationWillResignActive(_ application: Application) { hang("willResignActive") }
  /// Hangs if told so.
  public func applicationDidEnterBackground(_ application: Application) {
    hang("didEnterBackground")
  }
  /// Hangs if told so.
  public func applicationWillEnterForeground(_ application: Application) {
    hang("willEnterForeground")
  }
  /// Hangs if told so.
  public func applicationWillTerminate(_ application: Application) { hang("willTerminate") }

  /// Completes unless told never to.
  public func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { if completes { completionHandler(.newData) } }

  /// Completes unless told never to.
  public func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { if completes { completionHandler(.newData) } }

  /// Completes unless told never to.
  public func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { if completes { completionHandler() } }

  /// Completes unless told never to.
  public func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { if completes { completionHandler(.newData) } }

  /// Keeps its state if told so.
  public func application(_ application: Application, shouldSaveApplicationState coder: StateCoder)
    -> Bool
  { preserves }

  /// Takes back what it kept.
  public func application(
    _ application: Application,
    shouldRestoreApplicationState coder: StateCoder
  ) -> Bool { true }

  /// One value is enough.
  public func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  ) { coder.encode("list", forKey: "screen") }
}

extension ProbeDelegate {
  /// A socket that listens as long as this lives.
  fileprivate final class Server {
    private let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init() { if Glibc.listen(socket, 1) != 0 { perror("listen") } }
    deinit { close(socket) }
  }

  /// Answers a question of a scenario, or does what it says; false where it is neither.
  ///
  ///     - tell: {protection: asked}
  ///     - expect: said protected files are closed
  ///     - tell: {listen: here}                           # a server, until it is told `deafen`
  private func answers(_ word: String) -> Bool {
    switch word {
    case "protection":
      let isOpen = Application.shared.isProtectedDataAvailable
      Application.shared.say("protected files are \(isOpen ? "open" : "closed")")
    case "listen": server = Server()
    case "deafen": server = nil
    default: return false
    }
    return true
  }
}
