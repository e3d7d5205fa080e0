// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceExplore
import LifetraceScenario
import Testing

@testable import LifetraceTesting

/// Ends that take an edit, and for which no app is to blame: right behind the edit, and while it saves on its
/// way back.
@Suite @MainActor struct ExcusedEndsTests {
  /// It edits and saves on a queue of its own: in no call, and in no turn, that has not returned.
  private final class QueueApp: ApplicationDelegate {
    private let queue = WorkQueue(label: "typing")
    private let text = Lifetrace.Object("text")
    private let marksBefore: Bool

    /// `marksBefore` has it report something between an edit and its save.
    init(marksBefore: Bool) { self.marksBefore = marksBefore }

    func application(_ application: Application, told word: String, _ value: String) {
      let (text, marksBefore) = (text, marksBefore)
      let path = (application.dataDirectory ?? ".") + "/text"
      queue.asyncAfter(seconds: 1) {
        let bytes = Array(value.utf8)
        text.dirty { bytes }
        if marksBefore { Lifetrace.mark("edited") }
        _ = try? Lifetrace.save(text, to: path) { bytes }
      }
    }
  }

  private static let typing = """
    app: typing
    steps: [launch, {tell: {type: "one"}}, {wait: 3s}, home, suspend]
    """

  @Test(
    "An end right behind an edit is nobody's fault, though no call was open in which it was made"
  )
  func rightBehindTheEdit() throws {
    let scenario = try Scenario(parsing: Self.typing, file: "typing.yml")
    let found = try explore(scenario, ends: [.crash]) { QueueApp(marksBefore: false) }
    #expect(found.failures.isEmpty && found.playedCount == found.endCount, "\(found)")
    let inHand = found.exploration.cases.filter { $0.trial?.inHand == ["text"] }
    #expect(inHand.count == 1, "\(found)")
    #expect(
      inHand.allSatisfy { found.exploration.points[$0.point].text.contains("text version 1") }
    )
    // One event later it could have been saving.
    let later = try explore(scenario, ends: [.crash]) { QueueApp(marksBefore: true) }
    #expect(later.failures.map(\.rule) == ["DS02"], "\(later)")
    #expect(later.exploration.cases.filter { $0.trial?.found.isEmpty == false }.count == 1)
  }

  /// It saves on its way to the back, on a queue, some time after didEnterBackground.
  private final class LeavingApp: ApplicationDelegate {
    private let queue = WorkQueue(label: "leaving")
    private let text = Lifetrace.Object("text")
    private let hasTask: Bool

    init(hasTask: Bool) { self.hasTask = hasTask }

    func applicationDidEnterBackground(_ application: Application) {
      let text = text
      let path = (application.dataDirectory ?? ".") + "/text"
      text.dirty { Array("one".utf8) }
      let task = hasTask ? application.beginBackgroundTask(withName: "save") {} : .invalid
      queue.asyncAfter(seconds: 1) {
        _ = try? Lifetrace.save(text, to: path) { Array("one".utf8) }
        if task != .invalid { application.endBackgroundTask(task) }
      }
    }
  }

  @Test(
    "What a purge or the user takes of an app that saves on its way back is counted, and held against none",
    arguments: [.purge, .kill] as [AppEnd]
  )
  func onItsWayBack(_ end: AppEnd) throws {
    let text = "app: leaving\nsteps: [launch, home, {wait: 3s}, suspend]\n"
    let scenario = try Scenario(parsing: text, file: "leaving.yml")
    let covered = try explore(scenario, ends: [end]) { LeavingApp(hasTask: true) }
    #expect(covered.failures.isEmpty, "\(covered)")
    let spared = covered.exploration.cases.filter { $0.trial?.inFront == ["text"] }
    let states = Set(spared.map { covered.exploration.points[$0.point].key.stateWord })
    #expect(states == ["background"], "\(covered)")
    // Without a task it does not execute by right any more.
    let bare = try explore(scenario, ends: [end]) { LeavingApp(hasTask: false) }
    #expect(bare.failures.contains { $0.rule == "DS02" && $0.object == "text" }, "\(bare)")
  }

  @Test("What a crash takes of it is its own fault")
  func crashOnItsWayBack() throws {
    let text = "app: leaving\nsteps: [launch, home, {wait: 3s}, suspend]\n"
    let scenario = try Scenario(parsing: text, file: "leaving.yml")
    let found = try explore(scenario, ends: [.crash]) { LeavingApp(hasTask: true) }
    #expect(found.failures.contains { $0.rule == "DS02" && $0.object == "text" }, "\(found)")
  }
}
