// SPDX-License-Identifier: Apache-2.0

/// The times of a chunk's rows, each as the difference from the row before.
///
/// Rows come in their order and are kept in the order of the columns, 32 bits each; a difference
/// that needs more, or that goes backward, is kept beside them. ``ChunkColumns`` frees the memory.
struct TimeDifferences {
  /// Where each stride begins: the time since the one before, and how many wide ones lie before it.
  private(set) var strides: [(step: Int64, wideBefore: Int)] = []
  /// Those that need 64 bits, in the order of their rows.
  private(set) var wide: [UInt64] = []

  private let count: Int
  private let narrow: UnsafeMutablePointer<UInt32>
  private var previous = Int64(0)
  private var base = Int64(0)
  private var least = Int64.max
  private var greatest = Int64.min

  init(rows count: Int) {
    self.count = count
    narrow = .allocate(capacity: count)
  }

  func free() { narrow.deallocate() }

  /// Least and greatest time.
  var bounds: (HostTime, HostTime) { (HostTime(rawValue: least), HostTime(rawValue: greatest)) }

  /// The time of the next row, whose place among the columns is given.
  @inline(__always)
  mutating func put(_ time: Int64, row: Int, at place: Int) {
    if row & (Chunk.strideRows - 1) == 0 {
      strides.append((time &- base, wide.count))
      base = time
      previous = time
    }
    let difference = UInt64(bitPattern: time &- previous)
    narrow[place] = UInt32(truncatingIfNeeded: min(difference, UInt64(UInt32.max)))
    if difference >= UInt64(UInt32.max) { wide.append(difference) }
    previous = time
    least = min(least, time)
    greatest = max(greatest, time)
  }

  /// Writes four planes of ``count`` bytes, the highest first.
  func storePlanes(into out: UnsafeMutablePointer<UInt8>) {
    for plane in 0..<4 {
      let shift = UInt32(24 - 8 * plane)
      let bytes = out + plane * count
      for index in 0..<count { bytes[index] = UInt8(truncatingIfNeeded: narrow[index] &>> shift) }
    }
  }
}

/// Small numbers for the threads of a chunk, in order of appearance.
struct ThreadNumbers {
  private(set) var threads: [UInt32] = []
  private var numbers: [UInt32: UInt16] = [:]
  /// In front of the dictionary: threads alternate, but few are busy.
  private var recent = InlineArray<64, (thread: UInt32, number: UInt32)>(repeating: (0, .max))

  @inline(__always)
  mutating func number(of thread: UInt32) -> UInt16 {
    let slot = Int(thread & 63)
    if recent[slot].thread == thread, recent[slot].number != .max {
      return UInt16(truncatingIfNeeded: recent[slot].number)
    }
    return look(up: thread, slot)
  }

  @inline(never)
  private mutating func look(up thread: UInt32, _ slot: Int) -> UInt16 {
    let number = numbers[thread] ?? UInt16(truncatingIfNeeded: threads.count)
    if Int(number) == threads.count {
      numbers[thread] = number
      threads.append(thread)
    }
    recent[slot] = (thread, UInt32(number))
    return number
  }
}
