// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceExplore
import LifetraceScenario
import LifetraceWords
import Testing

@testable import LifetraceTesting

/// What plays of one scenario have in common.
@Suite @MainActor struct RerunsTests {
  /// It saves on a queue, which is held up beyond the time at which a process would be suspended.
  private final class SlowApp: ApplicationDelegate {
    private let queue = WorkQueue(label: "slow")

    func applicationDidEnterBackground(_ application: Application) {
      let draft = Lifetrace.Object("draft")
      draft.dirty(bytes: 8)
      let path = (application.dataDirectory ?? ".") + "/draft"
      queue.async {
        try? Lifetrace.save(draft, to: path) {
          application.pass(seconds: 8)
          return Array("contents".utf8)
        }
      }
    }
  }

  @Test("What a play could not decide is named, and is neither kept nor broken", arguments: [1, 3])
  func undecided(_ times: Int) throws {
    let text = "app: slow\nsteps: [launch, {wait: 300ms}, home, suspend, purge, relaunch]\n"
    let scenario = try Scenario(parsing: text, file: "slow.yml")
    let project = try ProjectRules(scenario, profile: nil, above: #filePath)
    let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "slow")) { SlowApp() }
    var stage = VirtualStage(makers: [maker], project: project)
    let checker = ExploreOptions().judgement.checker.prepared(for: [.app, .harness])
    var reruns = Reruns(
      title: "slow.yml",
      recorded: try stage.play(scenario, until: nil),
      by: checker
    )
    for _ in 0..<times { _ = reruns.add(try stage.play(scenario, until: nil), by: checker) }
    #expect(reruns.kinds.isEmpty && reruns.cleanCount == times, "\(reruns.kinds)")
    let rules = reruns.undecidedRules.map(\.rule)
    #expect(Set(["DS01", "DS02", "DS03"]).isSubset(of: rules), "\(rules)")
    #expect(rules == rules.sorted())
    #expect(reruns.undecidedRules.allSatisfy { $0.count == times })
    let each = rules.map { times == 1 ? $0 : "\($0) (in \(times) of \(times))" }
    let said = "undecidable: \(each.joined(separator: ", ")); lifetrace check says why"
    #expect(reruns.lines(Paint(isOn: false)).contains(said))
  }
}
