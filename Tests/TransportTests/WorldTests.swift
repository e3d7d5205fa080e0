// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import Support
import Testing

/// A sender, a server and a collector in one thread, with whatever can go wrong between them.
struct WorldTests {
  /// The chunks of a recording, as a sender has them.
  final class Source: ChunkSource {
    let chunks: [TravellingChunk]
    private var isAsked = false

    init(_ chunks: [TravellingChunk]) { self.chunks = chunks }

    let hasEnded = true
    func arrived(_ have: Have) {}
    func newChunks() -> [(identity: ChunkIdentity, session: String)] {
      defer { isAsked = true }
      return isAsked ? [] : chunks.map { ($0.identity, Session.name(of: $0.header)) }
    }
    func body(of number: Int) -> [UInt8] { chunks[number].bytes }
  }

  /// 50 chunks of one writer.
  static func chunks(seed: UInt64, in folder: TestFolder) throws -> [TravellingChunk] {
    let day = try TraceWriter(path: folder.file("day-\(seed)"), options: .create)
    var trace = DayTrace(seed: seed) { try day.append($0) }
    try trace.run(events: 2_000)
    let whole = try TraceReader(path: folder.file("day-\(seed)"))
    let first = try #require(whole.streams.flatMap(\.chunks).max { $0.eventCount < $1.eventCount })
    let decoded = try whole.decode(first)
    let small = try TraceWriter(
      path: folder.file("small-\(seed)"),
      options: .init(.create, compacts: false)
    )
    for part in 0..<50 {
      let events = decoded.events.dropFirst(part * eventsEach).prefix(eventsEach)
      var header = decoded.header
      header.firstSequence = decoded.header.firstSequence + UInt64(part * eventsEach)
      var encoder = ChunkEncoder()
      for event in events { encoder.append(event) }
      try small.append(encoder.finish(header: header, keyframe: [], names: whole.names))
    }
    let reader = try TraceReader(path: folder.file("small-\(seed)"))
    return try reader.departing().map { try reader.travelling($0) }
  }

  private static let eventsEach = 8

  /// One life: both ends are begun anew at random, and all of it must arrive once.
  private func live(seed: UInt64, _ faults: SimulatedServer.Faults) throws {
    let folder = try TestFolder()
    let chunks = try Self.chunks(seed: seed, in: folder)
    let world = try World(seed: seed, chunks, store: folder.file("store"))
    world.server.faults = faults
    var steps = 0
    while !world.isDone {
      steps += 1
      guard steps < 50_000 else {
        Issue.record("seed \(seed): \(world.sender.shipment.done) of \(chunks.count) arrived")
        return
      }
      // In the end the world is kind.
      if steps == 1_500 { world.server.faults = .init() }
      if steps < 1_500, world.server.happens(4) { world.killSender() }
      if steps < 1_500, world.server.happens(4) { try world.killCollector() }
      world.stepSender()
      try world.stepCollector()
      world.server.now += 3
    }
    world.collector = nil
    try expectOnce(chunks, in: world.store, "seed \(seed)")
  }

  private func expectOnce(
    _ chunks: [TravellingChunk],
    in store: String,
    _ comment: Comment
  ) throws {
    var found: [ChunkIdentity] = []
    for path in Collection.segments(in: store) {
      let reader = try TraceReader(path: path)
      found += reader.departing().map(\.identity)
      try reader.verify()
      #expect(reader.problems.allSatisfy { $0.kind != .damage && $0.kind != .conflict }, comment)
    }
    #expect(found.count == Set(found).count, comment)
    #expect(Set(found) == Set(chunks.map(\.identity)), comment)
  }

  @Test(arguments: 1...12)
  func allArrivesOnce(number: Int) throws {
    let seed = SeededRandom.seed &* 1_000 &+ UInt64(number)
    try live(
      seed: seed,
      .init(breaks: 8, loses: 60, doubles: 60, damages: 60, wipes: number % 3 == 0 ? 4 : 0)
    )
  }

  /// Who asks names no place to which a collector sends anything with its own rights.
  @Test func aQuestionIsAnsweredWhereAllListen() throws {
    let folder = try TestFolder()
    let world = try World(seed: 1, [], store: folder.file("store"))
    let asker = world.server.connect()
    try asker.subscribe(to: ">")
    try world.stepCollector()
    while try asker.next(within: 0) != nil {}
    let writer = WriterID(high: 1, low: 2)
    try asker.publish(
      LinkMessage(
        "ltask.acme.s",
        Array(#"["\#(writer.text)"]"#.utf8),
        reply: "$JS.API.STREAM.PURGE.LIFETRACE-acme"
      )
    )
    world.server.published = []
    try world.stepCollector()
    let published = world.server.published.filter { !$0.contains(".MSG.NEXT.") }
    #expect(published == ["lthave.acme.s"])
  }

  @Test func allArrivesWhereNothingGoesWrong() throws { try live(seed: 1, .init()) }
}

/// A sender, a server and a collector, of which the test says when each goes on.
final class World {
  let server: SimulatedServer
  let store: String
  private(set) var sender: Sender
  var collector: Collector?
  private(set) var isDone = false
  private var senderLink: (any Link)?
  private var collectorLink: (any Link)?
  private let chunks: [TravellingChunk]
  private let surroundings: Surroundings
  private let subjects: Subjects

  init(seed: UInt64, _ chunks: [TravellingChunk], store: String) throws {
    let server = SimulatedServer(seed: seed)
    self.server = server
    self.store = store
    self.chunks = chunks
    subjects = try #require(Subjects(tenant: "acme"))
    surroundings = Surroundings(
      now: { server.now },
      pause: { server.now += Int64($0) },
      random: { server.random.next() },
      shouldStop: { false },
      say: { _ in }
    )
    sender = Self.sender(chunks, subjects, surroundings, server)
    try killCollector()
  }

  private static func sender(
    _ chunks: [TravellingChunk],
    _ subjects: Subjects,
    _ surroundings: Surroundings,
    _ server: SimulatedServer
  ) -> Sender {
    Sender(WorldTests.Source(chunks), subjects, resendAfter: 6_000, surroundings) {
      () throws(LinkError) in server.connect()
    }
  }

  /// Another one begins, which knows nothing.
  func killSender() {
    sender = Self.sender(chunks, subjects, surroundings, server)
    senderLink = nil
  }

  /// Another one begins, with what is in the folder.
  func killCollector() throws {
    // The lock of the one that was killed goes with it.
    collector = nil
    collectorLink = nil
    let server = server
    let collection = try Collection(in: store) { "2026-11-23T\(10 + server.now / 20_000)" }
    collector = Collector(collection, subjects, .init(), surroundings) { () throws(LinkError) in
      server.connect()
    }
  }

  func stepSender() {
    do {
      if senderLink == nil { senderLink = try sender.begin() }
      if let senderLink { isDone = try sender.step(senderLink) }
    } catch {
      senderLink = nil
      sender.disconnect()
    }
  }

  func stepCollector() throws {
    var problem: TraceFileError?
    do {
      if collectorLink == nil { collectorLink = try collector?.begin() }
      if let collectorLink { problem = try collector?.step(collectorLink) }
    } catch {
      collectorLink = nil
    }
    if let problem { throw problem }
  }
}
