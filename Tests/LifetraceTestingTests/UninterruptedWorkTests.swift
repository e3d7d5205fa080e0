// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceRules
import LifetraceTesting
import LifetraceTrace
import Support
import Testing

/// Work on a queue that passes eight seconds holds up the virtual world; a process would be suspended
/// in the middle of it.
///
/// Where something was due meanwhile, nothing that rests on it is called kept, nor broken.
@Suite("Work that virtual time cannot interrupt")
@MainActor
struct UninterruptedWorkTests {
  /// What the app does in the background, and whether it has a task for it.
  enum Form: String, CaseIterable, Sendable {
    /// Saves slowly on its way to the background.
    case save
    /// Locks a shared file at its launch, for long.
    case lock
    /// Ends a task, and goes on.
    case afterTask
  }

  private static let leaving = "[launch, {wait: 300ms}, home, suspend, purge, relaunch]"

  private func play(
    _ form: Form,
    covered: Bool,
    seconds: Double = 8,
    steps: String = leaving
  ) throws -> SimulatedLife {
    let scenario = try Scenario(parsing: "app: slow\nsteps: \(steps)\n", file: "slow.yml")
    let folder = try TestFolder()
    return try Simulator(scenario) {
      Slow(form, path: folder.path + "/draft", isCovered: covered, seconds: seconds)
    }.play()
  }

  private func kept(_ life: SimulatedLife) -> [String] {
    life.verdicts.filter { $0.outcome == .held }.map(\.rule)
  }

  @Test(
    "What a process would be accused of is not called kept",
    arguments: [
      (Form.save, ["DS01", "DS02", "DS03"]), (.lock, ["RS06"]),
      (.afterTask, ["DS01", "DS02", "DS03"]),
    ]
  )
  func isUndecidable(form: Form, rules: [String]) throws {
    let life = try play(form, covered: false)
    #expect(life.violations.isEmpty, "\(life.violations)")
    for rule in rules {
      #expect(!kept(life).contains(rule), "\(rule)")
      let verdict = try #require(life.undecided.first { $0.rule == rule }, "\(life.verdicts)")
      guard case .undecidable(let reason) = verdict.outcome else { continue }
      let what = "work on the queue slow passed 8 s in one piece"
      #expect("\(reason)".contains(what), "\(reason)")
      #expect("\(reason)".contains("split it (asyncAfter)"), "\(reason)")
    }
    let keys = life.streams.map { stream in
      stream.events.filter {
        $0.kind == .processConfig && life.names[$0.identityName] == UnseenWork.uninterruptedKey
      }.count
    }
    #expect(keys.first == 1, "\(keys)")
  }

  @Test("Under a background task nothing would have interrupted it", arguments: Form.allCases)
  func isCovered(form: Form) throws {
    let steps = "[launch, {wait: 300ms}, home, {wait: 20s}, suspend]"
    let life = try play(form, covered: true, steps: steps)
    #expect(life.violations.isEmpty, "\(life.violations)")
    #expect(life.undecided.isEmpty, "\(life.undecided)")
    #expect(kept(life).contains(form == .lock ? "RS06" : "DS01"), "\(life.verdicts)")
  }

  @Test("A task does not keep the user from ending the app in the middle")
  func isEnded() throws {
    let life = try play(.save, covered: true, steps: "[launch, home, {wait: 1s}, kill]")
    #expect(life.violations.isEmpty, "\(life.violations)")
    #expect(!kept(life).contains("DS02"))
    #expect(life.undecided.contains { $0.rule == "DS02" }, "\(life.verdicts)")
  }

  @Test("Nor is a task enough whose time is up meanwhile")
  func expires() throws {
    let steps = "[launch, home, suspend]"
    let life = try play(.save, covered: true, seconds: 30, steps: steps)
    #expect(life.violations.isEmpty, "\(life.violations)")
    #expect(!kept(life).contains("DS01"))
    #expect(life.undecided.contains { $0.rule == "DS01" }, "\(life.verdicts)")
  }

  @Test("What nothing was due in is judged")
  func isJudged() throws {
    let steps = "[launch, {wait: 20s}, home, suspend]"
    let life = try play(.lock, covered: false, steps: steps)
    #expect(life.undecided.isEmpty, "\(life.undecided)")
    #expect(kept(life).contains("RS06"), "\(life.verdicts)")
  }
}

/// An app that keeps one draft, and takes eight seconds for what it does.
@MainActor
private final class Slow: ApplicationDelegate {
  private let form: UninterruptedWorkTests.Form
  private let path: String
  private let isCovered: Bool
  private let seconds: Double
  private let draft = Lifetrace.Object("draft")
  private let queue = WorkQueue(label: "slow")

  init(_ form: UninterruptedWorkTests.Form, path: String, isCovered: Bool, seconds: Double) {
    self.form = form
    self.path = path
    self.isCovered = isCovered
    self.seconds = seconds
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if form == .lock {
      let lock = Lifetrace.Resource("shared.db", .lock, attribute: "shared")
      work(application) { [seconds] in
        lock.acquire()
        application.pass(seconds: seconds)
        lock.release()
      }
    } else {
      draft.dirty(bytes: 8)
    }
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    if form != .lock { save(application) }
  }

  private func save(_ application: Application) {
    let (draft, path, seconds) = (self.draft, self.path, self.seconds)
    let save: @Sendable () -> Void = {
      try? Lifetrace.save(draft, to: path) {
        application.pass(seconds: seconds)
        return Array("contents".utf8)
      }
    }
    guard form == .afterTask else { return work(application, save) }
    let task = application.beginBackgroundTask(withName: "first") {}
    work(application) {
      application.endBackgroundTask(task)
      save()
    }
  }

  private func work(_ application: Application, _ work: @escaping @Sendable () -> Void) {
    let task: BackgroundTaskIdentifier =
      isCovered ? application.beginBackgroundTask(withName: "slow") {} : .invalid
    queue.async {
      work()
      if task != .invalid { application.endBackgroundTask(task) }
    }
  }
}
