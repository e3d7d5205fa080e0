// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp
import LifetraceExplore
import LifetracePlatform
import LifetraceScenario
import LifetraceWords
import NotesCore
import Support
import Synchronization
import Testing

@testable import LifetraceTesting

/// Ends at every point of a life, in virtual time; LIFETRACE_TEST_SCALE=60 makes it 10,000 and more.
@Suite @MainActor struct VirtualExploreTests {
  static let lostEdit = """
    app: notes
    steps:
      - launch
      - tell: {edit: "Dear diary, today I lost nothing."}
      - home
      - purge
      - relaunch
    """

  private func notes(fixed: Bool) throws -> ExploredLife {
    let scenario = try Scenario(parsing: Self.lostEdit, file: "lost-edit.yml")
    var options = NotesDelegate.Options()
    options.fixed = fixed
    return try explore(scenario) { [options] in NotesDelegate(options: options) }
  }

  @Test("The sample loses its edit at each point at which it is not saved, and at none other")
  func sample() throws {
    let found = try notes(fixed: false)
    #expect(found.failures.map(\.rule) == ["DS02"], "\(found)")
    #expect(found.failures.first?.object == "draft.txt")
    #expect(found.playedCount == found.endCount)
    for one in found.exploration.cases {
      let key = found.exploration.points[one.point].key
      let isUnsaved = key.objects.contains { $0.condition != .clean }
      let trial = try #require(one.trial)
      #expect(trial.isReached)
      let isExcused = !trial.inHand.isEmpty || !trial.inFront.isEmpty
      #expect(!trial.found.isEmpty == (isUnsaved && !isExcused), "\(key)")
    }
    // As people would write it.
    let smallest = try #require(found.failures.first?.smallestScenario)
    #expect(
      smallest.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
        "app: notes", "steps:", "  - launch",
        "  - tell: {edit: \"Dear diary, today I lost nothing.\"}", "  - purge",
      ]
    )
  }

  @Test("Mended, it loses its edit only in front, where the user still types: that is not counted")
  func mended() throws {
    let found = try notes(fixed: true)
    #expect(found.failures.isEmpty, "\(found)")
    let inFront = found.exploration.cases.filter { $0.trial?.inFront.isEmpty == false }
    #expect(!inFront.isEmpty)
    let states = inFront.map { found.exploration.points[$0.point].key.stateWord }
    #expect(Set(states).isSubset(of: ["active", "inactive", "background"]), "\(found)")
    #expect(found.description.contains("--in active"), "\(found)")
  }

  /// The claim of a save that was not needed is kept by an older version.
  @Test("An edit that is taken back is there, under the number of the save that has its bytes")
  func takenBack() throws {
    let steps = ["one", "two", "one"].map { "  - tell: {edit: \($0)}\n  - home\n  - open\n" }
    let text = "app: notes\nsteps:\n  - launch\n\(steps.joined())"
    let again = "  - tell: {edit: two}\n  - tell: {edit: one}\n  - home\n  - suspend\n"
    let scenario = try Scenario(parsing: text + again, file: "again.yml")
    let found = try explore(scenario) { NotesDelegate(options: .init(fixed: true)) }
    #expect(found.failures.isEmpty, "\(found)")
  }

  @Test("The same scenario gives the same report")
  func sameReport() throws {
    func report() throws -> String {
      var found = try notes(fixed: false).exploration
      // What it took is another matter.
      (found.elapsed, found.reductionElapsed) = (0, 0)
      return found.lines(Paint(isOn: false)).joined(separator: "\n") + found.json().pretty()
    }
    let one = try report()
    let took = "was played, in 0 ns; the search for smallest scenarios took another 0 ns\n"
    #expect(one.contains(took), "\(one)")
    #expect(try report() == one)
  }

  private static let saves = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - wait: 100ms
      - tell: {save: "two, which is longer than the one before"}
      - tell: {tidy: up}
      - home
      - suspend
      - open
      - tell: {save: "three"}
      - home
      - suspend
    """

  private static let twoSaves = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - tell: {save: "two"}
      - home
      - suspend
    """

  @Test(
    "Each planted mistake is found, and called what it is",
    arguments: PlantedApp.Mistake.allCases.filter { $0 != .tidies }
  )
  func planted(_ mistake: PlantedApp.Mistake) throws {
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    // What is saved on the way to the back only is lost in front, where an app ends by a crash.
    let ends: [AppEnd] = mistake == .late ? [.crash] : [.purge]
    let found = try explore(scenario, ends: ends) { PlantedApp(mistake) }
    let rules = Set(found.failures.map(\.rule))
    #expect(rules == Self.called[mistake], "\(found)")
    #expect(found.failures.allSatisfy { $0.object == "text" }, "\(found)")
    let smallest = found.failures.compactMap(\.stepCount).min() ?? .max
    #expect(smallest <= 6, "\(found)")
  }

  @Test("What is called saved too early is told at the line that says so, as check tells it")
  func placeOfAClaim() throws {
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    let found = try explore(scenario, ends: [.purge]) { PlantedApp(.early) }
    let failure = try #require(found.failures.first)
    let smallest = try Scenario(parsing: try #require(failure.smallestScenario), file: "s.yml")
    let life = try Simulator(smallest) { PlantedApp(.early) }.play()
    let verdict = try #require(life.violations.first)
    let saved = try #require(verdict.witnesses.first { $0.label == "saved" })
    #expect(failure.site == saved.source?.short, "\(found)")
    #expect("\(verdict.advice)".hasPrefix("Say durable behind"), "\(verdict.advice)")
  }

  /// What a mistake breaks: what is missing in the middle of a save no rule can call a loss, as the save
  /// may have come through; the next launch can.
  private static let called: [PlantedApp.Mistake: Set<String>] = [
    .deferred: ["DS02"],
    .late: ["DS02"],
    .early: ["DS12"],
    .twoRenames: ["claim"],
    .deletes: ["claim"],
    .inPlace: ["claim"],
    .indexFirst: ["claim"],
    .takesOut: ["again"],
    .writesBack: ["DS12", "claim"],
    .locks: ["DS12", "claim"],
    .silent: ["DS02", "ledger"],
  ]

  @Test("Mended, none is")
  func mendedTwin() throws {
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    let found = try explore(scenario, ends: AppEnd.allCases) { PlantedApp(nil) }
    #expect(found.failures.isEmpty, "\(found)")
    #expect(found.playedCount == found.endCount && found.playedCount > 100)
  }

  /// Behind an edit each of its events may be in the middle of a save.
  @Test("An app that never says that it begins to save is not accused of what is there already")
  func neverFlushing() throws {
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    let found = try explore(scenario, ends: AppEnd.allCases) {
      PlantedApp(nil, saysFlushing: false)
    }
    #expect(found.failures.isEmpty, "\(found)")
  }

  /// A life of many saves, in the middle of which it is told once to tidy up.
  private static func manySaves(_ count: Int) -> String {
    var steps = (0..<count).map { "  - tell: {save: \"text number \($0)\"}" }
    steps.insert("  - tell: {tidy: up}", at: count / 2)
    steps.insert("  - home", at: count / 3)
    steps.insert("  - open", at: count / 3 + 1)
    return (["app: planted", "steps:", "  - launch"] + steps).joined(separator: "\n")
  }

  /// Two processes by themselves, so that what the second one has left of the first is foretold too.
  private static let twoLives = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - home
      - suspend
      - purge
      - relaunch
      - tell: {save: "two"}
      - wait: 100ms
      - tell: {save: "three"}
      - home
      - suspend
    """

  @Test(
    "What the trace foretells at each point is what the next launch finds",
    arguments: AppEnd.allCases
  )
  func forecasts(_ end: AppEnd) throws {
    var counts = (lost: 0, kept: 0, certain: 0)
    for text in [Self.twoSaves, Self.twoLives] {
      let scenario = try Scenario(parsing: text, file: "saves.yml")
      for mistake in [nil, PlantedApp.Mistake.deferred, .late] {
        let found = try explore(scenario, ends: [end]) { PlantedApp(mistake) }
        #expect(found.playedCount == found.endCount)
        for one in found.exploration.cases {
          let trial = try #require(one.trial)
          let objects = found.exploration.points[one.point].key.objects
          // Of every point: nothing where nothing was edited yet, else the object, and a clear word
          // unless a save is under way.
          guard let state = objects.first, let forecast = trial.forecasts.first else {
            #expect(trial.forecasts.isEmpty, "\(objects)")
            continue
          }
          #expect(trial.forecasts.count == 1 && forecast.object == "text")
          guard let isLost = forecast.isLost else {
            #expect(state.condition == .flushing, "\(forecast)")
            continue
          }
          if isLost { counts.lost += 1 } else { counts.kept += 1 }
          #expect(isLost == (forecast.found < forecast.newest), "\(forecast)")
          guard let leaves = forecast.leaves else { continue }
          counts.certain += 1
          #expect(leaves == forecast.found, "\(forecast)")
        }
      }
    }
    #expect(counts.lost > 5 && counts.kept > 5 && counts.certain > 5, "\(counts)")
  }

  /// It saves as it should and reads nothing at its launch; told to tidy up, it empties its file.
  private final class CarelessApp: ApplicationDelegate {
    private let tidies: Bool
    private let text = Lifetrace.Object("text")
    private var path = ""

    init(tidies: Bool) { self.tidies = tidies }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      path = (application.dataDirectory ?? ".") + "/text"
      return true
    }

    func application(_ application: Application, told word: String, _ value: String) {
      if word == "tidy", tidies { truncate(path, 2) }
      guard word == "save" else { return }
      text.dirty { value.utf8 }
      _ = try? Lifetrace.save(text, to: path) { value.utf8 }
    }
  }

  @Test("Bytes that were reported saved are looked for on disk, where no launch reads them")
  func bytes() throws {
    let text = """
      app: careless
      steps:
        - launch
        - tell: {save: "one"}
        - tell: {save: "two"}
        - tell: {tidy: up}
        - home
      """
    let scenario = try Scenario(parsing: text, file: "careless.yml")
    let found = try explore(scenario, ends: [.purge, .crash]) { CarelessApp(tidies: true) }
    #expect(found.failures.map(\.rule) == ["bytes"], "\(found)")
    #expect(
      found.failures[0].description
        == "bytes: text: version 2 (3 bytes) was reported saved, and before the next launch its file text held 2 bytes of something else",
      "\(found)"
    )
    #expect(found.description.contains("Compared on disk with what was reported saved: text."))
    let smallest = try #require(found.failures[0].smallestScenario)
    #expect(found.failures[0].stepCount ?? .max <= 4, "\(smallest)")
    let mended = try explore(scenario, ends: [.purge, .crash, .reboot]) {
      CarelessApp(tidies: false)
    }
    #expect(mended.failures.isEmpty, "\(mended)")
    #expect(mended.exploration.files.unknown.isEmpty)
    // What an app hashes as it likes is compared with no file, and that is said.
    let planted = try explore(try Scenario(parsing: Self.twoSaves, file: "s.yml")) {
      PlantedApp(nil)
    }
    #expect(planted.exploration.files.unknown == ["text"], "\(planted)")
    #expect(planted.description.contains("Not compared on disk"), "\(planted)")
  }

  @Test("A mistake at one point of some five hundred is found, and told in four steps")
  func needle() throws {
    let scenario = try Scenario(parsing: Self.manySaves(50), file: "many.yml")
    let found = try explore(scenario) { PlantedApp(.tidies) }
    #expect(found.endCount > 450)
    #expect(found.failures.count == 1 && found.failures.first?.count == 1, "\(found)")
    #expect(found.failures.first?.rule == "DS12")
    #expect(found.failures.first?.stepCount ?? .max <= 4, "\(found)")
    // What it says fails again.
    let text = try #require(found.failures.first?.smallestScenario)
    let smallest = try Scenario(parsing: text, file: "smallest.yml")
    let life = try Simulator(smallest) { PlantedApp(.tidies) }.play()
    #expect(life.violations.map(\.rule) == ["DS12"])
    // What a rule says is not said again as a promise.
    #expect(life.brokenPromises.isEmpty)
    let mended = try Simulator(smallest) { PlantedApp(nil) }.play()
    #expect(mended.violations.isEmpty && mended.brokenPromises.isEmpty)
  }

  /// It saves when it goes to the background; one that takes a text of the same length for the same
  /// text does not save that.
  private final class ComparingApp: ApplicationDelegate {
    private let comparesLengths: Bool
    private let text = Lifetrace.Object("text")
    private var (current, saved) = ("", "")
    private var path = ""

    init(comparesLengths: Bool) { self.comparesLengths = comparesLengths }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      path = (application.dataDirectory ?? ".") + "/text"
      return true
    }

    func application(_ application: Application, told word: String, _ value: String) {
      current = value
      text.dirty { value.utf8 }
    }

    func applicationDidEnterBackground(_ application: Application) {
      guard comparesLengths ? current.count != saved.count : current != saved else { return }
      saved = current
      _ = try? Lifetrace.save(text, to: path) { current.utf8 }
    }
  }

  @Test(
    "The smallest scenario loses its edit for the reason that was found, and not one that is easier"
  )
  func sameExplanation() throws {
    let text = """
      app: comparing
      steps:
        - launch
        - tell: {say: "one"}
        - home
        - open
        - tell: {say: "longer"}
        - home
        - open
        - tell: {say: "second"}
        - home
        - suspend
      """
    let scenario = try Scenario(parsing: text, file: "comparing.yml")
    let found = try explore(scenario) { ComparingApp(comparesLengths: true) }
    #expect(found.failures.map(\.rule) == ["DS02"], "\(found)")
    // The edit behind `home` alone is lost in fewer steps, and by every app.
    let smallest = try #require(found.failures.first?.smallestScenario)
    #expect(
      smallest.split(separator: "\n").filter { $0.hasPrefix("  - ") } == [
        "  - open", "  - tell: {say: longer}", "  - home", "  - open", "  - tell: {say: second}",
        "  - purge",
      ],
      "\(smallest)"
    )
    let least = try Scenario(parsing: smallest, file: "smallest.yml")
    let life = try Simulator(least) { ComparingApp(comparesLengths: true) }.play()
    #expect(life.violations.map(\.rule).contains("DS02"))
    let mended = try Simulator(least) { ComparingApp(comparesLengths: false) }.play()
    #expect(mended.violations.isEmpty, "\(mended.violations)")
  }

  @Test("A promise that no rule knows of is told of one life, and not of the mended one")
  func brokenPromise() throws {
    let text = """
      app: planted
      steps:
        - launch
        - tell: {save: "one"}
        - purge
        - relaunch
        - purge
        - relaunch
      """
    let scenario = try Scenario(parsing: text, file: "taken.yml")
    let life = try Simulator(scenario) { PlantedApp(.takesOut) }.play()
    #expect(
      life.brokenPromises == [
        "text: the next launch found version 1 and saved nothing, and the one behind it found version 0"
      ]
    )
    let mended = try Simulator(scenario) { PlantedApp(nil) }.play()
    #expect(mended.brokenPromises.isEmpty, "\(mended.brokenPromises)")
  }

  @Test("Many points are played in little time, and all of them are counted")
  func many() throws {
    let scale = environment("LIFETRACE_TEST_SCALE").flatMap { Int($0) } ?? 1
    let saves = min(250, 4 * scale)
    let scenario = try Scenario(parsing: Self.manySaves(saves), file: "many.yml")
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
    let scenario = try Scenario(parsing: Self.manySaves(200), file: "many.yml")
    let found = try explore(scenario, within: .seconds(1)) { PlantedApp(nil) }
    #expect(found.playedCount < found.endCount)
    #expect(found.description.contains("the budget of 1 s was up"), "\(found)")
    #expect(found.description.contains("were left out"), "\(found)")
  }

  @Test("A budget that is up in the first play ends it, and its points are said not to be all")
  func budgetOfTheFirstPlay() throws {
    let scenario = try Scenario(parsing: Self.manySaves(200), file: "many.yml")
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

  @Test(
    "What is judged behind a beginning that is known is what is judged of the whole",
    arguments: [.deferred, .tidies, .writesBack] as [PlantedApp.Mistake]
  )
  func beginnings(_ mistake: PlantedApp.Mistake) throws {
    func explored(fromTheBegin: Bool, _ text: String) throws -> String {
      let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "planted")) {
        PlantedApp(mistake)
      }
      let scenario = try Scenario(parsing: text, file: "saves.yml")
      let project = try ProjectRules(scenario, profile: nil, above: #filePath)
      var explorer = Explorer(VirtualStage(makers: [maker], project: project), now: { 0 })
      explorer.judgesFromTheBegin = fromTheBegin
      var options = ExploreOptions()
      options.acts = [.purge]
      options.reduces = false
      let found = try explorer.explore(scenario, options)
      return found.lines(Paint(isOn: false)).joined(separator: "\n") + found.json().pretty()
    }
    // Short lives, and one of several marks.
    for text in [Self.saves, Self.twoLives, Self.manySaves(20)] {
      let short = try explored(fromTheBegin: false, text)
      #expect(try short == explored(fromTheBegin: true, text))
    }
  }

  @Test("A budget that is up before the first end says so, and what the play before it took")
  func budgetOfNoEnd() throws {
    let plays = PlayCount()
    let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "planted")) {
      PlantedApp(.deferred)
    }
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    let project = try ProjectRules(scenario, profile: nil, above: #filePath)
    let virtual = VirtualStage(makers: [maker], project: project)
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
      let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "planted")) {
        PlantedApp(.twoRenames)
      }
      let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
      let project = try ProjectRules(scenario, profile: nil, above: #filePath)
      let virtual = VirtualStage(makers: [maker], project: project)
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
      let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "planted")) {
        PlantedApp(mistake)
      }
      let scenario = try Scenario(parsing: Self.manySaves(4), file: "saves.yml")
      let project = try ProjectRules(scenario, profile: nil, above: #filePath)
      var explorer = Explorer(VirtualStage(makers: [maker], project: project), now: { 0 })
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

  @Test("An app that does not do the same twice is told where")
  func notDeterministic() throws {
    let scenario = try Scenario(parsing: Self.saves, file: "saves.yml")
    let error = #expect(throws: (any Error).self) {
      try explore(scenario) { FickleApp() }
    }
    #expect("\(error.map { "\($0)" } ?? "")".hasPrefix("not deterministic from event "))
  }

  /// Its texts have random lengths.
  private final class FickleApp: ApplicationDelegate {
    func application(_ application: Application, told word: String, _ value: String) {
      Lifetrace.Object("text").dirty(bytes: Int.random(in: 1...1_000_000))
    }
  }
}
