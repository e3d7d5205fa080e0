// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJudging
import LifetraceLifecycle
import LifetracePlatform
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

@testable import LifetraceDebugger

/// What the rules said is kept, comes back word for word, and is believed of nothing else.
@Suite struct VerdictCacheTests {
  /// Recordings with fewer events are not kept here.
  private static let eventsMin = 100

  /// So many events that it is worth it, most of them behind what a story tells.
  private static func source(_ name: String) throws -> MemorySource {
    let story = try Story.parse(try #require(Golden.text(name)))
    var writers = story.writers.map {
      MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $0.events)
    }
    let last = writers.flatMap(\.events).map(\.time.rawValue).max() ?? 0
    var attributes = WriterAttributes(app: "filler", role: .daemon)
    attributes.started = HostTime(rawValue: last)
    writers.append(
      MemorySource.Writer(
        id: WriterID(high: 9, low: 9),
        attributes: attributes,
        events: (0..<eventsMin).map {
          Event(.mark, at: HostTime(rawValue: last + Int64($0)))
        }
      )
    )
    return MemorySource(writers, names: story.names)
  }

  private struct Place {
    let folder: TestFolder
    let recording: String
    let cache: String

    init() throws {
      folder = try TestFolder()
      recording = try folder.write("what stands for the recording", to: "run.lifetrace")
      cache = folder.path + "/verdicts"
    }

    func open(_ configuration: String = "") -> VerdictCache {
      VerdictCache(of: recording, in: cache, Array(configuration.utf8), eventsMin: eventsMin)
    }

    /// The one file in it.
    func file() throws -> String { "verdicts/\(try #require(namesInDirectory(cache).first))" }
  }

  private func expectEqual(_ left: Findings?, _ right: Findings) {
    #expect(left.map { Array($0.violations) } == Array(right.violations))
    #expect(left.map { Array($0.undecidable) } == Array(right.undecidable))
    #expect(left?.unjudged == right.unjudged)
    #expect(left?.unplaced.map { "\($0)" } == right.unplaced.map { "\($0)" })
  }

  @Test(arguments: [
    "Traces/tour/recording.txt", "Traces/DS01-broken/story.txt", "Traces/DL01-broken/story.txt",
    "Traces/NQ01-broken/story.txt", "Traces/BT01-broken/story.txt",
  ])
  func itComesBackWordForWord(_ story: String) throws {
    let place = try Place()
    let timeline = Timeline(try Self.source(story))
    let judgement = Judgement()
    #expect(place.open().findings(judgement, timeline) == nil)
    let found = try Findings(timeline, by: judgement)
    #expect(!found.violations.isEmpty)
    place.open().keep(found, judgement, timeline)
    let again = place.open()
    expectEqual(again.findings(judgement, timeline), found)
    #expect(again.takeNews().isEmpty)
    // Another profile has other verdicts, and so have other rules of a project.
    #expect(place.open().findings(Judgement(profile: .ios13), timeline) == nil)
    #expect(place.open("rules:").findings(judgement, timeline) == nil)
    expectEqual(place.open().findings(judgement, timeline), found)
  }

  @Test func ofAnotherRecordingItIsDropped() throws {
    let place = try Place()
    let timeline = Timeline(try Self.source("Traces/tour/recording.txt"))
    let judgement = Judgement()
    place.open().keep(try Findings(timeline, by: judgement), judgement, timeline)
    let file = try place.file()
    try place.folder.write("what stands for another one by now", to: "run.lifetrace")
    let cache = place.open()
    #expect(cache.findings(judgement, timeline) == nil)
    #expect(cache.takeNews().first?.contains("another recording") == true)
    #expect(access("\(place.folder.path)/\(file)", F_OK) != 0)
    #expect(cache.takeNews().isEmpty)
  }

  /// Cut anywhere, or with any byte another one, it is dropped, and that is said.
  @Test func damagedItIsDropped() throws {
    let place = try Place()
    let timeline = Timeline(try Self.source("Traces/tour/recording.txt"))
    let judgement = Judgement()
    place.open().keep(try Findings(timeline, by: judgement), judgement, timeline)
    let file = try place.file()
    let bytes = try place.folder.read(file)
    var random = SeededRandom(seed: SeededRandom.seed)
    for round in 0..<200 {
      var other = bytes
      let at = random.below(bytes.count)
      if round.isMultiple(of: 2) {
        other.removeLast(bytes.count - at)
      } else {
        other[at] ^= UInt8(1 + random.below(255))
      }
      try place.folder.write(other, to: file)
      let cache = place.open()
      #expect(cache.findings(judgement, timeline) == nil, "round \(round) byte \(at)")
      #expect(!cache.takeNews().isEmpty, "round \(round) byte \(at)")
    }
  }

  @Test func thePromptUsesIt() throws {
    let place = try Place()
    func violations() throws -> (answer: [String], judged: Int) {
      var options = DebuggerOptions(title: "run")
      options.verdicts = place.open()
      let player = Player(Timeline(try Self.source("Traces/tour/recording.txt")))
      let session = Session(player, options, hasColor: false)
      var judged = 0
      session.hearsProgress = { _, done, _ in judged = done }
      return (try session.say("violations"), judged)
    }
    let first = try violations()
    #expect(first.judged > 0)
    let second = try violations()
    #expect(second.judged == 0)
    #expect(second.answer == first.answer)
  }

  /// What points to a stream or a rule that there is not is none, whatever its checksum says.
  @Test func whatPointsNowhereIsNone() throws {
    let timeline = Timeline(try Self.source("Traces/tour/recording.txt"))
    let infos = Judgement().table.infos
    let json = try #require(try Findings(timeline, by: Judgement()).json(infos))
    #expect(Findings(json, infos, streams: timeline.streams.count) != nil)
    #expect(Findings(json, infos, streams: 0) == nil)
    #expect(Findings(json, Array(infos.dropLast()), streams: timeline.streams.count) == nil)
    #expect(Findings(.object([]), infos, streams: timeline.streams.count) == nil)
  }

  @Test func whatIsSmallIsNotKept() throws {
    let place = try Place()
    let story = try Story.parse(try #require(Golden.text("Traces/tour/recording.txt")))
    let timeline = Timeline(story.source)
    place.open().keep(try Findings(timeline, by: Judgement()), Judgement(), timeline)
    #expect(access(place.cache, F_OK) != 0)
  }
}
