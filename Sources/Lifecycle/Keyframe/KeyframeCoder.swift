// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// One of the two directions in which the parts of a keyframe go: each part says once what it is
/// made of, and a ``KeyframeWriter`` takes it, or a ``KeyframeReader`` gives it.
protocol KeyframeCoder: ~Copyable {
  /// What reading throws; writing throws nothing.
  associatedtype Failure: Error

  mutating func number(_ value: inout UInt64) throws(Failure)
  mutating func signed(_ value: inout Int64) throws(Failure)
  /// A number that is more than 32 bits only where it is damaged; `what` names it.
  mutating func small(_ value: inout UInt32, _ what: String) throws(Failure)
  mutating func flag(_ value: inout Bool) throws(Failure)
  mutating func name(_ value: inout NameID) throws(Failure)
  mutating func site(_ value: inout SiteID) throws(Failure)
  /// A value of an enumeration that the fold knows whole; `what` names it.
  mutating func code<Code: RawRepresentable<UInt8>>(
    _ value: inout Code,
    _ what: String
  ) throws(Failure)
  /// A code that may be of a later version: beyond 255 it reads as 255.
  mutating func open(_ value: inout UInt8) throws(Failure)
  /// At most `limit` things, each of at least one byte.
  mutating func count(_ value: inout Int, max limit: Int) throws(Failure)

  /// Count, then the pairs in the order of their keys; `blank` makes the value of a key.
  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max limit: Int,
    _ blank: (Key) -> Value
  ) throws(Failure)
}

/// What a keyframe is made of, in its order.
protocol KeyframePart {
  /// One whose parts are all still to be read.
  init()

  /// Hands each part to `coder`.
  mutating func code<Coder: KeyframeCoder & ~Copyable>(
    with coder: inout Coder
  ) throws(Coder.Failure)
}

extension KeyframeCoder where Self: ~Copyable {
  mutating func time(_ value: inout HostTime) throws(Failure) {
    var bits = value.rawValue
    try signed(&bits)
    value = HostTime(rawValue: bits)
  }

  mutating func thread(_ value: inout ThreadID) throws(Failure) {
    var number = value.rawValue
    try small(&number, "thread")
    value = ThreadID(rawValue: number)
  }

  /// Whether it is there, then what it is.
  mutating func optional<Part: KeyframePart>(_ value: inout Part?) throws(Failure) {
    var isThere = value != nil
    try flag(&isThere)
    guard isThere else {
      value = nil
      return
    }
    var part = value ?? Part()
    try part.code(with: &self)
    value = part
  }

  mutating func table<Key: FlatKey & KeyframePart, Value: KeyframePart>(
    _ table: inout FlatTable<Key, Value>,
    max limit: Int
  ) throws(Failure) {
    try self.table(&table, max: limit) { _ in Value() }
  }
}
