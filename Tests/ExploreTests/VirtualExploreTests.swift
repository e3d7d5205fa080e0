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

  @Test(
    "Each planted mistake is found, and called what it is",
    arguments: PlantedApp.Mistake.allCases.filter { $0 != .tidies }
  )
  func planted(_ mistake: PlantedApp.Mistake) throws {
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
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
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
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
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
    let found = try explore(scenario, ends: AppEnd.allCases) { PlantedApp(nil) }
    #expect(found.failures.isEmpty, "\(found)")
    #expect(found.playedCount == found.endCount && found.playedCount > 100)
  }

  @Test(
    "A launch that a later step of the scenario ends has come up",
    arguments: ["kill", "crash", "reboot", "purge", "terminate"]
  )
  func endedByAStep(_ step: String) throws {
    let text = """
      app: planted
      steps: [launch, {tell: {save: "one"}}, home, launch, \(step), relaunch, {tell: {save: "two"}}]
      """
    let scenario = try Scenario(parsing: text, file: "ended.yml")
    let found = try explore(scenario, ends: [.purge, .crash]) { PlantedApp(nil) }
    #expect(found.failures.isEmpty && found.playedCount > 10, "\(found)")
  }

  /// Behind an edit each of its events may be in the middle of a save.
  @Test("An app that never says that it begins to save is not accused of what is there already")
  func neverFlushing() throws {
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
    let found = try explore(scenario, ends: AppEnd.allCases) {
      PlantedApp(nil, saysFlushing: false)
    }
    #expect(found.failures.isEmpty, "\(found)")
  }

  @Test(
    "What the trace foretells at each point is what the next launch finds",
    arguments: AppEnd.allCases
  )
  func forecasts(_ end: AppEnd) throws {
    var counts = (lost: 0, kept: 0, certain: 0)
    for text in [PlantedApp.twoSaves, PlantedApp.twoLives] {
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

  /// It saves as it should and reads nothing at its launch.
  private final class CarelessApp: ApplicationDelegate {
    enum Habit {
      case keeps
      /// Told to tidy up, it empties its file.
      case tidies
      /// A launch deletes what was left, and says that it gives it up.
      case givesUp
    }
    private let habit: Habit
    private let text = Lifetrace.Object("text")
    private var path = ""

    init(_ habit: Habit) { self.habit = habit }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      path = (application.dataDirectory ?? ".") + "/text"
      if habit == .givesUp {
        text.discarded()
        unlink(path)
      }
      return true
    }

    func application(_ application: Application, told word: String, _ value: String) {
      if word == "tidy", habit == .tidies { truncate(path, 2) }
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
    let found = try explore(scenario, ends: [.purge, .crash]) { CarelessApp(.tidies) }
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
      CarelessApp(.keeps)
    }
    #expect(mended.failures.isEmpty, "\(mended)")
    #expect(mended.exploration.files.unknown.isEmpty)
    #expect(mended.description.contains("no launch said what it found of text"), "\(mended)")
    // Nothing is missed of what a launch gives up.
    let given = try explore(scenario, ends: [.purge, .crash]) { CarelessApp(.givesUp) }
    #expect(given.failures.isEmpty && !given.description.contains("no launch said"), "\(given)")
    // What an app hashes as it likes is compared with no file, and that is said.
    let planted = try explore(try Scenario(parsing: PlantedApp.twoSaves, file: "s.yml")) {
      PlantedApp(nil)
    }
    #expect(planted.exploration.files.unknown == ["text"], "\(planted)")
    #expect(planted.description.contains("Not compared on disk"), "\(planted)")
  }

  @Test(
    "What is judged behind a beginning that is known is what is judged of the whole",
    arguments: [.deferred, .tidies, .writesBack] as [PlantedApp.Mistake]
  )
  func beginnings(_ mistake: PlantedApp.Mistake) throws {
    func explored(fromTheBegin: Bool, _ text: String) throws -> String {
      let scenario = try Scenario(parsing: text, file: "saves.yml")
      var explorer = try PlantedApp.explorer(mistake, scenario)
      explorer.judgesFromTheBegin = fromTheBegin
      var options = ExploreOptions()
      options.acts = [.purge]
      options.reduces = false
      let found = try explorer.explore(scenario, options)
      return found.lines(Paint(isOn: false)).joined(separator: "\n") + found.json().pretty()
    }
    // Short lives, and one of several marks.
    for text in [PlantedApp.saves, PlantedApp.twoLives, PlantedApp.manySaves(20)] {
      let short = try explored(fromTheBegin: false, text)
      #expect(try short == explored(fromTheBegin: true, text))
    }
  }

  @Test("An app that does not do the same twice is told where")
  func notDeterministic() throws {
    let scenario = try Scenario(parsing: PlantedApp.saves, file: "saves.yml")
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
