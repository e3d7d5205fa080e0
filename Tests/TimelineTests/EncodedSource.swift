// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// Events in memory behind the codec of chunks: decoded as those of a file are.
final class EncodedSource: EventSource {
  private let inner: MemorySource
  private(set) var names: Names
  private(set) var streams: [SourceStream]
  private var payloads: [[(header: ChunkHeader, bytes: [UInt8])]] = []
  private let skipped: Int
  private let hasTables: Bool
  /// How often a chunk was read.
  private(set) var reads = 0

  /// Chunks of `inner`, without their first `skipped` events, as where those stand in another chunk.
  ///
  /// `fits` are how times were made, by stream; without `hasTables` headers say nothing of messages.
  init(
    _ inner: MemorySource,
    skipped: Int = 0,
    fits: [[ClockPiece]] = [],
    hasTables: Bool = true
  ) {
    self.inner = inner
    self.hasTables = hasTables
    self.skipped = skipped
    names = inner.names
    streams = inner.streams
    for stream in streams.indices {
      payloads.append([])
      for chunk in streams[stream].chunks.indices {
        let id = StreamID(rawValue: UInt32(stream))
        var encoder = ChunkEncoder()
        for event in inner.events(chunk: chunk, of: id) { encoder.append(event) }
        var header = ChunkHeader(
          writer: streams[stream].writer,
          attributes: streams[stream].attributes,
          firstSequence: streams[stream].chunks[chunk].firstSequence,
          clocks: [ClockBracket(tick: 0, monotonic: 0, boottime: 0, real: 0)]
        )
        if fits.indices.contains(stream) { header.fit = fits[stream] }
        let encoded = encoder.finish(header: header, keyframe: [], names: names)
        payloads[stream].append((encoded.header, encoded.payload))
        streams[stream].chunks[chunk].firstSequence += UInt64(skipped)
        streams[stream].chunks[chunk].eventCount -= skipped
      }
    }
  }

  func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem> {
    reads += 1
    let (header, bytes) = payloads[Int(stream.rawValue)][chunk]
    do throws(ChunkDamage) {
      let payload = try ChunkPayload(header: header, payload: bytes, names: &names, stream: stream)
      return .success(SourceChunk(payload, skipped: skipped))
    } catch {
      return .failure(DecodeProblem("\(error)"))
    }
  }

  func header(chunk: Int, of stream: StreamID) -> ChunkHeader? {
    payloads[Int(stream.rawValue)][chunk].header
  }

  func messages(chunk: Int, of stream: StreamID) -> [MessageEdge]? {
    hasTables ? header(chunk: chunk, of: stream)?.messages?.dropping(rows: skipped) : nil
  }

  func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter? { nil }
  func state(decoding keyframe: [UInt8]) -> LifeState? { nil }

  /// Changes a byte of a chunk so that its events cannot be decoded, but their times can.
  func breakRows(of chunk: Int, in stream: Int) -> Bool {
    let (header, whole) = payloads[stream][chunk]
    let buffer = StrideBuffer()
    // Tables, then the kind of each row, then its thread: that of a row is found in a few steps.
    for place in stride(from: 0, to: whole.count, by: 1_009) {
      var bytes = whole
      bytes[place] = 0xfe
      var copy = names
      guard let payload = try? ChunkPayload(header: header, payload: bytes, names: &copy),
        (try? payload.decode()) == nil,
        (0..<payload.strideCount).allSatisfy({
          (try? payload.withTimes(of: $0, in: buffer) { $0.count }) != nil
        })
      else { continue }
      payloads[stream][chunk].bytes = bytes
      return true
    }
    return false
  }
}
