// SPDX-License-Identifier: Apache-2.0

/// Stores one column of numbers as narrowly as it can: constant, offset from the least, or
/// differences, in as many byte planes as the widest value needs.
enum ColumnPacking {
  /// Writes `rows.count` values to `out`, which has room for eight bytes each, and overwrites them.
  ///
  /// `rows` are their rows, which distinguish the strides. Differences are never worth it for ids.
  static func pack(
    _ values: UnsafeMutablePointer<UInt64>,
    rows: UnsafeBufferPointer<UInt16>,
    isName: Bool,
    into out: UnsafeMutablePointer<UInt8>
  ) -> (mode: ColumnMode, width: Int, base: UInt64) {
    let count = rows.count
    guard count > 0 else { return (.constant, 0, 0) }
    let first = values[0]
    var least = first
    var greatest = first
    for index in 0..<count {
      least = min(least, values[index])
      greatest = max(greatest, values[index])
    }
    if least == greatest { return (.constant, 0, first) }
    if !isName, deltasAreNarrower(values, count, least: least) {
      let widest = difference(values, rows: rows)
      let width = width(of: widest)
      store(values, count, less: 0, width: width, into: out)
      return (.delta, width, first)
    }
    let width = width(of: greatest - least)
    store(values, count, less: least, width: width, into: out)
    return (.offset, width, least)
  }

  private static func width(of widest: UInt64) -> Int {
    (64 - widest.leadingZeroBitCount + 7) / 8
  }

  /// Compares the bits of the differences with the bits of the offsets.
  private static func deltasAreNarrower(
    _ values: UnsafeMutablePointer<UInt64>,
    _ count: Int,
    least: UInt64
  ) -> Bool {
    var balance = 0
    var previous = values[0]
    for index in 0..<count {
      let delta = zigzag(Int64(bitPattern: values[index] &- previous))
      previous = values[index]
      balance += (values[index] &- least).leadingZeroBitCount - delta.leadingZeroBitCount
    }
    return balance < 0
  }

  /// Replaces the values by their differences; returns a number as wide as the widest.
  private static func difference(
    _ values: UnsafeMutablePointer<UInt64>,
    rows: UnsafeBufferPointer<UInt16>
  ) -> UInt64 {
    let first = values[0]
    var widest: UInt64 = 0
    var previous = first
    var stride = rows[0] / UInt16(Chunk.strideRows)
    for index in 0..<rows.count {
      let next = rows[index] / UInt16(Chunk.strideRows)
      if next != stride {
        stride = next
        previous = first
      }
      let value = values[index]
      let delta = zigzag(Int64(bitPattern: value &- previous))
      previous = value
      values[index] = delta
      widest |= delta
    }
    return widest
  }

  private static func store(
    _ values: UnsafeMutablePointer<UInt64>,
    _ count: Int,
    less base: UInt64,
    width: Int,
    into out: UnsafeMutablePointer<UInt8>
  ) {
    for plane in 0..<width {
      let shift = UInt64(8 * plane)
      let bytes = out + plane * count
      for index in 0..<count {
        bytes[index] = UInt8(truncatingIfNeeded: (values[index] &- base) &>> shift)
      }
    }
  }
}

extension Site {
  /// A bit for each label that is a name.
  var nameLabels: UInt16 {
    var mask: UInt16 = 0
    for (index, label) in labels.prefix(Chunk.labelsMax).enumerated() where label.type == .name {
      mask |= 1 << UInt16(index)
    }
    return mask
  }
}
