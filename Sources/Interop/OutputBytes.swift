// SPDX-License-Identifier: Apache-2.0

/// Bytes on their way out, in memory of their own.
///
///     bytes.makeRoom(1_024)
///     bytes.put(0x0a)
///     bytes.putVarint(1_500)
///
/// Room is made once for a record; what is put then is not checked byte by byte. This is the only
/// place of the room that uses unsafe memory: nobody else sees ``base``. Exports and `dump` put a hundred
/// bytes an event, so its steps are inlined where they are used.
package struct OutputBytes: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// How many bytes were put and not taken.
  @inlinable package var count: Int { filled }
  @usableFromInline var filled = 0
  /// Where a value of JSON is put together.
  private var scratch: [UInt8] = []

  /// No bytes, and room for so many before it grows.
  package init(room: Int = 1 << 18) {
    capacity = room
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// The next `room` bytes will find room.
  @inlinable @inline(__always)
  package mutating func makeRoom(_ room: Int) {
    if capacity &- filled < room { grow(room) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ room: Int) {
    let larger = max(capacity * 2, filled + room)
    let place = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    place.update(from: base, count: filled)
    base.deallocate()
    (base, capacity) = (place, larger)
  }

  /// Puts one byte, for which there is room.
  @inlinable @inline(__always)
  package mutating func put(_ byte: UInt8) {
    assert(filled < capacity, "no room was made")
    base[filled] = byte
    filled &+= 1
  }

  /// Puts a number in groups of seven bits, at most ten bytes, for which there is room.
  @inlinable @inline(__always)
  package mutating func putVarint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Puts eight bytes, the lowest first, for which there is room.
  @inlinable @inline(__always)
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

  /// Makes room for a text of the program and puts it.
  package mutating func putLiteral(_ text: StaticString) { text.withUTF8Buffer { put($0) } }

  /// Makes room for what `write` appends to an empty array, such as a value of JSON, and puts it.
  package mutating func put(_ write: (inout [UInt8]) -> Void) {
    scratch.removeAll(keepingCapacity: true)
    write(&scratch)
    scratch.withUnsafeBufferPointer { put($0) }
  }

  /// Makes room for bytes and puts them.
  @inlinable
  package mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    makeRoom(bytes.count)
    guard let from = bytes.baseAddress else { return }
    (base + filled).update(from: from, count: bytes.count)
    filled &+= bytes.count
  }

  /// How many bytes must be readable from where a kept text begins.
  ///
  /// So long are most of them: that many are copied at once, which takes less than to look how many there are.
  @inlinable static var keptBytes: Int { 32 }

  /// Makes room for a text that stands in `kept` and puts it.
  ///
  /// At least ``keptBytes`` bytes of `kept` follow from `start` on.
  @inlinable @inline(__always)
  mutating func put(keptAt start: Int, count: Int, in kept: [UInt8]) {
    assert(start + max(count, Self.keptBytes) <= kept.count, "the text is not kept")
    makeRoom(max(count, Self.keptBytes))
    kept.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress?.advanced(by: start) else { return }
      let place = UnsafeMutableRawPointer(base + filled)
      place.copyMemory(from: from, byteCount: Self.keptBytes)
      guard count > Self.keptBytes else { return }
      (place + Self.keptBytes)
        .copyMemory(from: from + Self.keptBytes, byteCount: count - Self.keptBytes)
    }
    filled &+= count
  }

  /// Writes over a byte that was put before.
  @inlinable @inline(__always)
  package mutating func patch(_ place: Int, _ byte: UInt8) {
    assert(place < filled, "only what was put can be written over")
    base[place] = byte
  }

  /// Takes the last bytes back, down to so many.
  @inlinable @inline(__always)
  package mutating func shorten(to count: Int) {
    assert(count <= filled, "only what was put can be taken back")
    filled = count
  }

  /// Takes all bytes away.
  package mutating func take(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    defer { filled = 0 }
    try body(UnsafeRawBufferPointer(start: base, count: filled))
  }

  /// Takes all bytes away as a text.
  package mutating func takeText() -> String {
    defer { filled = 0 }
    return String(decoding: UnsafeBufferPointer(start: base, count: filled), as: UTF8.self)
  }
}
