// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceInterop
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// What a trace processor finds in an export is what happened, no more and no less.
@Suite struct PerfettoTests {
  static let stories = Golden.stories(with: "story.txt").map { $0 + "/story.txt" }

  @Test func thereAreManyStories() { #expect(Self.stories.count > 300) }

  @Test(arguments: stories + ["Tests/Fixtures/Export/two-apps.txt"])
  func theWholeStoryIsThere(_ path: String) throws {
    let exported = try Exported(path)
    try compare(PerfettoPicture(try exported.bytes(.perfetto)), exported)
  }

  @Test func theWholeDayIsThere() throws {
    let folder = try TestFolder()
    let writer = try TraceWriter(path: folder.path + "/day", options: .create)
    var day = DayTrace(seed: 3) { try writer.append($0) }
    try day.run(events: 20_000)
    try writer.finish(end: true)
    let reader = try TraceReader(path: folder.path + "/day")
    let exported = try Exported(FileSource(reader), title: "day")
    try compare(PerfettoPicture(try exported.bytes(.perfetto)), exported)
  }

  /// Events of any kind at any time, in threads that begin and end as they like.
  @Test(arguments: 0..<20) func whateverHappensIsThere(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var names = Names()
    let others: [EventKind] = [.loss, .processStart, .processExit, .purge]
    let kinds = KindInfo.all.map(\.kind).filter { !others.contains($0) }
    let words = (0..<6).map { UInt64(names.intern("n\($0)").rawValue) }
    let writers = (0..<3).map { writer in
      var time: Int64 = 0
      let events = (0..<400).map { sequence in
        time += Int64(random.below(4)) - (random.below(20) == 0 ? 3 : 0)
        var event = Event(
          sequence == 399 && writer == 1 ? .purge : kinds[random.below(kinds.count)],
          at: HostTime(rawValue: max(0, time)),
          thread: ThreadID(rawValue: UInt32(random.below(3))),
          sequence: UInt64(sequence)
        )
        let info = event.kind.info
        event.identity =
          info?.identity?.type == .name ? words[random.below(6)] : UInt64(random.below(8))
        event.argumentCount = UInt8(info?.fields.count ?? 0)
        for (index, field) in (info?.fields ?? []).enumerated() {
          event[index] = field.type == .name ? words[random.below(6)] : UInt64(random.below(6))
        }
        return event
      }
      return MemorySource.Writer(
        id: WriterID(high: 1, low: UInt64(writer)),
        attributes: WriterAttributes(app: "app\(writer)"),
        events: events
      )
    }
    let source = MemorySource(writers, names: names, rows: 64)
    let exported = try Exported(source, title: "seed \(seed)")
    try compare(PerfettoPicture(try exported.bytes(.perfetto)), exported)
  }

  private func compare(_ picture: PerfettoPicture, _ exported: Exported) throws {
    let expected = ExpectedPicture(exported)
    #expect(picture.problems.isEmpty, "\(picture.problems.prefix(5))")
    var extents: [ExpectedPicture.Extent: Int] = [:]
    var unsaved = extents
    var states: [String] = []
    for slice in picture.slices where !slice.process.isEmpty {
      if slice.lane == "state" {
        states.append(slice.process)
        continue
      }
      let extent = ExpectedPicture.Extent(
        process: slice.process,
        event: try #require(slice.event),
        begin: slice.begin,
        length: slice.isCut ? -2 : slice.length
      )
      if slice.name.hasPrefix("unsaved ") {
        unsaved[extent, default: 0] += 1
      } else {
        extents[extent, default: 0] += 1
      }
    }
    #expect(extents == expected.extents, "\(Self.difference(extents, expected.extents))")
    #expect(unsaved == expected.unsaved, "\(Self.difference(unsaved, expected.unsaved))")
    #expect(states.sorted() == expected.states.map { String($0.prefix { $0 != " " }) }.sorted())
    var instants: [String: [UInt64]] = [:]
    let device = picture.instants.filter { $0.process.isEmpty }.count
    for point in picture.instants where !point.process.isEmpty && point.lane != "violations" {
      instants[point.process, default: []].append(try #require(point.event))
    }
    let all = expected.instants.values.reduce(0) { $0 + $1.count }
    #expect(instants.values.reduce(device) { $0 + $1.count } == all)
    let found = picture.instants.filter { $0.lane == "violations" }.count
    #expect(found == exported.findings.violations.count + exported.findings.undecidable.count)
    var samples: [String: [[Int64]]] = [:]
    for sample in picture.samples where sample.counter != "cpu" {
      samples["\(sample.process) \(sample.counter)", default: []].append([
        sample.time, sample.value,
      ])
    }
    for (counter, values) in expected.samples {
      let ordered = values.enumerated().sorted { ($0.1[0], $0.0) < ($1.1[0], $1.0) }.map(\.1)
      #expect(samples[counter] == ordered, "\(counter)")
    }
    #expect(samples.keys.sorted() == expected.samples.keys.sorted())
    #expect(picture.arrowEvents == expected.arrows)
  }

  private static func difference(
    _ found: [ExpectedPicture.Extent: Int],
    _ expected: [ExpectedPicture.Extent: Int]
  ) -> [String] {
    found.filter { expected[$0.key] != $0.value }.prefix(3).map { "found \($0)" }
      + expected.filter { found[$0.key] != $0.value }.prefix(3).map { "expected \($0)" }
  }

  /// A part holds what reaches into it, whole, and the values of counters there.
  @Test(arguments: [85_000_000...205_000_000, 335_000_000...336_000_000, 395_000_000...500_000_000])
  func aPartIsWhatReachesIntoIt(_ span: ClosedRange<Int64>) throws {
    let exported = try Exported("Tests/Fixtures/Export/two-apps.txt")
    let whole = PerfettoPicture(try exported.bytes(.perfetto))
    let part = PerfettoPicture(try exported.bytes(.perfetto, span: span))
    #expect(part.problems.isEmpty)
    let reaching = whole.slices.filter { slice in
      slice.begin <= span.upperBound
        && (slice.length < 0 || slice.begin + slice.length >= span.lowerBound)
    }
    #expect(Set(part.slices) == Set(reaching) && part.slices.count == reaching.count)
    #expect(Set(part.instants) == Set(whole.instants.filter { span.contains($0.time) }))
    for sample in part.samples where sample.time == span.lowerBound {
      let before = whole.samples.last {
        $0.process == sample.process && $0.counter == sample.counter
          && $0.time <= span.lowerBound
      }
      #expect(sample.value == before?.value ?? 0)
    }
  }

  /// A send that reaches thousands, and a delivery that answers as many posts, are bounded.
  @Test func manyArrowsAtOneEvent() throws {
    var lines = ["app hub#1", "app leaf#1", "+0s hub#1 main message.send flow=0x1 peer=leaf"]
    for number in 1...3_000 {
      lines.append("+\(number)ms leaf#1 main message.receive flow=0x1 peer=hub")
    }
    let story = try Story.parse(lines.joined(separator: "\n"))
    let exported = try Exported(story.source, title: "many")
    let picture = PerfettoPicture(try exported.bytes(.perfetto))
    #expect(picture.problems.isEmpty && picture.arrows.count == 1_000)
    #expect(picture.instants.count == 3_001)
  }

  /// A receive is behind the first send of its flow by another; which of several it belongs to is not known.
  @Test func anArrowLeadsFromTheFirstSend() throws {
    let story = try Story.parse(
      """
      app a#1
      app b#1
      app c#1
      +1ns a#1 main message.send flow=0x1 peer=b
      +2ns a#1 main message.send flow=0x1 peer=b
      +3ns b#1 main message.receive flow=0x1 peer=a
      +4ns b#1 main message.send flow=0x1 peer=a
      +5ns a#1 main message.receive flow=0x1 peer=b
      +6ns c#1 main message.receive flow=0x1 peer=a
      +7ns b#1 main message.receive flow=0x2 peer=a
      """
    )
    let picture = PerfettoPicture(try Exported(story.source, title: "again").bytes(.perfetto))
    let first = picture.instants.map(\.time).min() ?? 0
    let arrows = picture.arrows.map { arrow in
      arrow.map { end in end.split(separator: " ").last.flatMap { Int64($0) }.map { $0 - first } }
    }
    #expect(arrows == [[0, 2], [3, 4]])
  }

  @Test func theExampleReadsSo() throws {
    let exported = try Exported("Tests/Fixtures/Export/two-apps.txt")
    let picture = PerfettoPicture(try exported.bytes(.perfetto))
    var lines = picture.slices.map { slice in
      "\(slice.begin / 1_000_000) ms + \(slice.length < 0 ? -1 : slice.length / 1_000_000) ms "
        + "\(slice.process) | \(slice.lane) | \(slice.name)\(slice.isCut ? " (cut)" : "")"
    }
    lines += picture.instants.map { point in
      "\(point.time / 1_000_000) ms \(point.process) | \(point.lane) | \(point.name) "
        + point.texts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: " ").replacing("\n", with: " / ")
    }
    lines += picture.samples.map {
      "\($0.time / 1_000_000) ms \($0.process) | \($0.counter) = \($0.value)"
    }
    lines += picture.arrows.map { "\($0[0]) -> \($0[1])" }
    let text = lines.joined(separator: "\n") + "\n"
    #expect(Golden.difference(text, "Tests/Fixtures/Export/two-apps.perfetto.txt") == nil)
  }
}
