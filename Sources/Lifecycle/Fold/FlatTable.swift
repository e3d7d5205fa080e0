// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A key of a ``FlatTable``.
public protocol FlatKey: Equatable, Sendable, BitwiseCopyable {
  /// The key, mixed to 64 well spread bits.
  var mixed: UInt64 { get }
  /// The key as two numbers, so that tables can be written in a stable order.
  var order: (UInt64, UInt64) { get }
}

/// A small dictionary of open things: flat, in order of insertion until one is removed, no
/// allocation per operation.
///
///     spans.insert(span, for: key)
///     if let place = spans.place(of: key) { spans.remove(at: place) }
///
/// Up to ``scanMax`` entries it is searched from the back, because what began
/// last mostly ends first; above that an open-addressed index of the entries is
/// kept beside them. Rules in other modules read tables at each event: what they do is compiled into
/// those for each type. Two tables are equal when they hold the same pairs, in
/// whatever order. A copy shares its memory until one of the two is changed.
public struct FlatTable<Key: FlatKey, Value: Sendable & Equatable & BitwiseCopyable>: Sendable {
  /// A key and its value.
  public struct Entry: Sendable {
    /// The key of the entry.
    public let key: Key
    /// What is known of it.
    public var value: Value

    @inlinable
    init(key: Key, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// Up to this many entries are searched one by one.
  @inlinable public static var scanMax: Int { 12 }

  @usableFromInline var storage = FlatStorage<Key, Value>()

  /// A table without entries.
  @inlinable
  public init() {}

  /// How many pairs there are.
  @inlinable public var count: Int { storage.count }
  /// Whether there are none.
  @inlinable public var isEmpty: Bool { storage.count == 0 }
  /// The values, in the order of their places.
  @inlinable public var values: some Sequence<Value> {
    // A closure: a key path would be made anew at each call.
    entries.lazy.map { $0.value }
  }
  /// The pairs, in the order of their places, as they are now.
  @inlinable public var entries: FlatEntries<Key, Value> { FlatEntries(storage: storage) }

  /// Where `key` is, or nil; an entry keeps its *place* until the next removal.
  @inlinable @inline(__always)
  public func place(of key: Key) -> Int? { storage.place(of: key) }

  /// The value of `key`, or nil.
  @inlinable
  public subscript(key: Key) -> Value? {
    guard let place = storage.place(of: key) else { return nil }
    return storage.entry(at: place).value
  }

  /// Changes the value at `place`.
  @inlinable @inline(__always)
  public mutating func update<Result>(
    at place: Int,
    _ change: (inout Value) -> Result
  ) -> Result {
    precondition(place >= 0 && place < storage.count, "no entry at this place")
    storage.own()
    return change(&storage.values[place])
  }

  /// Adds a pair, or replaces the value of its key; the place of it.
  @discardableResult
  @inlinable @inline(__always)
  public mutating func insert(_ value: Value, for key: Key) -> Int {
    storage.own(room: 1)
    if let place = storage.place(of: key) {
      storage.values[place] = value
      return place
    }
    return storage.append(key, value)
  }

  /// Takes the pair at `place` out; the last pair moves to its place.
  @inlinable @inline(__always)
  public mutating func remove(at place: Int) {
    precondition(place >= 0 && place < storage.count, "no entry at this place")
    storage.own()
    storage.remove(at: place)
  }

  /// Takes all pairs out.
  @inlinable public mutating func removeAll() { storage = FlatStorage() }

  /// Checks that the index finds every entry; for tests.
  package func checkInvariants() {
    for (place, entry) in entries.enumerated() {
      precondition(self.place(of: entry.key) == place, "an entry is not where its key leads")
    }
    storage.checkIndex()
  }
}

/// The pairs of a table as it was when it was asked, by their places.
public struct FlatEntries<Key: FlatKey, Value: Sendable & Equatable & BitwiseCopyable>:
  RandomAccessCollection
{
  @usableFromInline let storage: FlatStorage<Key, Value>

  @inlinable
  init(storage: FlatStorage<Key, Value>) { self.storage = storage }

  /// The start index, always 0.
  @inlinable public var startIndex: Int { 0 }
  /// How many there are.
  @inlinable public var endIndex: Int { storage.count }

  /// The pair at `place`.
  @inlinable
  public subscript(place: Int) -> FlatTable<Key, Value>.Entry {
    precondition(place >= 0 && place < storage.count, "no entry at this place")
    return storage.entry(at: place)
  }
}

extension FlatTable: Equatable {
  /// The same pairs, in whatever order.
  public static func == (left: FlatTable, right: FlatTable) -> Bool {
    left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
  }
}

/// Spreads 64 bits (the finaliser of splitmix64).
@inlinable
func mix(_ value: UInt64) -> UInt64 {
  var bits = value
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

extension NameID: FlatKey {
  /// The number, spread by splitmix64.
  @inlinable public var mixed: UInt64 { mix(UInt64(rawValue)) }
  /// The order of the numbers.
  public var order: (UInt64, UInt64) { (UInt64(rawValue), 0) }
}

extension UInt64: FlatKey {
  /// The number, spread by splitmix64.
  @inlinable public var mixed: UInt64 { mix(self) }
  /// The order of the numbers.
  public var order: (UInt64, UInt64) { (self, 0) }
}
