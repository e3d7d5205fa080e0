// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// Bytes on their way out, in memory of their own.
///
///     bytes.makeRoom(1_024)
///     bytes.put(0x0a)
///     bytes.putVarint(1_500)
///
/// Room is made once for a record; what is put then is not checked byte by byte. This is the only
/// place of the room that uses unsafe memory: nobody else sees ``base``.
package struct OutputBytes: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes were put and not taken.
  package private(set) var count = 0
  /// Where a value of JSON is put together.
  private var scratch: [UInt8] = []

  /// No bytes.
  package init() {
    capacity = 1 << 18
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// The next `room` bytes will find room.
  @inline(__always)
  package mutating func makeRoom(_ room: Int) {
    if capacity - count < room { grow(room) }
  }

  @inline(never)
  private mutating func grow(_ room: Int) {
    let larger = max(capacity * 2, count + room)
    let place = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    place.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (place, larger)
  }

  /// Puts one byte, for which there is room.
  @inline(__always)
  package mutating func put(_ byte: UInt8) {
    assert(count < capacity, "no room was made")
    base[count] = byte
    count &+= 1
  }

  /// Puts a number in groups of seven bits, at most ten bytes, for which there is room.
  @inline(__always)
  package mutating func putVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Puts eight bytes, the lowest first, for which there is room.
  @inline(__always)
  package mutating func putFixed64(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      put(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Makes room for a text and puts it.
  package mutating func put(_ text: String) {
    var text = text
    text.withUTF8 { put($0) }
  }

  /// Makes room for what `write` appends to an empty array, such as a value of JSON, and puts it.
  package mutating func put(_ write: (inout [UInt8]) -> Void) {
    scratch.removeAll(keepingCapacity: true)
    write(&scratch)
    scratch.withUnsafeBufferPointer { put($0) }
  }

  /// Makes room for bytes and puts them.
  package mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    makeRoom(bytes.count)
    guard let from = bytes.baseAddress else { return }
    (base + count).update(from: from, count: bytes.count)
    count += bytes.count
  }

  /// Writes over a byte that was put before.
  @inline(__always)
  package mutating func patch(_ place: Int, _ byte: UInt8) {
    assert(place < count, "only what was put can be written over")
    base[place] = byte
  }

  /// Takes all bytes away.
  package mutating func take(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    defer { count = 0 }
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }
}
