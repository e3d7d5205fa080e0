// SPDX-License-Identifier: Apache-2.0
internal import CLifetraceZstd
internal import LifetraceTrace

/// Compresses payloads, one zstd frame each.
///
/// A block boundary is put at every cut, so that each column gets code tables of its own: that
/// is worth a tenth of the bytes at the fastest level.
final class Compressor {
  private let context: OpaquePointer

  init(level: Int32 = 1) {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    // Columns hold few repeats, and those are long: a small table finds them and stays in the
    // nearest cache. A quarter faster than the level's own, and not a byte larger.
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 7)
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 11)
  }

  deinit { ZSTD_freeCCtx(context) }

  /// One frame with the bytes of `payload`, behind the bytes of `head` as they are.
  func compress(_ payload: [UInt8], cuts: [Int], behind head: [UInt8] = []) -> [UInt8] {
    precondition(payload.count <= Chunk.payloadBytesMax)
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
    ZSTD_CCtx_setPledgedSrcSize(context, UInt64(payload.count))
    let capacity = head.count + ZSTD_compressBound(payload.count) + cuts.count * 16
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      _ = buffer.initialize(from: head)
      var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: head.count)
      payload.withUnsafeBufferPointer { source in
        var position = 0
        for end in cuts.filter({ $0 > 0 && $0 < payload.count }) + [payload.count] {
          var input = ZSTD_inBuffer(src: source.baseAddress, size: end, pos: 0)
          input.pos = position
          let directive = end == payload.count ? ZSTD_e_end : ZSTD_e_flush
          var rest = 1
          while rest != 0 {
            rest = ZSTD_compressStream2(context, &output, &input, directive)
            precondition(ZSTD_isError(rest) == 0, "compression of bounded bytes cannot fail")
          }
          position = end
        }
      }
      count = output.pos
    }
  }
}

/// Decompresses payloads whose checksum was right.
final class Decompressor {
  private let context: OpaquePointer
  private var spare: [UInt8] = []

  init() {
    guard let context = ZSTD_createDCtx() else { preconditionFailure("out of memory") }
    self.context = context
  }

  deinit { ZSTD_freeDCtx(context) }

  /// The `count` bytes that `bytes` hold, or what zstd says is wrong.
  func decompress(_ bytes: ArraySlice<UInt8>, count: Int) throws(DecompressionError) -> [UInt8] {
    var payload = spare
    spare = []
    if payload.capacity < count {
      payload = [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
    } else if payload.count < count {
      payload.append(contentsOf: repeatElement(0, count: count - payload.count))
    } else {
      payload.removeLast(payload.count - count)
    }
    let result = payload.withUnsafeMutableBufferPointer { buffer in
      bytes.withUnsafeBufferPointer {
        ZSTD_decompressDCtx(context, buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
      }
    }
    if ZSTD_isError(result) != 0 {
      throw DecompressionError(text: String(cString: ZSTD_getErrorName(result)))
    }
    if result != count { throw DecompressionError(text: "\(result) bytes") }
    return payload
  }

  /// Takes back the memory of a payload that is no longer needed, for the next one.
  ///
  /// To ask the system for 64 MB and give them back takes ten times as long as to fill them.
  func reuse(_ payload: consuming [UInt8]) { spare = payload }
}

/// What zstd found wrong.
struct DecompressionError: Error {
  var text: String
}
