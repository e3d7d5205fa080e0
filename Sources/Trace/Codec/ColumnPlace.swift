// SPDX-License-Identifier: Apache-2.0

/// Where one column of numbers lies and how it is stored.
struct ColumnPlace {
  var mode = ColumnMode.constant
  /// Bytes a value; 0 for a constant column.
  var width = 0
  var base: UInt64 = 0
  /// The first byte of the first plane.
  var start = 0
  /// Rows in the column, the bytes of a plane.
  var count = 0
}

extension ColumnPlace {
  /// Calls `body` with each of `rows` and its value, the first being at `first` in the planes.
  ///
  /// Unchecked: ``ChunkLayout`` has placed the column inside `bytes`.
  @inline(__always)
  func each(
    in bytes: UnsafePointer<UInt8>,
    from first: Int,
    rows: UnsafePointer<UInt16>,
    count: Int,
    _ body: (Int, UInt64) -> Void
  ) {
    // One loop a width: a loop over the bytes of each value takes three times as long.
    let low = bytes + start + first
    let next = self.count
    let (second, third, fourth) = (low + next, low + 2 &* next, low + 3 &* next)
    switch width {
    case 0: for index in 0..<count { body(Int(rows[index]), base) }
    case 1: each(rows: rows, count: count, { UInt64(low[$0]) }, body)
    case 2:
      each(rows: rows, count: count, { UInt64(low[$0]) | UInt64(second[$0]) << 8 }, body)
    case 3:
      each(
        rows: rows,
        count: count,
        { UInt64(low[$0]) | UInt64(second[$0]) << 8 | UInt64(third[$0]) << 16 },
        body
      )
    case 4:
      each(
        rows: rows,
        count: count,
        {
          UInt64(low[$0]) | UInt64(second[$0]) << 8 | UInt64(third[$0]) << 16
            | UInt64(fourth[$0]) << 24
        },
        body
      )
    default:
      each(
        rows: rows,
        count: count,
        { index in
          var value: UInt64 = 0
          var byte = width
          while byte > 0 {
            byte &-= 1
            value = value &<< 8 | UInt64(low[index &+ byte &* next])
          }
          return value
        },
        body
      )
    }
  }

  /// The same, `load` being the stored number at an index.
  @inline(__always)
  private func each(
    rows: UnsafePointer<UInt16>,
    count: Int,
    _ load: (Int) -> UInt64,
    _ body: (Int, UInt64) -> Void
  ) {
    if mode == .offset {
      for index in 0..<count { body(Int(rows[index]), base &+ load(index)) }
      return
    }
    var value = base
    for index in 0..<count {
      value = value &+ UInt64(bitPattern: unzigzag(load(index)))
      body(Int(rows[index]), value)
    }
  }
}
