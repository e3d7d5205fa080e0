// SPDX-License-Identifier: Apache-2.0

/// The memory of a ``FlatTable``: keys and values side by side, so that a search touches keys only.
///
/// The pointers are kept beside the reference that keeps them alive, because the fold goes through
/// them at each event and reference counting there would cost more than the search. They are valid
/// as long as a value of this type is. `@unchecked Sendable`, because memory is written only after
/// ``own()``, by the one value that refers to it. Places are checked by the table.
@usableFromInline
struct FlatStorage<Key: FlatKey, Value: Sendable & Equatable & BitwiseCopyable>:
  @unchecked Sendable
{
  @usableFromInline var count = 0
  @usableFromInline var capacity = 0
  @usableFromInline var memory: FlatMemory?
  @usableFromInline var keys = Self.none(Key.self)
  @usableFromInline var values = Self.none(Value.self)
  /// Places plus one, 0 for empty; used while ``mask`` is not 0.
  @usableFromInline var slots = Self.none(UInt32.self)
  /// The slots less one, a power of two minus one; 0 while few entries are scanned.
  @usableFromInline var mask = 0

  @inlinable
  init() {}

  /// A pointer that is never followed, for an empty table.
  @inlinable
  static func none<T>(_ type: T.Type) -> UnsafeMutablePointer<T> {
    UnsafeMutablePointer(bitPattern: MemoryLayout<T>.alignment).unsafelyUnwrapped
  }

  /// The entry at `place`, which is below ``count``.
  @inlinable
  func entry(at place: Int) -> FlatTable<Key, Value>.Entry {
    FlatTable<Key, Value>.Entry(key: keys[place], value: values[place])
  }

  @inlinable @inline(__always)
  func place(of key: Key) -> Int? {
    if mask == 0 {
      var place = count
      while place > 0 {
        place &-= 1
        if keys[place] == key { return place }
      }
      return nil
    }
    return index.place(of: key)
  }

  /// The index as a value of its own.
  ///
  /// Calls that take all of `self` would copy it, and load in one go what was stored in parts a
  /// moment ago: a stall at each event.
  @inlinable @inline(__always)
  var index: FlatIndex<Key> { FlatIndex(keys: keys, slots: slots, mask: mask) }

  /// Makes this the only value that refers to the memory, with room for more entries.
  @inlinable @inline(__always)
  mutating func own(room: Int = 0) {
    if !isKnownUniquelyReferenced(&memory) || count &+ room > capacity { renew(room: room) }
  }

  @inlinable @inline(never)
  mutating func renew(room: Int) {
    let old = self
    capacity = count + room <= old.capacity ? old.capacity : max(8, count * 2)
    keys = .allocate(capacity: capacity)
    values = .allocate(capacity: capacity)
    keys.initialize(from: old.keys, count: count)
    values.initialize(from: old.values, count: count)
    memory = FlatMemory(keys, values)
    mask = 0
    if old.mask != 0 { reindex() }
    withExtendedLifetime(old) {}
  }

  /// Adds a pair whose key is not there; there is room.
  @inlinable @inline(__always)
  mutating func append(_ key: Key, _ value: Value) -> Int {
    let place = count
    (keys + place).initialize(to: key)
    (values + place).initialize(to: value)
    count = place + 1
    if mask != 0, count * 2 <= mask {
      slots[index.slot(of: key)] = UInt32(count)
    } else if count > FlatTable<Key, Value>.scanMax {
      reindex()
    }
    return place
  }

  /// Takes an entry out; the last one moves to `place`.
  @inlinable @inline(__always)
  mutating func remove(at place: Int) {
    let last = count - 1
    if mask != 0 {
      index.vacate(place)
      if place != last { slots[index.slot(of: keys[last])] = UInt32(place + 1) }
    }
    if place != last {
      keys[place] = keys[last]
      values[place] = values[last]
    }
    count = last
    if count * 2 <= FlatTable<Key, Value>.scanMax { mask = 0 }
  }

  /// Makes the index anew, four slots an entry.
  @inlinable @inline(never)
  mutating func reindex() {
    var size = 64
    while size < count * 4 { size *= 2 }
    mask = size - 1
    slots = .allocate(capacity: size)
    slots.initialize(repeating: 0, count: size)
    memory?.slots = UnsafeMutableRawPointer(slots)
    for place in 0..<count { slots[index.slot(of: keys[place])] = UInt32(place + 1) }
  }

  /// Checks that the index holds as many places as there are entries.
  func checkIndex() {
    precondition(mask == 0 || (0...mask).count(where: { slots[$0] != 0 }) == count)
  }
}

/// An open-addressed index of keys: places plus one by hash, 0 for empty.
@usableFromInline
struct FlatIndex<Key: FlatKey> {
  @usableFromInline let keys: UnsafeMutablePointer<Key>
  @usableFromInline let slots: UnsafeMutablePointer<UInt32>
  /// The slots less one.
  @usableFromInline let mask: Int

  @inlinable
  init(
    keys: UnsafeMutablePointer<Key>,
    slots: UnsafeMutablePointer<UInt32>,
    mask: Int
  ) {
    self.keys = keys
    self.slots = slots
    self.mask = mask
  }

  @inlinable
  func place(of key: Key) -> Int? {
    let found = slots[slot(of: key)]
    return found == 0 ? nil : Int(found) - 1
  }

  /// The slot that holds `key`, or the empty one where it would go.
  @inlinable
  func slot(of key: Key) -> Int {
    var slot = Int(truncatingIfNeeded: key.mixed) & mask
    while slots[slot] != 0 && keys[Int(slots[slot]) &- 1] != key { slot = (slot &+ 1) & mask }
    return slot
  }

  /// Empties the slot of `place`, moving up what was pushed behind it, so that no tombstones are
  /// needed.
  @inlinable
  func vacate(_ place: Int) {
    var hole = slot(of: keys[place])
    var slot = (hole &+ 1) & mask
    while slots[slot] != 0 {
      let home = Int(truncatingIfNeeded: keys[Int(slots[slot]) &- 1].mixed) & mask
      if (slot &- home) & mask >= (slot &- hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot &+ 1) & mask
    }
    slots[hole] = 0
  }
}

/// Frees the memory with the last value that refers to it.
///
/// `@unchecked Sendable`, because only ``FlatStorage`` touches it, and only when it is not shared.
@usableFromInline
final class FlatMemory: @unchecked Sendable {
  private let keys: UnsafeMutableRawPointer
  private let values: UnsafeMutableRawPointer
  @usableFromInline var slots: UnsafeMutableRawPointer? {
    didSet { oldValue?.deallocate() }
  }

  @usableFromInline
  init(_ keys: UnsafeMutableRawPointer, _ values: UnsafeMutableRawPointer) {
    self.keys = keys
    self.values = values
  }

  deinit {
    keys.deallocate()
    values.deallocate()
    slots?.deallocate()
  }
}
