// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// The lines in what a command prints, block by block.
///
/// A line that is too long becomes several, each of them a ``RecordedValue/part(_:)``: a pattern
/// for what must not be recorded would find nothing of a secret that stands across a cut.
struct PrintedLines {
  /// A line is cut at this length.
  static let bytesMax = 16_384

  /// The line that has begun, or the rest of it.
  private(set) var open: [UInt8] = []
  /// The line's beginning was handed on already.
  private var isContinued = false

  /// Hands on the lines that end in `bytes`, and what is too long to be waited for.
  mutating func take(_ bytes: ArraySlice<UInt8>, _ tell: (RecordedValue) -> Void) {
    for byte in bytes {
      if byte == 10 {
        tell(text(isWhole: true))
        isContinued = false
        continue
      }
      if open.count == Self.bytesMax {
        tell(text(isWhole: false))
        isContinued = true
      }
      open.append(byte)
    }
  }

  /// Hands on what has no line break behind it; `isWhole` where nothing else was to come.
  mutating func end(isWhole: Bool, _ tell: (RecordedValue) -> Void) {
    if !open.isEmpty { tell(text(isWhole: isWhole)) }
  }

  private mutating func text(isWhole: Bool) -> RecordedValue {
    defer { open.removeAll(keepingCapacity: true) }
    let text = String(decoding: open, as: UTF8.self)
    return isWhole && !isContinued ? .name(text) : .part(text)
  }
}
