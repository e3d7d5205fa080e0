// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceTesting
import Support
import Testing

/// Lives of an app that does everything right, though at the edge of what is allowed.
@Suite("Lives of which nothing is to be said")
@MainActor
struct QuietLifeTests {
  /// A life, and what is demanding in it.
  struct Life: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: String
    var edge = Edge.none
  }

  enum Edge: Sendable { case none, slow, overtaking, around, longWake }

  nonisolated static let lives: [Life] = [
    Life(
      testDescription: "each callback takes nearly as long as it may",
      steps: "[launch, {wait: 4s}, home, {wait: 9s}, open, {wait: 4s}, home, suspend]",
      edge: .slow
    ),
    Life(
      testDescription: "every wake, in the background and out of the suspension, and as a launch",
      steps: """
        [launch, home, suspend, {wake: push}, suspend, {wake: fetch}, suspend, {wake: url-session}, \
        suspend, {wake: location}, suspend, {wake: bluetooth}, suspend, {wake: voip}, suspend, purge, \
        {wake: location}, suspend, purge, {wake: push}, suspend, open, home, suspend]
        """
    ),
    Life(
      testDescription: "a processing task takes forty seconds",
      steps: "[launch, home, suspend, {wake: processing}, suspend, purge, relaunch, home, suspend]",
      edge: .longWake
    ),
    Life(
      testDescription: "edits overtake the saves, and a task covers the last of them",
      steps:
        "[launch, {wait: 2s}, home, suspend, purge, relaunch, {wait: 2s}, home, suspend, purge]",
      edge: .overtaking
    ),
    Life(
      testDescription: "a task around each save, in the foreground as well, over many visits",
      steps: """
        [launch, {wait: 20s}, home, {wait: 1s}, open, {wait: 20s}, home, suspend, open, home, suspend, \
        kill, launch, {wait: 1s}, home, suspend]
        """,
      edge: .around
    ),
    Life(
      testDescription:
        "calls, notification center, lock and unlock, memory warnings, prewarmed launches",
      steps: """
        [prewarm, {wait: 60s}, launch, {interrupt: begin}, {interrupt: end}, {call: begin}, \
        {call: end}, lock, unlock, memory-warning, home, suspend, open, home, suspend, purge, prewarm, \
        purge, launch, home, suspend]
        """
    ),
  ]

  @Test("Nothing is said", arguments: lives)
  func isSilent(_ life: Life) throws {
    let folder = try TestFolder()
    let text = "app: quiet\nprofile: ios13\nsteps: \(life.steps)\n"
    let scenario = try Scenario(parsing: text, file: "quiet.yml")
    var configuration = Application.Configuration(bundleIdentifier: "quiet")
    configuration.backgroundModes = [
      "fetch", "voip", "remote-notification", "location", "bluetooth-peripheral", "processing",
    ]
    let path = folder.path + "/draft.txt"
    let played = try Simulator(
      scenario,
      apps: [(configuration, { @MainActor @Sendable in Quiet(life.edge, path: path) })]
    ).play()
    #expect(played.report.failures.isEmpty, "\(played.report.failures)")
    let said = played.verdicts.filter { $0.outcome == .violated }
    #expect(said.isEmpty, "\(said)")
  }
}

/// Saves whatever changes, and answers whatever wakes it.
private final class Quiet: ApplicationDelegate {
  private let edge: QuietLifeTests.Edge
  private let path: String
  private let draft = Lifetrace.Object("draft.txt")
  private var text = ""

  init(_ edge: QuietLifeTests.Edge, path: String) { (self.edge, self.path) = (edge, path) }

  private func edit(_ more: String) {
    text += more
    let bytes = text.utf8
    draft.dirty { bytes }
  }

  private func save() {
    let bytes = Array(text.utf8)
    try? Lifetrace.save(draft, to: path) { bytes }
  }

  /// Saves under a task, some time later.
  private func saveLater(_ application: Application, seconds: Double) {
    let task = Held(application.beginBackgroundTask(withName: "save") {})
    WorkQueue.main.asyncAfter(seconds: seconds) { [self] in
      MainActor.assumeIsolated {
        save()
        application.endBackgroundTask(task.id)
      }
    }
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if edge == .slow { application.pass(seconds: 3) }
    if let found = try? Lifetrace.restore(draft, from: path) {
      text = String(decoding: found.bytes, as: UTF8.self)
    }
    return true
  }

  func applicationDidBecomeActive(_ application: Application) {
    edit("visit ")
    switch edge {
    case .overtaking:
      saveLater(application, seconds: 0.5)
      edit("more ")
      saveLater(application, seconds: 0.6)
      edit("most ")
    case .around: saveLater(application, seconds: 3)
    default: save()
    }
  }

  func applicationWillEnterForeground(_ application: Application) {
    if edge == .slow { application.pass(seconds: 2) }
  }

  func applicationDidEnterBackground(_ application: Application) {
    if edge == .slow { application.pass(seconds: 3) }
    edit("left ")
    if edge == .overtaking || edge == .around {
      saveLater(application, seconds: 2)
    } else {
      save()
    }
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { take("push ", completionHandler) }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { take("fetch ", completionHandler) }

  func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { take("download ") { _ in completionHandler() } }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if reason == .voip { application.reportNewIncomingCall("anna") }
    take("wake ", after: edge == .longWake && reason == .processing ? 40 : 1, completionHandler)
  }

  private func take(
    _ what: String,
    after seconds: Double = 1,
    _ completion: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    let span = Lifetrace.beginWork("take")
    WorkQueue.main.asyncAfter(seconds: seconds) { [self] in
      MainActor.assumeIsolated {
        edit(what)
        save()
      }
      completion(.newData)
      span.end()
    }
  }
}

/// A task's id, for the closure that ends it.
private struct Held: Sendable {
  let id: BackgroundTaskIdentifier
  init(_ id: BackgroundTaskIdentifier) { self.id = id }
}
