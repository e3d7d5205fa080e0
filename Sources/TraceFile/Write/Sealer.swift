// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Seals the chunks of one stream, one after the other, and decides where their keyframes are.
///
///     let chunk = sealer.seal(&encoder, header, keyframe: bytes, orUnknown: none, names: names)
///
/// A chunk holds its keyframe, the folded state before its first event, where that takes less than
/// a tenth of the payload. A larger one is left out, and the chunk says in which one before it the
/// state is that it continues from: so a stream with much state costs little more than its events,
/// and a seek decodes a bounded number of chunks.
package struct Sealer: Sendable {
  /// A chunk continues from one at most this many chunks back, unless its keyframe has no room in
  /// any chunk.
  package static let continuedMax = 8
  /// A keyframe of less than this part of the payload is always there.
  private static let payloadPart = 10

  /// The first sequence of the last chunk with a keyframe, and how many were sealed since.
  private var origin: (sequence: UInt64, chunks: Int)?

  /// The next chunk is the first one of its stream that is sealed here.
  package init() {}

  /// Makes a chunk of what `encoder` holds, at the cost of encoding its columns.
  ///
  /// `keyframe` is the encoded state before the first event. One of more than
  /// ``Chunk/keyframeBytesMax`` that has nothing to continue from is replaced by `unknown`, a state
  /// in which nothing is known. Where the recording keeps only its last part, every chunk may
  /// become the first one, and none continues.
  package mutating func seal(
    _ encoder: inout ChunkEncoder,
    _ header: ChunkHeader,
    keyframe: [UInt8],
    orUnknown unknown: () -> [UInt8],
    names: borrowing Names
  ) -> EncodedChunk {
    encoder.finish(header, names: names) { payloadBytes in
      let isAlone = origin == nil || header.keepsLast
      let fits = keyframe.count <= Chunk.keyframeBytesMax
      let isSmall = keyframe.count * Self.payloadPart < payloadBytes
      let isFar = (origin?.chunks ?? 0) >= Self.continuedMax
      if let origin, !isAlone, !fits || !isSmall && !isFar {
        self.origin = (origin.sequence, origin.chunks + 1)
        return (.continued(from: origin.sequence), [])
      }
      origin = (header.firstSequence, 0)
      return (.full, fits ? keyframe : unknown())
    }
  }
}
