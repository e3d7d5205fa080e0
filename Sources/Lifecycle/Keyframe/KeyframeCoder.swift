// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// One of the two directions in which the parts of a keyframe go: each part says once what it is
/// made of, and a ``KeyframeWriter`` takes it, or a ``KeyframeReader`` gives it.
///
/// A reader that meets damage keeps the first it met, and gives nothing from there on.
protocol KeyframeCoder: ~Copyable {
  /// Whether the keyframe says how often locks are held, and by whom besides: the second version does.
  var countsLocks: Bool { get }
  mutating func number(_ value: inout UInt64)
  mutating func signed(_ value: inout Int64)
  /// A number that is more than 32 bits only where it is damaged; `what` names it.
  mutating func small(_ value: inout UInt32, _ what: String)
  mutating func flag(_ value: inout Bool)
  mutating func name(_ value: inout NameID)
  mutating func site(_ value: inout SiteID)
  /// A value of an enumeration that the fold knows whole; `what` names it.
  mutating func code<Code: RawRepresentable<UInt8>>(
    _ value: inout Code,
    _ what: String
  )
  /// A code that may be of a later version: beyond 255 it reads as 255.
  mutating func open(_ value: inout UInt8)
  /// At most `limit` things, each of at least one byte.
  mutating func count(_ value: inout Int, max limit: Int)

  /// Count, then the pairs in the order of their keys; `blank` makes the value of a key.
  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max limit: Int,
    _ blank: (Key) -> Value
  )
}

/// What a keyframe is made of, in its order.
protocol KeyframePart {
  /// One whose parts are all still to be read.
  init()

  /// Hands each part to `coder`.
  mutating func code(with coder: inout some KeyframeCoder & ~Copyable)
}

extension KeyframeCoder where Self: ~Copyable {
  mutating func time(_ value: inout HostTime) {
    var bits = value.rawValue
    signed(&bits)
    value = HostTime(rawValue: bits)
  }

  mutating func thread(_ value: inout ThreadID) {
    var number = value.rawValue
    small(&number, "thread")
    value = ThreadID(rawValue: number)
  }

  /// Whether it is there, then what it is.
  mutating func optional<Part: KeyframePart>(_ value: inout Part?) {
    var isThere = value != nil
    flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var part = value ?? Part()
    part.code(with: &self)
    value = part
  }

  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max limit: Int
  ) {
    self.table(&table, max: limit) { _ in Value() }
  }
}
