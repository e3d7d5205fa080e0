// SPDX-License-Identifier: Apache-2.0

/// Stores one column of numbers as narrowly as it can: constant, offset from the least, or
/// differences, in as many byte planes as the widest value needs.
struct ColumnScratch {
  /// The values of the column to be stored next.
  var values: [UInt64]

  init(rows: Int) { values = [UInt64](repeating: 0, count: rows) }

  /// Appends the first `rows.count` values; `rows` are their rows, which tell the strides apart.
  ///
  /// Ids are never worth differences.
  mutating func append(
    rows: [UInt16],
    isName: Bool,
    directory: inout ByteWriter,
    data: inout [UInt8]
  ) {
    let count = rows.count
    guard count > 0 else {
      directory.byte(0)
      directory.byte(0)
      return
    }
    let first = values[0]
    var least = first
    var greatest = first
    for index in 0..<count {
      least = min(least, values[index])
      greatest = max(greatest, values[index])
    }
    if least == greatest {
      directory.byte(ColumnMode.constant.rawValue << 4)
      directory.varint(first)
      return
    }
    if !isName, deltasAreNarrower(rows: rows, least: least) {
      var widest: UInt64 = 0
      var previous = first
      var stride = rows[0] / UInt16(Chunk.strideRows)
      for index in 0..<count {
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
      store(count, .delta, widest: widest, base: first, directory: &directory, data: &data)
    } else {
      for index in 0..<count { values[index] &-= least }
      let widest = greatest - least
      store(count, .offset, widest: widest, base: least, directory: &directory, data: &data)
    }
  }

  /// Compares the bits of the differences with the bits of the offsets.
  private func deltasAreNarrower(rows: [UInt16], least: UInt64) -> Bool {
    var deltaBits = 0
    var offsetBits = 0
    var previous = values[0]
    for index in rows.indices {
      let delta = zigzag(Int64(bitPattern: values[index] &- previous))
      previous = values[index]
      deltaBits += 64 - delta.leadingZeroBitCount
      offsetBits += 64 - (values[index] &- least).leadingZeroBitCount
    }
    return deltaBits < offsetBits
  }

  private func store(
    _ count: Int,
    _ mode: ColumnMode,
    widest: UInt64,
    base: UInt64,
    directory: inout ByteWriter,
    data: inout [UInt8]
  ) {
    let width = (64 - widest.leadingZeroBitCount + 7) / 8
    directory.byte(mode.rawValue << 4 | UInt8(width))
    directory.varint(base)
    for plane in 0..<UInt64(width) {
      let shift = 8 * plane
      for index in 0..<count { data.append(UInt8(truncatingIfNeeded: values[index] >> shift)) }
    }
  }
}

extension Event {
  /// Observer, flags and argument count in one number.
  var shape: UInt64 {
    UInt64(observerCode) | UInt64(flags.rawValue) << 8 | UInt64(argumentCount) << 16
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
