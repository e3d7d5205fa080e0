// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Two small streams in a few chunks, and what a reader must find in them.
struct Sample {
  /// The bytes of the file.
  let bytes: [UInt8]
  /// Where each chunk ends, in file order, and its events.
  let chunks: [(end: Int, events: [PlainEvent])]

  /// Of a version that nobody has: it is carried along, and what strings it holds is not known.
  static let strangeKeyframe: [UInt8] = [7, 7]

  static let writers = [WriterID(high: 1, low: 2), WriterID(high: 3, low: 4)]

  init(
    folder: TestFolder,
    name: String = "sample",
    sizes: [Int] = [3, 2, 4, 1],
    seed: UInt64 = 1,
    end: Bool = true,
    writers: [WriterID] = Sample.writers,
    origin: RecordingOrigin = RecordingOrigin(),
    clocks: [ClockBracket] = [],
    fit: [ClockPiece] = [],
    talks: Bool = false,
    keyframe: [UInt8] = Sample.strangeKeyframe
  ) throws {
    var sources = [Sample.source(seed), Sample.source(seed + 1)]
    var sequences: [UInt64] = [0, 0]
    unlink(folder.file(name))
    let writer = try TraceWriter(
      path: folder.file(name),
      options: .init(.create, compacts: false)
    )
    var chunks: [(Int, [PlainEvent])] = []
    for (index, size) in sizes.enumerated() {
      let number = index % 2
      var events = sources[number].next(size)
      if talks { Self.putMessages(into: &events, areCounted: number == 0) }
      let chunk = Sample.chunk(
        events,
        writer: writers[number],
        from: sequences[number],
        names: sources[number].names,
        origin: origin,
        clocks: clocks,
        fit: fit,
        keyframe: keyframe
      )
      sequences[number] += UInt64(size)
      try writer.append(chunk)
      chunks.append(
        (Int(writer.bytes), events.map { PlainEvent($0, names: sources[number].names) })
      )
    }
    try writer.finish(end: end)
    self.chunks = chunks
    bytes = try folder.read(name)
  }

  /// A send or a receive in the place of each second event; flows are counted, or hashes.
  static func putMessages(into events: inout [Event], areCounted: Bool) {
    for index in stride(from: 0, to: events.count, by: 2) {
      let flow = UInt64(index) + 100
      var message = Event(
        index % 4 == 0 ? .messageSend : .messageReceive,
        at: events[index].time,
        identity: areCounted ? flow : flow &* 0x9e37_79b9_7f4a_7c15
      )
      message.sequence = events[index].sequence
      events[index] = message
    }
  }

  private static func source(_ seed: UInt64) -> RandomEvents { RandomEvents(seed: seed) }

  static func chunk(
    _ events: [Event],
    writer: WriterID,
    from sequence: UInt64,
    names: Names,
    origin: RecordingOrigin = RecordingOrigin(),
    clocks: [ClockBracket] = [],
    fit: [ClockPiece] = [],
    keyframe: [UInt8] = Sample.strangeKeyframe
  ) -> EncodedChunk {
    var encoder = ChunkEncoder()
    for event in events { encoder.append(event) }
    var attributes = WriterAttributes(app: "app\(writer.low)")
    attributes.origin = origin
    var header = ChunkHeader(
      writer: writer,
      attributes: attributes,
      firstSequence: sequence,
      clocks: clocks
    )
    header.fit = fit
    return encoder.finish(
      header: header,
      keyframe: keyframe,
      names: names
    )
  }
}

/// Every event that can be decoded, in file order; what cannot is in the reader's problems.
func readable(_ reader: TraceReader) throws -> [PlainEvent] {
  var events: [PlainEvent] = []
  for chunk in reader.streams.flatMap(\.chunks).sorted(by: { $0.offset < $1.offset }) {
    do throws(TraceFileError) {
      events += try reader.decode(chunk).events.map { PlainEvent($0, names: reader.names) }
    } catch {
      if error.isIO { throw error }
    }
  }
  return events
}
