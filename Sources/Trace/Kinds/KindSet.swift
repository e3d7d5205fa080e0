// SPDX-License-Identifier: Apache-2.0

/// Which kinds a chunk holds, one bit each, so that a search skips the chunk undecoded.
@frozen
public struct KindSet: Hashable, Sendable {
  /// Kinds 0-63, 64-127, 128-191 and 192-255.
  public var words: (UInt64, UInt64, UInt64, UInt64)

  /// The set without kinds.
  @inlinable
  public init() { words = (0, 0, 0, 0) }

  /// The kinds of a list.
  public init(_ kinds: some Sequence<EventKind>) {
    self.init()
    for kind in kinds { insert(kind) }
  }

  /// Adds `kind` to the set.
  public mutating func insert(_ kind: EventKind) {
    let bit = UInt64(1) << UInt64(kind.rawValue & 63)
    switch kind.rawValue >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  /// Whether the kind is there.
  @inlinable
  public func contains(_ kind: EventKind) -> Bool {
    let bit = UInt64(1) << UInt64(kind.rawValue & 63)
    let word =
      switch kind.rawValue >> 6 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return word & bit != 0
  }

  /// Adds the kinds of another set.
  public mutating func formUnion(_ other: KindSet) {
    words.0 |= other.words.0
    words.1 |= other.words.1
    words.2 |= other.words.2
    words.3 |= other.words.3
  }

  /// The kinds that are in both.
  public func intersection(_ other: KindSet) -> KindSet {
    var both = KindSet()
    both.words.0 = words.0 & other.words.0
    both.words.1 = words.1 & other.words.1
    both.words.2 = words.2 & other.words.2
    both.words.3 = words.3 & other.words.3
    return both
  }

  /// The kinds that are not in the other one.
  public func subtracting(_ other: KindSet) -> KindSet {
    var rest = KindSet()
    rest.words.0 = words.0 & ~other.words.0
    rest.words.1 = words.1 & ~other.words.1
    rest.words.2 = words.2 & ~other.words.2
    rest.words.3 = words.3 & ~other.words.3
    return rest
  }

  /// Whether the two have no kind in common.
  @inlinable
  public func isDisjoint(with other: KindSet) -> Bool {
    words.0 & other.words.0 == 0 && words.1 & other.words.1 == 0
      && words.2 & other.words.2 == 0 && words.3 & other.words.3 == 0
  }

  /// The kinds, by number.
  public var kinds: [EventKind] {
    var kinds: [EventKind] = []
    for (place, word) in [words.0, words.1, words.2, words.3].enumerated() {
      var rest = word
      while rest != 0 {
        kinds.append(EventKind(rawValue: UInt8(place * 64 + rest.trailingZeroBitCount)))
        rest &= rest - 1
      }
    }
    return kinds
  }

  /// Equal when the same kinds are in both.
  public static func == (left: KindSet, right: KindSet) -> Bool { left.words == right.words }

  /// Hashes the four words.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
