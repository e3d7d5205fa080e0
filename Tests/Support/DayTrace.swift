// SPDX-License-Identifier: Apache-2.0
internal import LifetraceAssembly
public import LifetraceTrace

/// A day of app life as chunks: folded, with keyframes, sealed at full chunks and at the end of
/// each incarnation.
public struct DayTrace {
  /// Takes the finished chunks.
  private let output: (EncodedChunk) throws -> Void
  private var day: DayOfAppLife
  private var streams: [StreamAssembler] = []
  /// Events made so far.
  public private(set) var events = 0

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
        while streams.count <= writer { streams.append(StreamAssembler()) }
        streams[writer].append(event, day.names)
        events += 1
        if streams[writer].isFull || event.kind == .purge { try seal(writer) }
      }
    }
    for writer in streams.indices { try seal(writer) }
  }

  private mutating func seal(_ writer: Int) throws {
    guard !streams[writer].isEmpty else { return }
    let header = ChunkHeader(
      writer: day.writers[writer].id,
      attributes: day.writers[writer].attributes,
      firstSequence: 0,
      clocks: [ClockBracket(tick: 0, monotonic: 0, boottime: 0, real: 0)]
    )
    try output(streams[writer].seal(header, names: day.names))
  }
}
