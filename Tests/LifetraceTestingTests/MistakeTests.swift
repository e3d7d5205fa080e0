// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceRules
import LifetraceScenario
import LifetraceTesting
import Support
import Testing

/// Mistakes that apps were published with, each as a small app, beside the same app without it.
@Suite("Mistakes that are made")
@MainActor
struct MistakeTests {
  /// A mistake, the steps that show it, and the rule that finds it.
  struct Case: Sendable, CustomTestStringConvertible {
    var mistake: Mistake
    var rule: String
    var steps = "- launch\n- home\n- suspend"
    /// A note on the app with the mistake and without: no work runs under its task.
    var isIdle = false
    var testDescription: String { mistake.rawValue }
  }

  enum Mistake: String, Sendable {
    case frozenUpload, quickSave, taskEndedEarly, taskBegunInWork, tailAfterTask
    case slowReturn, slowResign, slowBackgroundLaunch
    case endsTaskLater, waitsInHandler, overwritesTask, holdsTask
    case callNotReported, wakeNotDeclared, nothingDeclared
    case neverReads, readsBack, savesOldText, onlyAtTheEnd, cancelsAutosave
  }

  nonisolated static let cases: [Case] = [
    Case(mistake: .frozenUpload, rule: "BT10"),
    Case(mistake: .quickSave, rule: "BT11"),
    Case(mistake: .taskEndedEarly, rule: "BT10"),
    Case(mistake: .taskBegunInWork, rule: "BT04"),
    Case(mistake: .tailAfterTask, rule: "BT06"),
    Case(
      mistake: .slowReturn,
      rule: "DL04",
      steps: "- launch\n- home\n- suspend\n- open\n- wait: 9s"
    ),
    Case(mistake: .slowResign, rule: "DL11"),
    Case(mistake: .slowBackgroundLaunch, rule: "DL01", steps: "- wake: push\n- suspend"),
    Case(
      mistake: .endsTaskLater,
      rule: "DL07",
      steps: "- launch\n- home\n- wait: 40s",
      isIdle: true
    ),
    Case(
      mistake: .waitsInHandler,
      rule: "DL08",
      steps: "- launch\n- home\n- wait: 40s",
      isIdle: true
    ),
    Case(mistake: .overwritesTask, rule: "BT03", steps: "- launch\n- home\n- wait: 40s"),
    Case(
      mistake: .holdsTask,
      rule: "BT08",
      steps: "- launch\n- wait: 20s\n- home\n- wait: 1s\n- open\n- wait: 20s\n- home\n- suspend"
    ),
    Case(mistake: .callNotReported, rule: "DL12", steps: "- wake: voip\n- suspend"),
    Case(mistake: .wakeNotDeclared, rule: "BT12", steps: "- wake: push\n- suspend"),
    Case(mistake: .nothingDeclared, rule: "BT12", steps: "- wake: push\n- suspend"),
    Case(
      mistake: .neverReads,
      rule: "DS12",
      steps: "- launch\n- home\n- suspend\n- purge\n- wake: push\n- suspend"
    ),
    Case(mistake: .readsBack, rule: "DS12"),
    Case(mistake: .savesOldText, rule: "DS12"),
    Case(mistake: .onlyAtTheEnd, rule: "DS04", steps: "- launch\n- home\n- terminate"),
    Case(mistake: .cancelsAutosave, rule: "DS09"),
  ]

  private func play(_ test: Case, fixed: Bool) throws -> SimulatedLife {
    let folder = try TestFolder()
    let scenario = try Scenario(parsing: "app: clumsy\nsteps:\n\(test.steps)\n", file: "clumsy.yml")
    var configuration = Application.Configuration(bundleIdentifier: "clumsy")
    configuration.backgroundModes =
      switch test.mistake {
      case .wakeNotDeclared where !fixed: ["fetch"]
      case .nothingDeclared where !fixed: []
      default: ["fetch", "voip", "remote-notification"]
      }
    let path = folder.path + "/draft.txt"
    return try Simulator(
      scenario,
      apps: [
        (
          configuration,
          { @MainActor @Sendable in Clumsy(test.mistake, isFixed: fixed, path: path) }
        )
      ]
    ).play()
  }

  @Test("Each is found", arguments: cases)
  func isFound(_ test: Case) throws {
    let life = try play(test, fixed: false)
    let found = life.verdicts.filter { $0.outcome == .violated }
    #expect(found.contains { $0.rule == test.rule }, "\(found)\n\(life.undecided)")
  }

  @Test("Nothing is said of the same app without it", arguments: cases)
  func isSilent(_ test: Case) throws {
    let life = try play(test, fixed: true)
    #expect(life.report.failures.isEmpty, "\(life.report.failures)")
    let found = life.verdicts.filter { $0.outcome == .violated }
    let others = found.filter { !(test.isIdle && $0.rule == "BT13" && $0.severity == .info) }
    #expect(others.isEmpty, "\(others)")
  }
}

/// An app that makes one mistake, or does the same thing right.
private final class Clumsy: ApplicationDelegate {
  private let mistake: MistakeTests.Mistake
  private let isFixed: Bool
  private let path: String
  private let draft = Lifetrace.Object("draft.txt")
  private var text = ""
  private var task = BackgroundTaskIdentifier.invalid
  private var second = BackgroundTaskIdentifier.invalid
  private var autosave: DelayedWork?

