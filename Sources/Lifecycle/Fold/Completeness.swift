// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// A set of event families.
@frozen
public struct FamilySet: OptionSet, Hashable, Sendable {
  /// One bit a family, by its raw value.
  public let rawValue: UInt32
  /// The families of those bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The set of one family.
  public init(_ family: EventFamily) { rawValue = 1 << UInt32(family.rawValue) }
  /// Every family: after a gap in the sequence numbers it is unknown what is gone.
  public static let all = FamilySet(rawValue: (1 << UInt32(EventFamily.allCases.count)) - 1)

  /// Whether `family` is one of them.
  public func contains(_ family: EventFamily) -> Bool {
    rawValue & (1 << UInt32(family.rawValue)) != 0
  }
}

/// Since when the ledger of one family is complete.
///
/// An entry that is younger than ``since`` is certain; about one that is older,
/// or about the absence of entries, something may have been lost.
public struct Completeness: Hashable, Sendable {
  /// Nothing is missing from here on.
  public var since: Since
  /// How many events of the family are known to be lost, over the whole stream.
  public var lost: UInt64
  /// Whether there was no room for something: all that is there can be trusted, and there may be more.
  ///
  /// It stays so whatever is lost later: what there was no room for is not known to have ended.
  public internal(set) var isFull = false

  /// There is no room for something.
  mutating func overflow() {
    isFull = true
    // What is older than a loss is no more certain than it was.
    if since == .birth { since = .time(HostTime(rawValue: .min)) }
  }

  /// The point from which a ledger is complete.
  public enum Since: Hashable, Sendable {
    /// From the start of the process: nothing at all is missing.
    case birth
    /// From this time on: the recording began then, or events were lost just before.
    ///
    /// At the lowest of all times nothing was lost, but the ledger had no room for something.
    case time(HostTime)
  }

  /// Whether an entry made at `time` can be trusted to be still true.
  ///
  /// One made at the very begin of ``since`` can: a loss puts that behind all that was known by then.
  public func covers(_ time: HostTime) -> Bool {
    switch since {
    case .birth: true
    case .time(let begin): time >= begin
    }
  }

  /// Whether nothing at all is missing.
  public var isWhole: Bool { since == .birth }
}

/// The completeness of every family's ledger.
public struct CompletenessTable: Hashable, Sendable {
  private var entries: [Completeness]

  /// Nothing has been seen yet.
  public init() {
    entries = Array(
      repeating: Completeness(since: .time(HostTime(rawValue: .min)), lost: 0),
      count: EventFamily.allCases.count
    )
  }

  /// The completeness of `family`'s ledger.
  public subscript(family: EventFamily) -> Completeness {
    get { entries[Int(family.rawValue)] }
    set { entries[Int(family.rawValue)] = newValue }
  }

  /// How many events are known to be lost, in all families.
  public var lost: UInt64 { entries.reduce(0) { $0 &+ $1.lost } }

  /// Sets all ledgers to begin at `since`, forgetting no counts.
  mutating func begin(_ since: Completeness.Since) {
    for index in entries.indices { entries[index].since = since }
  }

  /// Before the first event no table has been full.
  mutating func empty() {
    for index in entries.indices { entries[index].isFull = false }
  }
}
