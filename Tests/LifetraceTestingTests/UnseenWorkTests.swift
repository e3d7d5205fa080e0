// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceLifecycle
import LifetraceRules
import LifetraceTesting
import LifetraceTrace
import Support
import Synchronization
import Testing

/// Correct apps save in tasks, on queues and in threads, of which virtual time sees nothing.
///
/// It accuses nobody of what it cannot see. Who loses data without any of them is accused as before.
@Suite("Work that a simulator does not see")
@MainActor
struct UnseenWorkTests {
  /// How the app saves on its way to the background.
  enum Form: String, CaseIterable, Sendable {
    case mainTask, sleepingTask, detachedTask, actor, global, main, after, operation, thread, group
    case dispatchItem, sourceTimer
  }

  private static let scenario = """
    app: notes
    steps:
    - launch
    - home
    - suspend
    - purge
    - relaunch
    """

  private func play(_ form: Form?, task: Bool) throws -> SimulatedLife {
    let scenario = try Scenario(parsing: Self.scenario, file: "unseen.yml")
    let folder = try TestFolder()
    return try Simulator(scenario) {
      Saver(form: form, path: folder.path + "/list.json", usesTask: task)
    }.play()
  }

  @Test(
    "Nobody is accused of what such work may have done",
    arguments: Form.allCases,
    [true, false]
  )
  func isUndecidable(form: Form, task: Bool) throws {
    for _ in 1...20 {
      let life = try play(form, task: task)
      #expect(life.violations.isEmpty, "\(form), \(task)")
      #expect(life.report.failures.isEmpty, "\(form), \(task): \(life.report.failures)")
      let data = life.undecided.filter { ["DS01", "DS02"].contains($0.rule) }
      #expect(!data.isEmpty, "\(form), \(task)")
      for verdict in data {
        guard case .undecidable(let reason) = verdict.outcome else { continue }
        #expect("\(reason)".contains("which virtual time does not follow"), "\(reason)")
      }
    }
  }

  @Test("A wake that is answered by such work is not missed", arguments: Form.allCases)
  func answersWakes(form: Form) throws {
    let steps = Self.scenario.replacing("- purge", with: "- wake: fetch\n- suspend\n- purge")
    let scenario = try Scenario(parsing: steps, file: "unseen.yml")
    let folder = try TestFolder()
    let life = try Simulator(scenario) {
      Saver(form: form, path: folder.path + "/list.json", usesTask: true)
    }.play()
    #expect(life.violations.isEmpty, "\(life.violations)")
    #expect(life.report.failures.isEmpty, "\(life.report.failures)")
  }

  @Test("Who begins none is accused", arguments: [true, false])
  func isBroken(task: Bool) throws {
    for _ in 1...20 {
      let rules = try play(nil, task: task).violations.map(\.rule)
      #expect(rules.contains("DS02"), "\(rules)")
      #expect(rules.contains(task ? "BT01" : "DS01"), "\(rules)")
    }
  }

  @Test(
    "The trace that is kept says the same, and from where on",
    arguments: [
      (Form.global, "work on a dispatch queue"), (.mainTask, "a Task"), (.detachedTask, "a Task"),
      (.thread, "a thread"),
    ]
  )
  func isInTheTrace(form: Form, what: String) throws {
    let life = try play(form, task: false)
    let begun = life.streams[0].events.filter {
      $0.kind == .processConfig && life.names[$0.identityName] == UnseenWork.key
    }
    #expect(begun.count == 1)
    #expect(begun.first.map { life.names[Payload.ProcessConfig($0).value] } == what)
  }

  @Test("A callback that computes for seconds is not judged, and that is said")
  func realTime() throws {
    var hasty = Profile.standard
    hasty.enterBackground = Profile.Limit(0.5)
    let scenario = try Scenario(parsing: Self.scenario, file: "busy.yml")
    let life = try Simulator(
      scenario,
      profile: hasty,
      apps: [(.init(bundleIdentifier: "notes"), { Busy() })]
    ).play()
    let verdict = try #require(life.undecided.first { $0.rule == "DL02" }, "\(life.verdicts)")
    guard case .undecidable(let reason) = verdict.outcome else { return }
    #expect("\(reason)".contains("of real time, and virtual time does not judge it"), "\(reason)")
  }
}

/// An app that keeps one list, edits it when it is launched, and saves it on its way out.
@MainActor
private final class Saver: ApplicationDelegate {
  private let form: UnseenWorkTests.Form?
  private let list = Lifetrace.Object("list.json")
  private let path: String
  private let usesTask: Bool
  private let keeper = Keeper()
  private var timer: (any DispatchSourceTimer)?

  private actor Keeper {
    func keep(_ save: @Sendable () -> Void) { save() }
  }

  init(form: UnseenWorkTests.Form?, path: String, usesTask: Bool) {
    self.form = form
    self.path = path
    self.usesTask = usesTask
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    list.dirty(bytes: 8)
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    let task = usesTask ? application.beginBackgroundTask(withName: "save") {} : .invalid
    save { if task != .invalid { application.endBackgroundTask(task) } }
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { save { completionHandler(.newData) } }

  private func save(_ done: @escaping @Sendable () -> Void) {
    let (list, path, keeper) = (self.list, self.path, self.keeper)
    let save: @Sendable () -> Void = {
      try? Lifetrace.save(list, to: path) { Array("contents".utf8) }
      done()
    }
    switch form {
    case nil: break
    case .mainTask: Task { @MainActor in save() }
    case .sleepingTask:
      Task {
        try? await Task.sleep(for: .milliseconds(2))
        save()
      }
    case .detachedTask: Task.detached { save() }
    case .actor: Task { await keeper.keep(save) }
    case .global: DispatchQueue.global().async { save() }
    case .main: DispatchQueue.main.async { save() }
    case .after: DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { save() }
    case .operation:
      let queue = OperationQueue()
      queue.addOperation { save() }
    case .thread: Thread.detachNewThread { save() }
    case .group: DispatchQueue.global().async(group: DispatchGroup()) { save() }
    case .dispatchItem: DispatchQueue.global().async(execute: DispatchWorkItem(block: save))
    case .sourceTimer:
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + 0.002)
      timer.setEventHandler(handler: save)
      timer.resume()
      self.timer = timer
    }
  }
}

/// Computes for a while on its way to the background.
@MainActor
private final class Busy: ApplicationDelegate {
  func applicationDidEnterBackground(_ application: Application) {
    var used = timespec()
    func milliseconds() -> Int {
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used)
      return used.tv_sec * 1_000 + used.tv_nsec / 1_000_000
    }
    let begin = milliseconds()
    while milliseconds() < begin + 1_050 {}
  }
}
