// SPDX-License-Identifier: Apache-2.0
import LifetraceExplore
import LifetracePlatform
import LifetraceScenario
import LifetraceWords
import Support
import Synchronization
import Testing

@testable import LifetraceTesting

/// How many plays an exploration takes, and what is said where it is given fewer.
@Suite @MainActor struct VirtualBudgetTests {
  @Test("Many points are played in little time, and all of them are counted")
  func many() throws {
    let scale = environment("LIFETRACE_TEST_SCALE").flatMap { Int($0) } ?? 1
    let saves = min(250, 4 * scale)
    let scenario = try Scenario(parsing: PlantedApp.manySaves(saves), file: "many.yml")
    let clock = ContinuousClock()
    var found: ExploredLife?
    let took = try clock.measure {
      found = try explore(scenario, ends: AppEnd.allCases) { PlantedApp(nil) }
    }
    let life = try #require(found)
    #expect(life.failures.isEmpty, "\(life)")
    #expect(life.playedCount == life.endCount)
    print("\(life.playedCount) ends in \(took)")
  }

  @Test("What a budget leaves out is said")
  func budget() throws {
    let scenario = try Scenario(parsing: PlantedApp.manySaves(200), file: "many.yml")
    let found = try explore(scenario, within: .seconds(1)) { PlantedApp(nil) }
    #expect(found.playedCount < found.endCount)
    #expect(found.description.contains("the budget of 1 s was up"), "\(found)")
    #expect(found.description.contains("were left out"), "\(found)")
  }

  @Test("A budget that is up in the first play ends it, and its points are said not to be all")
  func budgetOfTheFirstPlay() throws {
    let scenario = try Scenario(parsing: PlantedApp.manySaves(200), file: "many.yml")
    let found = try explore(scenario, within: .nanoseconds(1)) { PlantedApp(nil) }
    #expect(found.endCount == 0)
    #expect(found.playedCount == 0)
    #expect(!found.exploration.isComplete)
    #expect(
      found.description.contains("in the first play of all, behind step 0 of "),
      "\(found)"
    )
    #expect(found.failures.isEmpty)
  }

  @Test("A budget that is up before the first end says so, and what the play before it took")
  func budgetOfNoEnd() throws {
    let plays = PlayCount()
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
    let virtual = try PlantedApp.stage(.deferred, scenario)
    var explorer = Explorer(
      CountingStage(stage: virtual, plays: plays),
      now: { plays.count * 1_000_000_000 }
    )
    var options = ExploreOptions()
    options.budget = 1_000_000_000
    let behind = try explorer.explore(scenario, options)
    #expect(behind.playedCount == 0 && behind.cut == nil && !behind.cases.isEmpty)
    #expect(
      behind.whyNoEnd
        == "the budget of 1 s was up behind the first play of the scenario, which took 1 s; it has to "
        + "hold that play and the ends behind it"
    )
    // Who interrupts it is told so, whatever the budget.
    explorer.isInterrupted = { true }
    let interrupted = try explorer.explore(scenario, options)
    let said = "it was interrupted in the first play of the scenario, behind"
    #expect(interrupted.whyNoEnd?.hasPrefix(said) == true)
    let text = interrupted.lines(Paint(isOn: false)).joined(separator: "\n")
    #expect(!text.contains("budget") && !text.contains("No point while suspended"), "\(text)")
  }

  @Test("A budget that is up while smallest scenarios are looked for begins no other play")
  func budgetOfTheReduction() throws {
    // A clock that goes on by a second with each play, and not otherwise.
    func explored(_ budget: Int64?) throws -> (found: Exploration, plays: Int64) {
      let plays = PlayCount()
      let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
      let virtual = try PlantedApp.stage(.twoRenames, scenario)
      let stage = CountingStage(stage: virtual, plays: plays)
      var explorer = Explorer(stage, now: { plays.count * 1_000_000_000 })
      var options = ExploreOptions()
      options.budget = budget
      return (try explorer.explore(scenario, options), plays.count)
    }
    let whole = try explored(nil)
    #expect(whole.found.failures.count == 1 && !whole.found.failures[0].isReductionCut)
    let ends = Int64(whole.found.cases.count) + 1
    #expect(whole.plays > ends + 10, "\(whole.plays) plays, \(ends) of them before the search")
    #expect(whole.found.elapsed == ends * 1_000_000_000)
    #expect(whole.found.reductionElapsed == (whole.plays - ends) * 1_000_000_000)
    // In the middle of the search, and before it has begun.
    for (more, isBegun) in [(8 as Int64, true), (0, false)] {
      let (found, plays) = try explored((ends + more) * 1_000_000_000)
      #expect(plays == ends + more)
      #expect(found.isComplete && found.failures[0].isReductionCut)
      #expect((found.failures[0].smallest != nil) == isBegun)
      #expect(found.reductionElapsed == (isBegun ? more * 1_000_000_000 : nil))
      let text = found.lines(Paint(isOn: false)).joined(separator: "\n")
      let said = "was up: smallest scenarios were not looked for to the end, for 1 of 1 kind of"
      #expect(text.contains(said), "\(text)")
    }
  }

  @Test(
    "The few plays that processes are given are enough for the smallest scenario",
    arguments: [.inPlace, .twoRenames, .deletes] as [PlantedApp.Mistake]
  )
  func fewPlays(_ mistake: PlantedApp.Mistake) throws {
    func steps(_ playsMax: Int) throws -> [Int?] {
      let scenario = try Scenario(parsing: PlantedApp.manySaves(4), file: "saves.yml")
      var explorer = try PlantedApp.explorer(mistake, scenario)
      var options = ExploreOptions()
      options.reductionPlaysMax = playsMax
      let found = try explorer.explore(scenario, options)
      if playsMax == 1 {
        #expect(found.failures.count { $0.isReductionCut } == found.failures.count)
        let text = found.lines(Paint(isOn: false)).joined(separator: "\n")
        #expect(text.contains("  Smallest scenarios were not looked for to the end"), "\(text)")
      } else {
        #expect(found.failures.count { $0.isReductionCut } == 0, "\(mistake)")
      }
      return found.failures.map { $0.smallest?.steps.count }
    }
    #expect(try steps(60) == steps(400))
    _ = try steps(1)
  }

  /// How many plays were begun.
  private final class PlayCount: Sendable {
    private let plays = Atomic<Int64>(0)
    var count: Int64 { plays.load(ordering: .relaxed) }
    func add() { plays.add(1, ordering: .relaxed) }
  }

  /// Virtual time, whose plays are counted.
  private struct CountingStage: Stage {
    var stage: VirtualStage
    let plays: PlayCount
    var isDeterministic: Bool { stage.isDeterministic }

    mutating func play(_ scenario: Scenario, until isOver: (@Sendable () -> Bool)?) throws
      -> StagedLife
    {
      // The time of a play has passed behind it.
      defer { plays.add() }
      return try stage.play(scenario, until: isOver)
    }
  }
}
