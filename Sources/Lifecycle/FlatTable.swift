// SPDX-License-Identifier: Apache-2.0
public import Trace

/// A key of a ``FlatTable``.
public protocol FlatKey: Equatable, Sendable {
  /// The key, mixed to 64 well spread bits.
  var mixed: UInt64 { get }
  /// The key as two numbers, so that tables can be written in a stable order.
  var order: (UInt64, UInt64) { get }
}

/// A small dictionary for what is open right now: flat, ordered by insertion
/// until something is removed, no allocation per operation.
///
///     spans.insert(span, for: key)
///     if let place = spans.place(of: key) { spans.remove(at: place) }
///
/// Up to ``scanMax`` entries it is searched from the back, because what began
/// last mostly ends first; above that an open-addressed index of the entries is
/// kept beside them. Two tables are equal when they hold the same pairs, in
/// whatever order.
public struct FlatTable<Key: FlatKey, Value: Sendable & Equatable>: Sendable {
  /// One pair.
  public struct Entry: Sendable {
    /// What it is found by.
    public let key: Key
    /// What is known of it.
    public var value: Value
  }

  /// Up to this many entries are searched one by one.
  public static var scanMax: Int { 12 }

  /// The pairs; an entry's index is its *place* until the next removal.
  public private(set) var entries: [Entry] = []
  /// Indexes into `entries` plus one, 0 for empty; empty while few entries are scanned.
  private var slots: [UInt32] = []

  /// An empty table.
  public init() {}

  /// How many pairs there are.
  public var count: Int { entries.count }
  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }
  /// The values, in the order of their places.
  public var values: some Sequence<Value> { entries.lazy.map(\.value) }

  /// Where `key` is, or nil.
  public func place(of key: Key) -> Int? {
    if slots.isEmpty {
      var place = entries.count
      while place > 0 {
        place &-= 1
        if entries[place].key == key { return place }
      }
      return nil
    }
    let slot = slot(of: key)
    return slots[slot] == 0 ? nil : Int(slots[slot]) - 1
  }

  /// The value of `key`, or nil.
  public subscript(key: Key) -> Value? {
    guard let place = place(of: key) else { return nil }
    return entries[place].value
  }

  /// Changes the value at `place`.
  public mutating func update<Result>(
    at place: Int,
    _ change: (inout Value) -> Result
  ) -> Result {
    change(&entries[place].value)
  }

  /// Adds a pair, or replaces the value of its key; the place of it.
  @discardableResult
  public mutating func insert(_ value: Value, for key: Key) -> Int {
    if let place = place(of: key) {
      entries[place].value = value
      return place
    }
    entries.append(Entry(key: key, value: value))
    let place = entries.count - 1
    if !slots.isEmpty && entries.count * 2 <= slots.count {
      slots[slot(of: key)] = UInt32(entries.count)
    } else if entries.count > Self.scanMax {
      reindex()
    }
    return place
  }

  /// Takes the pair at `place` out; the last pair moves to its place.
  public mutating func remove(at place: Int) {
    let last = entries.count - 1
    if !slots.isEmpty {
      vacate(slot(of: entries[place].key))
      if place != last { slots[slot(of: entries[last].key)] = UInt32(place + 1) }
    }
    if place != last { entries[place] = entries[last] }
    entries.removeLast()
    if entries.count * 2 <= Self.scanMax && !slots.isEmpty {
      slots.removeAll(keepingCapacity: true)
    }
  }

  /// Takes all pairs out, keeping the memory.
  public mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    slots.removeAll(keepingCapacity: true)
  }

  /// The slot that holds `key`, or the empty one where it would go.
  private func slot(of key: Key) -> Int {
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: key.mixed) & mask
    while slots[slot] != 0 && entries[Int(slots[slot]) &- 1].key != key {
      slot = (slot &+ 1) & mask
    }
    return slot
  }

  /// Empties `hole`, moving up what was pushed behind it, so that no tombstones are needed.
  private mutating func vacate(_ hole: Int) {
    let mask = slots.count &- 1
    var hole = hole
    var slot = (hole &+ 1) & mask
    while slots[slot] != 0 {
      let home = Int(truncatingIfNeeded: entries[Int(slots[slot]) &- 1].key.mixed) & mask
      if (slot &- home) & mask >= (slot &- hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot &+ 1) & mask
    }
    slots[hole] = 0
  }

  private mutating func reindex() {
    var size = 64
    while size < entries.count * 4 { size *= 2 }
    slots = [UInt32](repeating: 0, count: size)
    for place in entries.indices { slots[slot(of: entries[place].key)] = UInt32(place + 1) }
  }

  /// Checks that the index finds every entry; for tests.
  package func checkInvariants() {
    for (place, entry) in entries.enumerated() {
      precondition(self.place(of: entry.key) == place, "an entry is not where its key leads")
    }
    precondition(slots.isEmpty || slots.count(where: { $0 != 0 }) == entries.count)
  }
}

extension FlatTable: Equatable {
  /// The same pairs, in whatever order.
  public static func == (left: FlatTable, right: FlatTable) -> Bool {
    left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
  }
}

/// Spreads 64 bits (the finaliser of splitmix64).
func mix(_ value: UInt64) -> UInt64 {
  var bits = value
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

extension NameID: FlatKey {
  /// Spread by splitmix64.
  public var mixed: UInt64 { mix(UInt64(rawValue)) }
  /// By number.
  public var order: (UInt64, UInt64) { (UInt64(rawValue), 0) }
}

extension UInt64: FlatKey {
  /// Spread by splitmix64.
  public var mixed: UInt64 { mix(self) }
  /// By number.
  public var order: (UInt64, UInt64) { (self, 0) }
}
