// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What takes the place of events of a writer that are gone.
struct StandIn {
  var writer: WriterID
  var attributes: WriterAttributes
  var sequence: UInt64
  var time: HostTime
  /// 0 when their number is unknown.
  var count: UInt64
  /// The chunk from which the state is folded; its own number where nothing is known.
  var keyframe: UInt64
  /// Events that never reached the file, as the header still says.
  var dropped: [LossCount] = []
  /// What was let go before it was so on purpose.
  var keepsLast = false

  /// In the place of a chunk that could not be read, or that is a stand-in itself.
  init(of chunk: ChunkInfo, _ stream: TraceStream, _ reader: TraceReader) {
    writer = stream.writer
    attributes = stream.attributes
    sequence = chunk.firstSequence
    time = chunk.firstTime
    count = chunk.isStandIn ? chunk.countStoodFor : UInt64(chunk.eventCount)
    dropped = chunk.losses.filter { !(chunk.isStandIn && $0.family == .unknown) }
    keepsLast = (try? reader.header(of: chunk))?.keepsLast ?? false
    keyframe = chunk.stateOrigin
  }

  /// In the place of chunks before this one of which not even the header could be found.
  init(before chunk: ChunkInfo, _ stream: TraceStream, _ reader: TraceReader) {
    self.init(of: chunk, stream, reader)
    dropped = []
    sequence = chunk.firstSequence - chunk.missingBefore
    count = chunk.missingBefore
    keyframe = min(keyframe, sequence)
  }

  /// Behind a stream of whose file something is gone that may have been its.
  init(behind stream: TraceStream, at sequence: UInt64) {
    writer = stream.writer
    attributes = stream.attributes
    self.sequence = sequence
    time = stream.lastTime
    count = 0
    keyframe = stream.chunks.last { $0.keyframe == .full }?.firstSequence ?? sequence
  }

  /// The first number behind it.
  var end: UInt64 {
    let (end, overflow) = sequence.addingReportingOverflow(count)
    return overflow ? .max : end
  }

  var chunk: EncodedChunk {
    var encoder = ChunkEncoder()
    encoder.append(
      Event(
        Payload.Loss(family: .unknown, count: count),
        at: time,
        observer: .inferred,
        flags: .inferred,
        sequence: sequence
      )
    )
    let header = ChunkHeader(
      writer: writer,
      attributes: attributes,
      firstSequence: sequence,
      losses: [LossCount(family: .unknown, count: count)] + dropped,
      // Nothing is known at the beginning of a stream whose first chunk is gone.
      keyframe: KeyframePlace(of: keyframe, in: sequence),
      keepsLast: keepsLast
    )
    return encoder.finish(header: header, keyframe: [], names: Names())
  }
}
