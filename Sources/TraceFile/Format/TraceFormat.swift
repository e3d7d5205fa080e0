// SPDX-License-Identifier: Apache-2.0

/// The words of the format: see FORMAT.md beside this file.
enum TraceFormat {
  static let version: UInt16 = 1
  /// zstd skippable frames may have any of sixteen magic numbers; these two are ours.
  static let chunkFrameMagic: UInt32 = 0x184d_2a5c
  static let footerFrameMagic: UInt32 = 0x184d_2a5f
  /// Behind the frame's magic and size.
  static let chunkMagic: [UInt8] = Array("LTRCHUNK".utf8)
  static let footerMagic: [UInt8] = Array("LTRINDEX".utf8)
  /// The last eight bytes of a footer frame.
  static let footerEndMagic: [UInt8] = Array("LTRFOOT\n".utf8)
  /// Frame magic, frame size, chunk or footer magic.
  static let signatureBytes = 16
  /// Frame size, checksum and end magic, at the end of a footer.
  static let footerTailBytes = 16
  /// The most bytes of a footer, which is read in one piece; a larger index has several footers.
  ///
  /// Enough for some 400,000 chunks, which is 7 billion events of busy processes.
  static let footerBytesMax = 16 << 20
  /// Bytes of a footer that has no chunks.
  static let footerEmptyBytesMax = 64
  /// A read that holds most headers whole.
  static let headerReadBytes = 2_048
}
