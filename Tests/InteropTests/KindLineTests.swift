// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

@testable import LifetraceInterop

/// A kind that this version does not know is written with its own words, and reads back.
@Suite struct KindLineTests {
  private let kind = EventKind(rawValue: 200)

  private func story(
    _ name: String,
    fields: [Field],
    identity: Field? = Field("who", .name)
  ) -> Story {
    var names = Names()
    names.teach(
      KindInfo(
        describing: kind,
        name: name,
        family: .work,
        identity: identity,
        fields: fields,
        ending: EventKind(rawValue: 201)
      )
    )
    let who = UInt64(names.intern("the pump").rawValue)
    let site = names.intern(Site(name: names.intern("main hall"), file: names.intern("a.swift")))
    let events = (0..<2).map { number in
      var event = Event(
        kind,
        at: HostTime(rawValue: Int64(number)),
        site: site,
        identity: who,
        argumentCount: UInt8(min(fields.count, Event.argumentsMax))
      )
      event.sequence = UInt64(number)
      event.stream = StreamID(rawValue: 0)
      for (index, field) in fields.prefix(Event.argumentsMax).enumerated() {
        event[index] = field.type == .name ? who : 70_000
      }
      return event
    }
    let writer = Story.Writer(
      label: "a#1",
      id: WriterID(high: 1, low: 2),
      attributes: WriterAttributes(app: "a"),
      events: events
    )
    return Story(writers: [writer], names: names)
  }

  private func text(_ story: Story) -> String {
    var writer = StoryWriter()
    var lines: [String] = []
    for one in story.writers {
      lines.append(writer.header(for: one.id, one.attributes, label: one.label))
      for event in one.events {
        lines.append(writer.next(event, names: story.names, label: one.label))
      }
    }
    return lines.joined(separator: "\n")
  }

  @Test func itsLineStandsOnceBeforeItsEvents() throws {
    let fields = [Field("to", .name), Field("size", .bytes), Field("took", .duration)]
    let story = story("alien.begin", fields: fields)
    let said = text(story)
    let line =
      "kind 200 alien.begin family=work ending=201 identity=who:name field=to:name "
      + "field=size:bytes field=took:duration"
    #expect(said.split(separator: line).count == 2, "\(said)")
    let event =
      "a#1 main alien.begin \"the pump\" site=\"main hall\" to=\"the pump\" size=70000 took=70us"
      + " @a.swift"
    #expect(said.hasSuffix(event), "\(said)")
    let again = try Story.parse(said)
    #expect(text(again) == said)
    #expect(again.names.info(of: kind) == story.names.info(of: kind))
    let read = again.writers[0].events[1]
    #expect(read.kind == kind && again.names[read.identityName] == "the pump")
  }

  /// Words that a line has a meaning for, or that cannot stand in it, leave the number.
  @Test(arguments: [
    ("two words", ["x"]), ("data.dirty", ["x"]), ("kind.7", ["x"]), ("alien.begin", ["seq"]),
    ("alien.begin", ["a=b"]), ("alien.begin", ["x", "x"]), ("alien.begin", [""]),
    ("alien.begin", ["a", "b", "c", "d", "e"]), ("alien.begin", ["who"]),
  ])
  func hostileWordsLeaveTheNumber(name: String, fields: [String]) throws {
    let said = text(story(name, fields: fields.map { Field($0, .int) }))
    #expect(!said.contains("kind 200"), "\(said)")
    #expect(said.contains("a#1 main kind.200 "), "\(said)")
    #expect(text(try Story.parse(said)) == said)
  }

  @Test(arguments: [
    ("kind", 1), ("kind x a.b", 1), ("kind 200 a.b family=none", 14),
    ("kind 200 a.b ending=x", 14), ("kind 200 a.b field=x", 14), ("kind 200 a.b field=x:odd", 14),
    ("kind 200 a.b colour=red", 14), ("kind 200 data.dirty", 10), ("kind 200 a.b field=by:int", 10),
  ])
  func saysWhatIsWrong(line: String, column: Int) {
    let error = #expect(throws: StoryError.self) { try Story.parse(line) }
    #expect(error?.column == column, "\(String(describing: error))")
  }

  @Test func aKindThatThisVersionKnowsIsItsOwn() throws {
    let number = EventKind.mark.rawValue
    let story = try Story.parse(
      "kind \(number) bookmark family=test\napp a#1\n+1s a#1 main bookmark here"
    )
    #expect(story.writers[0].events[0].kind == .mark)
    #expect(text(story).hasSuffix("main mark here"))
  }
}
