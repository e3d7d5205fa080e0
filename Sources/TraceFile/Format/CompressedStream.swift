// SPDX-License-Identifier: Apache-2.0
internal import CLifetraceZstd

/// Bytes compressed on their way out, as one zstd frame.
package final class CompressedOutput {
  private let context: OpaquePointer
  private var room = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())

  /// A frame without bytes.
  package init() {
    guard let context = ZSTD_createCCtx() else { preconditionFailure("out of memory") }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Adds bytes, and hands `write` what is compressed; the last call ends the frame.
  package func add(
    _ bytes: UnsafeRawBufferPointer,
    isLast: Bool = false,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var rest = 1
    while isLast ? rest != 0 : input.pos < input.size {
      let count = room.withUnsafeMutableBytes { room in
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        let directive = isLast ? ZSTD_e_end : ZSTD_e_continue
        rest = ZSTD_compressStream2(context, &output, &input, directive)
        precondition(ZSTD_isError(rest) == 0, "compression of bytes in memory cannot fail")
        return output.pos
      }
      try room.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }
}

/// Bytes that may be compressed, as they were.
package final class CompressedInput {
  private let context: OpaquePointer
  private var room = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
  private var isCompressed: Bool?
  private var isOpen = false

  /// No bytes yet.
  package init() {
    guard let context = ZSTD_createDCtx() else { preconditionFailure("out of memory") }
    self.context = context
    // A frame may ask for no more memory than 128 MiB, whatever its header says.
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
  }

  deinit { ZSTD_freeDCtx(context) }

  /// Whether the bytes so far end inside a frame.
  package var isCut: Bool { isOpen }

  /// Adds bytes, and hands them to `write` as they were; false where they are no frame.
  ///
  /// The first time there have to be four of them, unless there are fewer in all.
  package func add(
    _ bytes: UnsafeRawBufferPointer,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows -> Bool {
    let isFrame = isCompressed ?? bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd])
    isCompressed = isFrame
    guard isFrame else {
      try write(bytes)
      return true
    }
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var isFull = false
    while input.pos < input.size || isFull {
      var code = 0
      let count = room.withUnsafeMutableBytes { room in
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        code = ZSTD_decompressStream(context, &output, &input)
        return output.pos
      }
      guard ZSTD_isError(code) == 0 else { return false }
      isOpen = code != 0
      isFull = count == room.count
      try room.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    return true
  }
}
