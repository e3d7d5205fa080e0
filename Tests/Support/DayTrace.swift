// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
public import LifetraceTrace

/// A day of app life as chunks: folded, with keyframes, sealed at full chunks and at the end of
/// each incarnation.
public struct DayTrace {
  /// Takes the finished chunks.
  private let output: (EncodedChunk) throws -> Void
  private var day: DayOfAppLife
  private var streams: [DayStream] = []
  /// Events made so far.
  public private(set) var events = 0

  private struct DayStream {
    var encoder = ChunkEncoder()
    var state = LifeState()
    /// The state before the encoder's first event.
    var keyframe: [UInt8] = []
    var firstSequence: UInt64 = 0
    var fullAt: UInt64 = 0
  }

  /// The day of a seed.
  public init(seed: UInt64, output: @escaping (EncodedChunk) throws -> Void) {
    day = DayOfAppLife(seed: seed)
    self.output = output
  }

  /// Goes on until there are `count` events, then seals what is open.
  public mutating func run(events count: Int) throws {
    while events < count {
      var batch: [(Int, Event)] = []
      day.session { writer, event in batch.append((writer, copy event)) }
      for (writer, event) in batch where events < count {
        while streams.count <= writer {
          streams.append(DayStream())
          streams[streams.count - 1].keyframe = LifeState().encode(names: day.names)
        }
        streams[writer].encoder.append(event)
        streams[writer].state.apply(event, names: day.names)
        events += 1
        if streams[writer].encoder.isFull || event.kind == .purge { try seal(writer) }
      }
    }
    for writer in streams.indices { try seal(writer) }
  }

  private mutating func seal(_ writer: Int) throws {
    guard streams[writer].encoder.count > 0 else { return }
    let count = streams[writer].encoder.count
    var stream = streams[writer]
    streams[writer].encoder = ChunkEncoder()
    let isFull =
      stream.keyframe.count * 10 <= count * 4
      || stream.firstSequence >= stream.fullAt + UInt64(8 * Chunk.rowsMax)
      || stream.firstSequence == 0
    if isFull { stream.fullAt = stream.firstSequence }
    let chunk = stream.encoder.finish(
      header: ChunkHeader(
        writer: day.writers[writer].id,
        attributes: day.writers[writer].attributes,
        firstSequence: stream.firstSequence,
        clocks: [ClockBracket(tick: 0, monotonic: 0, boottime: 0, real: 0)],
        keyframe: isFull ? .full : .continued(from: stream.fullAt)
      ),
      keyframe: isFull ? stream.keyframe : [],
      names: day.names
    )
    stream.firstSequence += UInt64(count)
    stream.keyframe = stream.state.encode(names: day.names)
    streams[writer] = stream
    try output(chunk)
  }
}