  init(_ mistake: MistakeTests.Mistake, isFixed: Bool, path: String) {
    (self.mistake, self.isFixed, self.path) = (mistake, isFixed, path)
  }

  private func makes(_ mistake: MistakeTests.Mistake) -> Bool {
    self.mistake == mistake && !isFixed
  }

  private func edit(_ more: String) {
    text += more
    let bytes = text.utf8
    draft.dirty { bytes }
  }

  private func save(_ text: String? = nil) {
    let bytes = Array((text ?? self.text).utf8)
    try? Lifetrace.save(draft, to: path) { bytes }
  }

  private func load() {
    guard let found = try? Lifetrace.restore(draft, from: path) else { return }
    text = String(decoding: found.bytes, as: UTF8.self)
  }

  // MARK: Life

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if mistake == .slowBackgroundLaunch { application.pass(seconds: isFixed ? 3 : 7) }
    // A launch by a push takes what it cannot read for empty.
    let isByPush = options?[.remoteNotification] != nil
    if !(makes(.neverReads) && isByPush) { load() }
    if mistake == .neverReads { edit("line\n") }
    if mistake == .neverReads { save() }
    if mistake == .holdsTask {
      task = application.beginBackgroundTask(withName: "socket") { self.end(application) }
      if isFixed { end(application) }
    }
    return true
  }

  func applicationDidBecomeActive(_ application: Application) {
    switch mistake {
    case .readsBack:
      edit("one ")
      save()
      edit("two ")
      if isFixed { save() }
      load()
      save()
    case .savesOldText:
      edit("one ")
      let old = text
      edit("two ")
      save(isFixed ? nil : old)
    case .onlyAtTheEnd: edit("one ")
    case .cancelsAutosave:
      edit("one ")
      autosave = WorkQueue.main.asyncAfter(seconds: 5) { [weak self] in
        MainActor.assumeIsolated { self?.save() }
      }
      Lifetrace.Resource(draft.name, .pendingSave).acquire()
    default: break
    }
  }

  func applicationWillResignActive(_ application: Application) {
    if makes(.slowResign) { application.pass(seconds: 3) }
    if mistake == .cancelsAutosave {
      autosave?.cancel()
      Lifetrace.Resource(draft.name, .pendingSave).release()
      if isFixed { save() }
    }
  }

  func applicationWillEnterForeground(_ application: Application) {
    if mistake == .slowReturn { application.pass(seconds: isFixed ? 2 : 3) }
  }

  func applicationWillTerminate(_ application: Application) {
    if mistake == .onlyAtTheEnd { save() }
  }

  func applicationDidEnterBackground(_ application: Application) {
    switch mistake {
    case .frozenUpload:
      if isFixed { begin(application) }
      work(seconds: 5) { [self] in if isFixed { end(application) } }
    case .quickSave:
      if isFixed { begin(application) }
      work(seconds: 0.06) { [self] in if isFixed { end(application) } }
    case .taskEndedEarly:
      begin(application)
      work(seconds: 5) { [self] in if isFixed { end(application) } }
      if !isFixed { end(application) }
    case .taskBegunInWork:
      if isFixed { begin(application) }
      after(seconds: 0.02) { [self] in
        if !isFixed { begin(application) }
        after(seconds: 1) { [self] in end(application) }
      }
    case .tailAfterTask:
      begin(application)
      after(seconds: 2) { [self] in if !isFixed { end(application) } }
      work(seconds: 2.08) { [self] in if isFixed { end(application) } }
    case .endsTaskLater, .waitsInHandler: begin(application)
    case .overwritesTask: overwrite(application)
    case .onlyAtTheEnd: if isFixed { save() }
    default: break
    }
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.newData) }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if !makes(.callNotReported) { application.reportNewIncomingCall("anna") }
    completionHandler(.newData)
  }

  // MARK: Background

  private func after(seconds: Double, _ body: @escaping @MainActor @Sendable () -> Void) {
    WorkQueue.main.asyncAfter(seconds: seconds) { MainActor.assumeIsolated { body() } }
  }

  /// Work for that long, which does not keep the thread.
  private func work(seconds: Double, _ done: @escaping @MainActor @Sendable () -> Void) {
    let span = Lifetrace.beginWork("upload")
    after(seconds: seconds) {
      done()
      span.end()
    }
  }

  private func begin(_ application: Application) {
    task = application.beginBackgroundTask(withName: "work") { [self] in
      if mistake == .waitsInHandler { application.pass(seconds: isFixed ? 0.5 : 3) }
      guard makes(.endsTaskLater) else { return end(application) }
      after(seconds: 0.1) { [self] in end(application) }
    }
  }

  private func end(_ application: Application) {
    application.endBackgroundTask(task)
    task = .invalid
  }

  /// Two pieces of work; the mistake is to keep both ids in one variable.
  private func overwrite(_ application: Application) {
    begin(application)
    if isFixed { second = task }
    begin(application)
    after(seconds: 2) { [self] in
      end(application)
      if isFixed { application.endBackgroundTask(second) }
    }
  }
}
