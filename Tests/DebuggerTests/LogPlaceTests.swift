// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LifetraceDebugger

/// The prompt over a recording that came from a log: its times of day, its long lists.
@Suite struct LogPlaceTests {
  private static let log = """
    app org.example.notes#1 process="My Notes" pid=7 evidence=log clock=timeOfDay
    +67087.7s notes#1 main log text="first" level=0
    +67089.2s notes#1 main log text="second" level=0
    +67150s   notes#1 main log text="third" level=0

    """

  private func answers(_ commands: String) throws -> String {
    let story = Self.log.replacing(" notes#1", with: " org.example.notes#1")
    return try TranscriptTests.run(commands, story)
  }

  @Test func placesAreTimesOfDay() throws {
    #expect(
      try answers("goto 18:38:09.2\nwhen\nset clock on\nwhen").contains(
        "Event 2 of 3, +1.500 s, 18:38:09.200"
      )
    )
    // Less exact than the first event, and meant all the same.
    for typed in ["18:38:07", "18:38"] {
      #expect(try answers("goto \(typed)\nwhen").contains("Event 1 of 3"), "\(typed)")
    }
    #expect(
      try answers("goto 12:00").contains(
        "12:00 is before the start of the recording: it is of 18:38:07.700 to 18:39:10.000."
      )
    )
    #expect(try answers("goto 20:00").contains("20:00 is after the end of the recording"))
  }

  @Test func aTimeOfDayIsOfTheDayOneStandsOn() throws {
    let days = """
      app org.example.notes#1 evidence=log clock=timeOfDay
      +67087.7s  org.example.notes#1 main log text="first" level=0
      +67150s    org.example.notes#1 main log text="second" level=0
      +153480s   org.example.notes#1 main log text="third" level=0
      +153490s   org.example.notes#1 main log text="fourth" level=0

      """
    func place(_ commands: String) throws -> String {
      let said = try TranscriptTests.run(commands + "\nwhen", days)
      return said.split(separator: "(replay) goto").last.map { String($0) } ?? ""
    }
    // 18:38:05 of the first day is before its first event, so the second is meant.
    let cases = [
      ("goto 1\ngoto 18:39:00", "At 18:39:00.000:", "Event 1 of 4"),
      ("goto 4\ngoto 18:38:02", "At 18:38:02.000, day 2:", "Event 3 of 4"),
      ("goto 1\ngoto 18:38:05", "At 18:38:05.000, day 2:", "Event 3 of 4"),
      ("goto 4\ngoto 18:39:30", "At 18:39:30.000:", "Event 2 of 4"),
      ("goto 1\ngoto 18:38", "At 18:38:07.700:", "Event 1 of 4"),
    ]
    for (commands, day, event) in cases {
      let said = try place(commands)
      #expect(said.contains(day) && said.contains(event), "\(commands)\n\(said)")
    }
  }

  @Test func timesAreAsExactAsTheLog() throws {
    #expect(try answers("goto 1").contains("18:38:07.700  org.example.notes#1:0  main"))
    let whole = Self.log.replacing(".7s", with: "s").replacing(".2s", with: "s")
      .replacing(" notes#1", with: " org.example.notes#1")
    let said = try TranscriptTests.run("goto 1\nset clock off\nwhen", whole)
    #expect(said.contains("18:38:07  org.example.notes#1:0  main"), "\(said)")
    #expect(said.contains("+0 s"), "\(said)")
  }

  @Test func anExecutableNamesItsWriter() throws {
    #expect(try answers("set only My Notes").contains("only is org.example.notes#1."))
    #expect(
      try answers("set only Nobody").contains(
        "No writer is called Nobody. The writers are: org.example.notes#1."
      )
    )
  }

  @Test func whatALogDoesNotTellIsNotCalledSaved() throws {
    let said = try answers("goto end\ndirty\ntasks")
    #expect(said.split(separator: "The log tells nothing of this").count == 3, "\(said)")
    #expect(!said.contains("would lose nothing"))
  }

  @Test func whatIsNotListedIsCounted() throws {
    let tasks = (1...130).map {
      "+\($0)s notes#1 main task.begin \"t\" id=\($0) hasHandler=false\n"
        + "+\($0).1s notes#1 main task.end id=\($0)\n"
    }
    let story =
      "app notes#1\n+0s notes#1 main process.start reason=icon app=notes\n" + tasks.joined()
    let said = try TranscriptTests.run("violations\ngoto #130\nnext violation", story)
    #expect(said.contains("Not listed are 30 of BT07: violations BT07 all lists them"), "\(said)")
    let some = try TranscriptTests.run("violations BT07", story)
    #expect(some.split(separator: "\n").count { $0.contains("BT07  warning") } == 20, "\(some)")
    #expect(
      some.contains("110 violations more: violations BT07 all lists them, next violation"),
      "\(some)"
    )
    let all = try TranscriptTests.run("violations BT07 all", story)
    #expect(all.split(separator: "\n").count { $0.contains("BT07  warning") } == 130, "\(all)")
    #expect(!all.contains("more:"))
    #expect(said.contains("Violation #130, BT07 (warning): background task"), "\(said)")
    #expect(said.hasSuffix("\nThere is no violation after this place.\n"), "\(said)")
  }
}
