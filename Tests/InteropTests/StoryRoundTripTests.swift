// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceInterop
import LifetraceTrace
import Support
import Testing

/// Whatever an app calls things, a dump is one line an event, and is read back to the same.
@Suite struct StoryRoundTripTests {
  private static let pieces =
    HostileText.payloads + [
      "", "a", "draft", "\"", "\\", "=", "#", "@", ":", ":7", "+5", " ", "\t", "0x1f", "5s", "12B",
      "true", "1.5", "late", "by", "site", "seq", "arg0", "identity", "version", "text", "\u{301}",
      "e\u{301}", "é", "\u{200d}", "\u{a0}", "\u{3000}", "\u{fffd}", "👩‍👧", "❤️", "\0", "\r\n", "n",
    ]

  /// One field of what an event says, as text.
  private struct Said: Equatable, CustomStringConvertible {
    var parts: [String]
    var description: String { parts.debugDescription }
  }

  private struct Source {
    var random: SeededRandom
    var names = Names()

    mutating func pick(_ bound: Int) -> Int { random.below(bound) }

    /// A few pieces, or bytes of no shape.
    mutating func text() -> String {
      if pick(8) == 0 {
        let count = pick(12)
        return String(decoding: (0..<count).map { _ in UInt8(pick(256)) }, as: UTF8.self)
      }
      return (0..<(1 + pick(3))).map { _ in StoryRoundTripTests.pieces[pick(pieces.count)] }
        .joined()
    }

    mutating func name() -> UInt64 { UInt64(names.intern(text()).rawValue) }

    mutating func event(_ sequence: Int) -> Event {
      var event = Event(
        [EventKind.mark, .dataDirty, .log][pick(3)],
        at: HostTime(rawValue: Int64(sequence) * 1_000)
      )
      let info = event.kind.info
      if info?.isNameIdentity == true { event.identity = name() }
      let fields = info?.fields ?? []
      for (index, field) in fields.enumerated() {
        event[index] = field.type == .name ? name() : UInt64(pick(3))
      }
      var site = Site(
        name: NameID(rawValue: UInt32(name())),
        file: NameID(rawValue: UInt32(name()))
      )
      site.line = site.file == .empty ? 0 : UInt32(pick(3))
      for index in 0..<pick(max(1, Event.argumentsMax - fields.count)) {
        let type = [FieldType.int, .name, .hex][pick(3)]
        site.labels.append(Field(text(), type))
        event[fields.count + index] = type == .name ? name() : UInt64(pick(9))
      }
      event.site = names.intern(site)
      event.argumentCount = UInt8(fields.count + site.labels.count)
      event.sequence = UInt64(sequence)
      return event
    }
  }

  private func said(_ event: Event, _ names: Names) -> Said {
    let site = names[event.site]
    let info = event.kind.info
    var parts = [
      "\(event.kind.rawValue)", "\(event.time.rawValue)", names[site.name], names[site.file],
      "\(site.line)", info?.isNameIdentity == true ? names[event.identityName] : "",
    ]
    for index in 0..<Int(event.argumentCount) {
      let type = info?.type(ofArgument: index, labels: site.labels) ?? .hex
      parts.append(
        type == .name ? names[NameID(rawValue: UInt32(event[index]))] : "\(event[index])"
      )
      let label = index - (info?.fields.count ?? 0)
      if label >= 0 { parts.append("\(site.labels[label].name):\(type)") }
    }
    return Said(parts: parts)
  }

  @Test(arguments: 0..<300)
  func isReadBackAsItWas(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var source = Source(random: SeededRandom(seed: seed))
    let writers = (0..<2).map { index in
      var attributes = WriterAttributes(app: source.text())
      attributes.process = source.text()
      attributes.host = source.text()
      attributes.boot = source.text()
      attributes.profile = source.text()
      return Story.Writer(
        label: "\(index)\(source.text())#1",
        id: WriterID(high: 5, low: UInt64(index)),
        attributes: attributes,
        events: (0..<6).map { source.event($0) }
      )
    }
    var lines: [String] = []
    for writer in writers {
      var out = StoryWriter()
      lines.append(out.header(for: writer.id, writer.attributes, label: writer.label))
      for event in writer.events {
        lines.append(out.next(event, names: source.names, label: writer.label))
      }
    }
    let text = lines.joined(separator: "\n")
    #expect(lines.allSatisfy(Printable.isPlain), "seed \(seed)\n\(text.debugDescription)")
    let story: Story
    do {
      story = try Story.parse(text)
    } catch {
      Issue.record("seed \(seed): \(error)\n\(text)")
      return
    }
    #expect(story.writers.count == 2)
    for (read, writer) in zip(story.writers, writers) {
      let (read2, was) = (read.attributes, writer.attributes)
      #expect(Self.same(read.label, writer.label), "seed \(seed)\n\(text)")
      for path in [\WriterAttributes.app, \.process, \.host, \.boot, \.profile] {
        #expect(Self.same(read2[keyPath: path], was[keyPath: path]), "seed \(seed)\n\(text)")
      }
      let after = read.events.map { said($0, story.names) }
      let before = writer.events.map { said($0, source.names) }
      #expect(after == before, "seed \(seed)\n\(text)")
    }
  }

