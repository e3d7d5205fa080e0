// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceJudging

/// Rules that go on as a recording grows say what rules say that begin anew.
@Suite struct GrowingFindingsTests {
  /// A recording of which only the first events are there yet, in the order in which they are settled.
  private final class Growing: EventSource {
    private let whole: MemorySource
    private let order: Timeline
    private var cursors: [Int]

    init(_ writers: [MemorySource.Writer], _ names: Names) {
      // A chunk holds one event: so it can grow by each.
      whole = MemorySource(writers, names: names, rows: 1)
      order = Timeline(whole, ordersMessages: false)
      cursors = order.streams.map { _ in 0 }
    }

    var count: Int { order.count }
    func grow(to count: Int) { cursors = order.position(ordinal: count).cursors }

    var names: Names { whole.names }
    let settles = true
    var streams: [SourceStream] {
      let known = (cursors.lastIndex { $0 > 0 } ?? -1) + 1
      return whole.streams.prefix(known).enumerated().map { number, stream in
        var stream = stream
        stream.chunks.removeLast(stream.chunks.count - cursors[number])
        return stream
      }
    }

    func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
      whole.decode(chunk: chunk, of: stream)
    }
    func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
    func state(decoding keyframe: [UInt8]) -> LifeState? { nil }
  }

  /// The catalogue's rules, and one of a project for each pattern.
  private static func judgement() throws -> Judgement {
    func events(_ text: String) throws -> EventSelector { try EventSelector(text) }
    let bounds = OwnRule.Bounds(since: try events("suspend"), until: try events("resume"))
    let always = OwnRule.Bounds(since: nil, until: nil)
    let forms: [OwnRule.Form] = [
      .within(
        OwnRule.Span(try events("dirty"), try events("data.durable")),
        limit: 2_000_000_000,
        isRunning: true
      ),
      .order(OwnRule.Span(try events("data.durable"), try events("purge")), since: nil),
      .pair(
        OwnRule.Span(try events("resource.acquire"), try events("resource.release")),
        before: try events("suspend")
      ),
      .never(try events("dirty && count data > 1"), bounds),
      .always(try events("background"), holds: try events("all data where unsaved == 0"), always),
      .atMost(try events("dirty"), count: 2, per: 5_000_000_000, .identity),
    ]
    let own = forms.enumerated().map { number, form in
      OwnRule(id: "APP0\(number + 1)", form, origin: "lifetrace.yml:\(number + 1)")
    }
    return Judgement(of: RuleSet(own: own))
  }

  private static func expectEqual(_ grown: Findings, _ fresh: Findings, _ what: String) {
    #expect(Array(grown.violations) == Array(fresh.violations), "\(what)")
    #expect(Array(grown.undecidable) == Array(fresh.undecidable), "\(what)")
    #expect(grown.unjudged == fresh.unjudged, "\(what)")
    #expect(grown.unplaced.map { "\($0)" } == fresh.unplaced.map { "\($0)" }, "\(what)")
  }

  /// Grows at random, and stops a judgement now and then; how many verdicts were compared.
  private static func grow(_ source: Growing, _ seed: UInt64, placesMax: Int = 100_000) throws
    -> Int
  {
    var random = SeededRandom(seed: seed)
    let judgement = try judgement()
    var count = min(source.count, 1)
    source.grow(to: count)
    let timeline = Timeline(source)
    var growing = GrowingFindings(judgement, placesMax: placesMax)
    var compared = 0
    while true {
      if random.once(in: 3) {
        var left = random.below(4)
        _ = try? growing.findings(of: timeline) {
          left -= 1
          return left < 0
        }
      }
      let grown = try growing.findings(of: timeline)
      let fresh = try Findings(Timeline(source), by: judgement, placesMax: placesMax)
      expectEqual(grown, fresh, "seed \(seed), \(count) events")
      compared += fresh.violations.count + fresh.undecidable.count
      guard count < source.count else { return compared }
      count = min(source.count, count + 1 + random.below(max(1, source.count / 8)))
      source.grow(to: count)
      _ = timeline.grow()
    }
  }

  @Test(arguments: EqualVerdictsTests.stories)
  func aStory(_ file: String) throws {
    let story = try Story.parse(try #require(Golden.text(file)))
    let writers = story.writers.map {
      MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $0.events)
    }
    _ = try Self.grow(Growing(writers, story.names), SeededRandom.seed)
  }

  /// Stopped again and again in the middle of chunks, the rules go on where they were.
  @Test func inTheMiddleOfAChunk() throws {
    var day = DayOfAppLife(seed: 3)
    var events: [Event] = []
    day.session { writer, event in
      if writer == 0, events.count < 2 * JudgingStep.eventsMax { events.append(copy event) }
    }
    let app = MemorySource.Writer(
      id: day.writers[0].id,
      attributes: day.writers[0].attributes,
      events: events
    )
    let timeline = Timeline(MemorySource([app], names: day.names))
    #expect(timeline.streams[0].chunks.contains { $0.eventCount > JudgingStep.eventsMax })
    let judgement = Judgement()
    var growing = GrowingFindings(judgement)
    var stops = 0
    while true {
      var asked = 0
      do throws(SearchInterrupted) {
        let grown = try growing.findings(of: timeline) {
          asked += 1
          return asked > 1 + stops
        }
        Self.expectEqual(grown, try Findings(timeline, by: judgement), "\(stops) stops")
        break
      } catch {
        stops += 1
      }
    }
    #expect(stops > 0)
  }

  /// Two lives of an app, and others beside it, in which everything happens that no sane process does.
  private static func strange(_ seed: UInt64, events: Int) -> Growing {
    var random = SeededRandom(seed: seed)
    var strange = StrangeEvents(seed: seed)
    let roles: [ProcessRole] = [.app, .app, .daemon, .bystander, .app]
    let writers = roles.enumerated().map { number, role in
      var attributes = WriterAttributes(app: "app\(number / 2)", role: role)
      attributes.started = HostTime(rawValue: Int64(random.below(50)))
      return MemorySource.Writer(
        id: WriterID(high: 5, low: UInt64(number)),
        attributes: attributes,
        events: strange.next(events)
      )
    }
    return Growing(writers, strange.names)
  }

  @Test(arguments: 0..<30)
  func strangeLives(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 31 &+ round
    let compared = try Self.grow(Self.strange(seed, events: 60), seed)
    #expect(compared > 0, "seed \(seed)")
  }

  @Test func moreThanHasAPlaceAndMoreThanIsKept() throws {
    let source = Self.strange(7, events: 900)
    let compared = try Self.grow(source, 7, placesMax: 700)
    #expect(compared > 1_400)
  }

  @Test func whatWasJudgedIsNotJudgedAgain() throws {
    let writer = MemorySource.Writer(
      id: WriterID(high: 1, low: 1),
      attributes: WriterAttributes(app: "notes"),
      events: (0..<100).map { Event(.mark, at: HostTime(rawValue: $0)) }
    )
    let source = Growing([writer], Names())
    source.grow(to: 10)
    let timeline = Timeline(source)
    var growing = GrowingFindings(try Self.judgement())
    for (count, new) in [(10, 10), (10, 0), (11, 1), (90, 79), (100, 10)] {
      source.grow(to: count)
      _ = timeline.grow()
      var judged = 0
      _ = try growing.findings(of: timeline, progress: { judged = $0 })
      #expect(judged == new, "\(count) events")
    }
  }
}
