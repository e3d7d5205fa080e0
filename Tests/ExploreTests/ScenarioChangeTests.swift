// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTrace
import Testing

/// Changes of one thing in a scenario, and scenarios as recordings keep them.
@Suite struct ScenarioChangeTests {
  private static let text = """
    app: notes
    steps:
      - launch
      - repeat: {times: 2, steps: [{tell: {edit: hello}}, {wait: 1s}]}
      - home
      - purge
      - relaunch
    """

  private static func lines(_ changes: String...) throws -> [String] {
    var scenario = try Scenario(parsing: text, file: "edit.yml")
    for change in changes { try scenario.change(try ScenarioChange(change)) }
    return scenario.steps.map(scenario.line)
  }

  @Test("Each form changes what it says, and nothing else")
  func forms() throws {
    let flat = [
      "launch", "tell: {edit: hello}", "wait: 1s", "tell: {edit: hello}", "wait: 1s", "home",
      "purge",
      "relaunch",
    ]
    var later = flat
    later.insert("wait: 300ms", at: 3)
    #expect(try Self.lines("tell 2 +300ms") == later)
    #expect(try Self.lines("step 4 +300ms") == later)
    #expect(try Self.lines("no home") == flat.filter { $0 != "home" })
    let other = flat.map { $0 == "purge" ? "reboot" : $0 }
    #expect(try Self.lines("purge = reboot") == other)
    let words = flat.map { $0 == "home" ? "tell: {edit: \"a b\"}" : $0 }
    #expect(try Self.lines("home = tell: {edit: a b}") == words)
    #expect(try Self.lines("no step 1", "no step 1") == Array(flat.dropFirst(2)))

    var scenario = try Scenario(parsing: Self.text, file: "edit.yml")
    for change in ["profile ios7", "time-scale 0.1", "seed 9", "suspend +300ms", "suspend -50ms"] {
      try scenario.change(try ScenarioChange(change))
    }
    #expect(scenario.profile == "ios7" && scenario.timeScale == 0.1 && scenario.seed == 9)
    #expect(scenario.suspendAfter == 350_000_000)
    // What is no step is not written out.
    #expect(scenario.steps.contains { $0.name == .repeated })
  }

  @Test(
    "What cannot be is refused",
    arguments: [
      "", "purge", "purge + 3s", "+3s", "purge +soon", "purge =", "no", "no purge 2", "no step 9",
      "step 0 +1s", "profile", "profile ios99", "time-scale fast", "time-scale 0", "seed -1",
      "purge = explode", "suspend +2h", "home 1 2 +3s",
    ]
  )
  func refused(_ change: String) {
    #expect(throws: ScenarioChange.Problem.self, "\(change)") { try Self.lines(change) }
  }

  @Test(
    "What is changed stands where the step stands that it is about; the others stay where they are"
  )
  func places() throws {
    let text = """
      # A life
      app: notes

      steps:
        - launch

        - tell:
            edit: hello
        # and away
        - home
        - purge
      """
    var scenario = try Scenario(parsing: text, file: "edit.yml")
    for change in ["home +300ms", "purge = reboot", "profile ios7"] {
      try scenario.change(try ScenarioChange(change))
    }
    #expect(
      scenario.steps.map(scenario.line) == [
        "launch", "tell: {edit: hello}", "wait: 300ms", "home", "reboot",
      ]
    )
    #expect(scenario.steps.map(\.place.line) == [5, 7, 10, 10, 11])
  }

  @Test("What a recording keeps is the scenario with its commands, unless it is too long")
  func kept() throws {
    let scenario = try Scenario(parsing: Self.text, file: "edit.yml")
    var kept = KeptScenario(scenario, commands: [["./notes", "--x y"]])
    kept.folder = "/home/a"
    kept.programs = [.init(path: "/home/a b/notes", bytes: 12, checksum: 0xab12)]
    kept.observes = true
    var names = Names()
    let event = kept.event.event(at: HostTime(rawValue: 0), names: &names) { $2.intern($0) }
    let read = try #require(KeptScenario(event, names))
    #expect(read == kept)
    let again = try read.scenario()
    #expect(again.apps[0].command == ["./notes", "--x y"])
    // Where the file has them, which is not where the text that is kept would have them.
    #expect(again.flattened.steps.map(\.place) == scenario.flattened.steps.map(\.place))
    #expect(again.flattened.steps.map(again.line) == scenario.flattened.steps.map(scenario.line))

    var long = scenario
    long.steps = Array(repeating: scenario.steps[0], count: 10_000)
    #expect(KeptScenario(long).text.isEmpty && KeptScenario(long).bytes > 100_000)
    #expect(throws: HostError.self) { try KeptScenario(long).scenario() }
    // One without places, or with as many as another scenario has, is played all the same.
    for places in [[], [ScenarioPlace(line: 9, column: 1)]] {
      var other = kept
      other.places = places
      #expect(try other.scenario().steps.count == scenario.steps.count)
    }
    var redacted = kept
    redacted.text = redacted.text.replacing("hello", with: "[redacted 1]")
    #expect(throws: HostError.self) { try redacted.scenario() }
  }
}