  /// Strings as such are equal when they look the same.
  private static func same(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8)
  }

  /// Lines that are put together for many events are those of each, whatever names, places and numbers come.
  @Test(arguments: 0..<20)
  func linesOfManyEventsAreThoseOfEach(_ round: UInt64) {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var source = Source(random: SeededRandom(seed: seed))
    var events = (0..<80).map { source.event($0) }
    for index in events.indices where index % 7 == 3 {
      events[index].sequence += 5
      events[index].flags = EventFlags(rawValue: UInt8(index % 8))
      events[index].observerCode = UInt8(index % 6)
    }
    // The same ones again: what they share is made by then.
    events += events
    let names = source.names
    var (one, many) = (StoryWriter(), StoryWriter())
    var each = ""
    for event in events {
      let line = one.next(event, names: names, label: "notes#1")
      // Of what was not met before nothing can be left over.
      let alone = StoryWriter.words(for: event, names: names)
      #expect(line.contains(alone), "seed \(seed)\n\(line)\n\(alone)")
      each += line + "\n"
    }
    var lines = OutputBytes()
    for start in stride(from: 0, to: events.count, by: 33) {
      let some = start..<min(start + 33, events.count)
      many.putLines(
        events.span.extracting(some),
        names: { names },
        label: "notes#1",
        to: &lines
      )
    }
    #expect(lines.takeText() == each, "seed \(seed)")
  }

  @Test func numbersAreTheirDigits() {
    var random = SeededRandom(seed: SeededRandom.seed)
    var numbers: [UInt64] = [0, .max]
    var power: UInt64 = 1
    for _ in 0..<20 {
      numbers += [power - 1, power, power + 1]
      power = power.multipliedReportingOverflow(by: 10).partialValue
    }
    for shift in 0..<64 {
      numbers.append(UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64(shift))
    }
    for number in numbers {
      var line = OutputBytes(room: 1)
      line.putNumber(number)
      line.put("|")
      line.putNumber(Int64(bitPattern: number))
      #expect(line.takeText() == "\(number)|\(Int64(bitPattern: number))")
      // To the nanosecond, with three decimals or more.
      let (seconds, rest) = (number >> 1).quotientAndRemainder(dividingBy: 1_000_000_000)
      let digits = String(String(rest + 1_000_000_000).dropFirst())
      let zeros = digits.reversed().prefix { $0 == "0" }.count
      let fraction = digits.prefix(max(3, 9 - zeros))
      #expect(StoryValue.time(Int64(number >> 1)) == "+\(seconds).\(fraction)s")
    }
  }

  @Test func aQuotedKeyIsALabelWhateverItSays() throws {
    let story = try Story.parse(
      "app a#1\n+0s a#1 main mark m \"by\"=1 \"seq\"=2 \"late\"=3 \"\"=4"
    )
    let event = story.writers[0].events[0]
    #expect(story.names[event.site].labels.map(\.name) == ["by", "seq", "late", ""])
    #expect(event.arguments == (1, 2, 3, 4))
    #expect(event.observer == .own && event.sequence == 0 && event.flags.isEmpty)
  }

  @Test func theLineOfAFileIsWhatStandsBehindItsLastColon() {
    var names = Names()
    let site = Site(name: .empty, file: names.intern("C:/a.c:7"))
    var event = Event(.mark, at: HostTime(rawValue: 0))
    event.site = names.intern(site)
    #expect(StoryWriter.words(for: event, names: names) == "mark @C:/a.c:7:0")
  }
}
