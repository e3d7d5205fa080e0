// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

@testable import LifetraceProcessWorld
@testable import LifetraceScenario

/// Events that come too fast to be looked at leave what is asked of an app undecided.
@Suite struct MissedEventTests {
  private static let writer = WriterID(high: 1, low: 1)

  private static func edit(_ version: UInt64, of object: String = "draft.txt") -> Sighting {
    var names = Names()
    let event = Event(
      .dataDirty,
      at: HostTime(rawValue: Int64(version)),
      identity: UInt64(names.intern(object).rawValue),
      arguments: (version, 1, 0, 0),
      argumentCount: 2
    )
    return Sighting(event, by: writer, names: names)
  }

  private static func start() -> Sighting {
    let start = Event(.processStart, at: HostTime(rawValue: 0), argumentCount: 2)
    return Sighting(start, by: writer, names: Names())
  }

  @Test func whatFindsNoRoomIsCounted() {
    let box = SightingBox()
    let kept = SightingBox.sightingsMax
    let edit = Self.edit(1)
    for _ in 0..<kept / 1_000 {
      #expect(box.add(Array(repeating: edit, count: 1_000), [.dataDirty]))
    }
    #expect(box.add([edit, edit, edit], [.dataDirty]))
    let found = box.take()
    #expect(found.sightings.count == kept)
    #expect(found.missed == [Self.writer: 3])
    #expect(box.take().sightings.isEmpty && box.take().missed.isEmpty)
  }

  @Test func aStateBehindThemIsOpen() throws {
    let scenario = try Scenario(
      parsing: "app: notes\nsteps:\n- launch\n- expect: count data where unsaved > 0 == 1\n",
      file: "ask.yml"
    )
    let question = try #require(scenario.steps.questions.first)
    var asked = AskedEvents(scenario.steps)
    asked.add(Self.start(), of: 0)
    asked.add(Self.edit(1), of: 0)
    let holds = asked.take(question, of: 0, now: 10)
    #expect(holds)
    #expect(asked.missedWords(of: 0) == nil)
    asked.miss(7, of: 0, Self.writer)
    let isKnown = asked.take(question, of: 0, now: 10)
    #expect(!isKnown)
    #expect(asked.isOpen(question, of: 0, now: 10))
    #expect(asked.missedWords(of: 0)?.contains("7 events") == true)
    // The next life begins anew.
    var later = Self.edit(2)
    later.writer = WriterID(high: 1, low: 2)
    var start = Self.start()
    start.writer = later.writer
    asked.add(start, of: 0)
    asked.add(later, of: 0)
    let holdsAgain = asked.take(question, of: 0, now: 10)
    #expect(holdsAgain)
    #expect(asked.missedWords(of: 0) == nil)
  }

  /// More than are kept came before the step that waits for the first of them.
  @Test func whatIsForgottenIsSaid() throws {
    let scenario = try Scenario(
      parsing: """
        app: notes
        steps:
        - launch
        - wait: {after: data.dirty, name: kept.txt}
        - expect: dirty && object == "kept.txt"
        - expect: dirty && object == "other.txt"
        """,
      file: "flood.yml"
    )
    let condition = try #require(EventCondition(after: "data.dirty", name: "kept.txt"))
    let questions = scenario.steps.questions
    var (asked, seen) = (AskedEvents(scenario.steps, hitsMax: 50), SeenEvents(seenMax: 50))
    asked.add(Self.start(), of: 0)
    for version in 1...51 as ClosedRange<UInt64> {
      let edit = Self.edit(version, of: "kept.txt")
      asked.add(edit, of: 0)
      seen.add(edit, of: 0)
    }
    #expect(seen.forgottenWords(condition, of: 0)?.hasPrefix("5 events") == true)
    #expect(asked.forgottenWords(questions[0], of: 0)?.contains("5 more events") == true)
    #expect(asked.forgottenWords(questions[1], of: 0) == nil)
    #expect(asked.forgottenWords(questions[0], of: 1) == nil)
    // A step that does something begins anew.
    seen.begin(at: 1)
    asked.begin(at: 1)
    #expect(seen.forgottenWords(condition, of: 0) == nil)
    #expect(asked.forgottenWords(questions[0], of: 0) == nil)
  }

  @Test func anEventAmongThemIsOpenUntilTheNextStep() {
    var seen = SeenEvents()
    #expect(seen.missedWords(of: 0) == nil)
    seen.miss(2, of: 0)
    seen.miss(1, of: 0)
    #expect(seen.missedWords(of: 0)?.contains("3 events") == true)
    #expect(seen.missedWords(of: 1) == nil)
    seen.begin(at: 5)
    #expect(seen.missedWords(of: 0) == nil)
  }
}
