// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// About when the events of one chunk stand in the order, less than a byte each.
///
/// It is what stays of ``OrderTimes`` that had to go: it says how many of them lie before a time, unless one lies
/// close to it. A jump among a thousand writers asks that of each of them, and few have an event so close.
///
/// Times are rounded down to a unit, about what lies between two events. Each block of 64 has the
/// unit of its first event, and by how many each other is behind the one before it, in as many bits as the
/// greatest needs.
final class RoughTimes {
  private static let blockShift = 6
  private static let blockRows = 1 << blockShift

  private struct Block {
    /// That of the first event.
    var unit: UInt32
    /// Its first byte in `bits`, and in the low six digits how many bits each difference has.
    var place: UInt32
  }

  private let firstIndex: Int
  private let count: Int
  /// The order time of the first event.
  private let origin: Int64
  private let shift: Int64
  private let blocks: [Block]
  /// With eight bytes behind the last, so that whole words may be read.
  private let bits: [UInt8]

  /// Rounds the times of a chunk, which has some.
  init(_ times: OrderTimes) {
    firstIndex = times.firstIndex
    count = times.count
    let origin = times[times.firstIndex]
    let shift = Self.shift(times)
    self.origin = origin
    self.shift = shift
    var blocks: [Block] = []
    blocks.reserveCapacity((count + Self.blockRows - 1) >> Self.blockShift)
    let first = times.firstIndex
    let all = count
    bits = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4 * all + 8) { bytes in
      bytes.initialize(repeating: 0)
      var end = 0
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.blockRows) { differences in
        for start in stride(from: 0, to: all, by: Self.blockRows) {
          let rows = min(Self.blockRows, all - start)
          var latest: UInt32 = 0
          var widest: UInt32 = 0
          for row in 0..<rows {
            let unit = UInt32(truncatingIfNeeded: (times[first + start + row] &- origin) >> shift)
            differences[row] = row == 0 ? unit : unit &- latest
            if row > 0 { widest |= differences[row] }
            latest = unit
          }
          let width = UInt32.bitWidth - widest.leadingZeroBitCount
          blocks.append(Block(unit: differences[0], place: UInt32(end << 6 | width)))
          var (word, filled) = (UInt64(0), 0)
          for row in 1..<max(1, rows) {
            word |= UInt64(differences[row]) << UInt64(filled)
            filled += width
            while filled >= 8 {
              bytes[end] = UInt8(truncatingIfNeeded: word)
              (word, filled, end) = (word >> 8, filled - 8, end + 1)
            }
          }
          if filled > 0 {
            bytes[end] = UInt8(truncatingIfNeeded: word)
            end += 1
          }
        }
      }
      return Array(bytes[..<(end + 8)])
    }
    self.blocks = blocks
  }

  /// By the middle one of the blocks: bursts and pauses count for nothing.
  private static func shift(_ times: OrderTimes) -> Int64 {
    let last = times.indices.upperBound - 1
    let whole = UInt64(bitPattern: times[last] &- times[times.firstIndex])
    var spans: [UInt64] = []
    for start in stride(from: times.firstIndex, to: last - blockRows, by: blockRows) {
      spans.append(UInt64(bitPattern: times[start + blockRows] &- times[start]))
    }
    spans.sort()
    let middle = spans.isEmpty ? whole : spans[spans.count / 2]
    let digits = UInt64.bitWidth - middle.leadingZeroBitCount
    // The last unit must have a number of 32 bits.
    let least = UInt64.bitWidth - whole.leadingZeroBitCount - UInt32.bitWidth
    return Int64(max(0, digits - blockShift, least))
  }

  /// The memory that it takes, about.
  var bytes: Int { bits.count + MemoryLayout<Block>.stride * blocks.count + 160 }

  /// The indices in the stream that it covers.
  var indices: Range<Int> { firstIndex..<firstIndex + count }

  /// Between which the order time of the event with this index lies, both included.
  func times(of index: Int) -> ClosedRange<Int64> {
    let row = index - firstIndex
    let block = blocks[row >> Self.blockShift]
    var unit = UInt64(block.unit)
    for place in 0..<row & (Self.blockRows - 1) { unit += difference(place, of: block) }
    let least = origin &+ Int64(bitPattern: unit << UInt64(shift))
    let (most, isBehindAll) = least.addingReportingOverflow((1 << shift) - 1)
    return least...(isBehindAll ? .max : most)
  }

  /// Between which the first index lies whose order time is not below `time`, both included; the end is one too.
  func lowerBounds(_ time: Int64) -> ClosedRange<Int> {
    guard time > origin else { return firstIndex...firstIndex }
    let behind = UInt64(bitPattern: time &- origin)
    let unit = behind >> UInt64(shift)
    let least = firstRow(notBelow: unit)
    // At the begin of a unit, none of it is below.
    guard least.unit == unit, behind != unit << UInt64(shift) else {
      return firstIndex + least.row...firstIndex + least.row
    }
    return firstIndex + least.row...firstIndex + firstRow(notBelow: unit + 1).row
  }

  /// The first row whose unit is not below `wanted`, and which that is.
  private func firstRow(notBelow wanted: UInt64) -> (row: Int, unit: UInt64) {
    let next = blocks.partitioningIndex { UInt64($0.unit) >= wanted }
    if next > 0 {
      let block = blocks[next - 1]
      let row = (next - 1) << Self.blockShift
      var unit = UInt64(block.unit)
      for place in 0..<min(Self.blockRows, count - row) - 1 {
        unit += difference(place, of: block)
        if unit >= wanted { return (row + place + 1, unit) }
      }
    }
    return next < blocks.count
      ? (next << Self.blockShift, UInt64(blocks[next].unit)) : (count, .max)
  }

  @inline(__always)
  private func difference(_ place: Int, of block: Block) -> UInt64 {
    let width = Int(block.place & 63)
    let bit = place &* width
    let byte = Int(block.place >> 6) + bit >> 3
    let word = bits.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: byte, as: UInt64.self) }
    return UInt64(littleEndian: word) >> UInt64(bit & 7) & (1 << UInt64(width) - 1)
  }
}
