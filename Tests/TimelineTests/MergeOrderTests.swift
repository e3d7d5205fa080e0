// SPDX-License-Identifier: Apache-2.0
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// What a merge in the order of all promises to one who reads its result, and to one who merges it again.
@Suite struct MergeOrderTests {
  /// Some writers that send each other messages, in files each of which has a part of them.
  private struct World {
    let folder: TestFolder
    var random: SeededRandom
    let source: MemorySource
    /// The chunks of all, by stream and number.
    let chunks: [(stream: Int, chunk: Int)]

    init(seed: UInt64, disorder: Int) throws {
      folder = try TestFolder()
      random = SeededRandom(seed: seed)
      var world = RandomWorld(seed: seed, disorder: disorder)
      for writer in world.writers.indices where seed % 3 == 2 {
        world.writers[writer].attributes.host = "host \(writer % 2)"
      }
      let source = world.source(rows: 1 + random.below(9))
      self.source = source
      chunks = source.streams.indices.flatMap { stream in
        source.streams[stream].chunks.indices.map { (stream, $0) }
      }
    }

    /// How many events there are.
    var count: Int { source.streams.flatMap(\.chunks).reduce(0) { $0 + $1.eventCount } }

    func write(_ parts: [(stream: Int, chunk: Int)], to name: String) throws -> String {
      let path = folder.file(name)
      let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
      for (stream, chunk) in parts {
        var encoder = ChunkEncoder()
        let id = StreamID(rawValue: UInt32(stream))
        for event in source.events(chunk: chunk, of: id) { encoder.append(event) }
        let facts = source.streams[stream]
        let header = ChunkHeader(
          writer: facts.writer,
          attributes: facts.attributes,
          firstSequence: facts.chunks[chunk].firstSequence
        )
        try writer.append(encoder.finish(header: header, keyframe: [], names: source.names))
      }
      try writer.finish(end: true)
      return path
    }

    /// Files that have all chunks together, some of them several times; none is empty.
    mutating func files(_ count: Int) throws -> [String] {
      var parts = Array(repeating: [(stream: Int, chunk: Int)](), count: count)
      for chunk in chunks.shuffled(using: &random) {
        let owner = random.below(count)
        for file in parts.indices where file == owner || random.below(3) == 0 {
          parts[file].append(chunk)
        }
      }
      return try parts.enumerated().filter { !$0.element.isEmpty }
        .map { try write($0.element, to: "\($0.offset).lifetrace") }
    }
  }

  /// Merges files; the path of the result.
  private func merge(_ paths: [String], _ folder: TestFolder, _ name: String) throws -> String {
    let order = Timeline(JoinedSource(try JoinedTraces(paths.map { try TraceReader(path: $0) })))
      .chunkOrder()
    let path = folder.file(name)
    _ = try TraceCopy.make(path, from: paths, inOrder: order)
    return path
  }

  /// Each event of a file in the order of replay.
  private func events(_ path: String) throws -> [String] {
    let timeline = Timeline(FileSource(try TraceReader(path: path)))
    var here = timeline.start
    var found: [String] = []
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      let writer = timeline.streams[Int(place.stream.rawValue)].writer
      let time = timeline.time(of: event).rawValue
      found.append("\(writer) \(event.sequence) \(event.kind) \(event.identity) \(time)")
    }
    return found
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func mergingAgainOrOtherwiseIsTheSame(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var world = try World(seed: seed, disorder: Int(round % 3) * 20)
    let folder = world.folder
    let files = try world.files(3)
    guard files.count == 3 else { return }
    let all = try merge(files, folder, "all")
    let expected = try events(all)
    #expect(expected.count == world.count, "seed \(seed)")
    let bytes = try folder.read("all")
    func check(_ paths: [String], _ name: String) throws {
      #expect(try events(try merge(paths, folder, name)) == expected, "\(name), seed \(seed)")
      #expect(try folder.read(name) == bytes, "\(name), seed \(seed)")
    }
    try check([all], "of itself")
    try check([all, files[1], all], "with a part again")
    try check(files.reversed(), "the other way round")
    let first = try merge([files[0], files[1]], folder, "first")
    try check([first, files[2]], "the first two first")
    let last = try merge([files[2], files[1]], folder, "last")
    try check([files[0], last], "the last two first")
    let plain = folder.file("plain")
    _ = try TraceCopy.make(plain, from: files)
    #expect(try events(plain) == expected, "copied, seed \(seed)")
  }

  /// All events that stand before a chunk's first are in the chunks before it.
  @Test(arguments: 0..<60 as Range<UInt64>)
  func whatStandsBeforeAChunkIsInFrontOfIt(_ round: UInt64) throws {
    let seed = SeededRandom.seed &* 1_000 &+ round
    var world = try World(seed: seed, disorder: Int(round % 3) * 20)
    guard world.count > 0 else { return }
    let path = try merge(try world.files(2), world.folder, "all")
    let reader = try TraceReader(path: path)
    let timeline = Timeline(FileSource(reader))
    let order = timeline.chunkOrder()
    let chunks = reader.streams.flatMap { stream in stream.chunks.map { (stream, $0) } }
      .sorted { $0.1.offset < $1.1.offset }
    for (place, (stream, chunk)) in chunks.enumerated() {
      let time = order(stream.writer, chunk.firstSequence)
      for (stream, chunk) in chunks[place...] {
        let id = timeline.place(of: stream.id, sequence: chunk.firstSequence)
        let first = try #require(id)
        for row in 0..<chunk.summary.eventCount {
          let event = EventPlace(stream: first.stream, index: first.index + row)
          #expect(timeline.orderTime(of: event) >= time, "chunk \(place), seed \(seed)")
        }
      }
    }
  }

  /// Whoever reads from the front and knows nothing but what was read, and when the next chunk begins, meets
  /// no receive before its send, holding what the writers that live have in one chunk each.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func aReaderFromTheFrontMeetsNoReceiveBeforeItsSend(_ round: UInt64) throws {
    let seed = (SeededRandom.seed &* 1_000 &+ round) * 3
    var world = try World(seed: seed, disorder: 0)
    guard world.count > 0 else { return }
    let path = try merge(try world.files(2), world.folder, "all")
    let reader = try TraceReader(path: path)
    let chunks = reader.streams.flatMap(\.chunks).sorted { $0.offset < $1.offset }
    let rows = chunks.map(\.summary.eventCount).max() ?? 0
    var held: [Event] = []
    var sent: Set<UInt64> = []
    var latest = Int64.min
    var count = 0
    func letGo(before time: Int64) {
      let ready = held.filter { $0.time.rawValue < time }.sorted { one, other in
        one.time != other.time
          ? one.time < other.time
          : one.kind == .messageSend && other.kind != .messageSend
      }
      held.removeAll { $0.time.rawValue < time }
      for event in ready {
        if event.kind == .messageSend { sent.insert(event.identity) }
        #expect(event.time.rawValue >= latest, "seed \(seed)")
        latest = event.time.rawValue
        count += 1
        if event.kind == .messageReceive {
          #expect(sent.contains(event.identity), "\(event.identity), seed \(seed)")
        }
      }
    }
    for chunk in chunks {
      letGo(before: chunk.summary.firstTime.rawValue)
      held += try reader.decode(chunk).events
      let ahead = held.count { $0.time > chunk.summary.firstTime }
      #expect(ahead <= rows * reader.streams.count, "seed \(seed)")
    }
    letGo(before: .max)
    #expect(held.isEmpty && count == world.count, "seed \(seed)")
  }
}
