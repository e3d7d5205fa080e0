// SPDX-License-Identifier: Apache-2.0

/// What the events of one kind carry, by name.
///
///     let edit = Payload.DataDirty(event)           // edit.version, edit.bytes, edit.hash
///     Event(Payload.DataDurable(object: draft, version: 3, level: .disk, …), at: time)
///
/// A view of identity and arguments with their types; the numbers of an event stand here and
/// nowhere else. Reading costs only the fields that are read: nothing is allocated. An event of
/// another kind is read as if it were of this one.
public protocol EventPayload: Hashable, Sendable {
  /// The kind of such events.
  static var kind: EventKind { get }

  /// What an event says; arguments that it does not have are 0, or nil where they may be missing.
  init(_ event: borrowing Event)

  /// The words of an event that says so.
  var words: EventWords { get }
}

/// The payloads of the kinds of this version.
public enum Payload {}

/// The identity and the arguments of an event, as 64-bit words.
@frozen
public struct EventWords: Hashable, Sendable {
  /// The event's identity, as ``Event/identity``.
  public var identity: UInt64
  /// See ``Event/arguments``; nil from the first on that is not given.
  @usableFromInline let first, second, third, fourth: UInt64?

  /// Words of an event; one that is missing before another is 0.
  @inlinable
  public init(
    identity: UInt64 = 0,
    _ first: UInt64? = nil,
    _ second: UInt64? = nil,
    _ third: UInt64? = nil,
    _ fourth: UInt64? = nil
  ) {
    self.identity = identity
    self.first = first
    self.second = second
    self.third = third
    self.fourth = fourth
  }

  @inlinable var arguments: (UInt64, UInt64, UInt64, UInt64) {
    (first ?? 0, second ?? 0, third ?? 0, fourth ?? 0)
  }

  @inlinable var argumentCount: UInt8 {
    fourth != nil ? 4 : third != nil ? 3 : second != nil ? 2 : first != nil ? 1 : 0
  }
}

extension Event {
  /// Makes an event that says `payload`.
  @inlinable
  public init(
    _ payload: some EventPayload,
    at time: HostTime,
    thread: ThreadID = .main,
    site: SiteID = .none,
    observer: Observer = .own,
    flags: EventFlags = [],
    sequence: UInt64 = 0,
    stream: StreamID = StreamID(rawValue: 0)
  ) {
    self.init(
      type(of: payload).kind,
      at: time,
      thread: thread,
      site: site,
      observer: observer,
      flags: flags,
      sequence: sequence,
      stream: stream
    )
    put(payload)
  }

  /// Says `payload` from now on, at the same time and place.
  @inlinable
  public mutating func put<Said: EventPayload>(_ payload: Said) {
    let words = payload.words
    kind = Said.kind
    identity = words.identity
    arguments = words.arguments
    argumentCount = words.argumentCount
  }
}

/// A number of a vocabulary, as an event carries it: a later version's is kept, and has no value here.
@frozen
public struct Coded<Value: RawRepresentable<UInt8> & Sendable>: Hashable, Sendable {
  /// The 64 bits of the event.
  public var rawValue: UInt64

  /// The number of an event.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number of `value`.
  @inlinable
  public init(_ value: Value) { rawValue = UInt64(value.rawValue) }

  /// Its meaning; nil for a number that this version does not know.
  @inlinable
  public var value: Value? { Value(rawValue: UInt8(clamping: rawValue)) }
}

extension NameID {
  /// The name whose number stands in a word of an event.
  @inlinable
  public init(word: UInt64) { self.init(rawValue: UInt32(truncatingIfNeeded: word)) }

  /// Its number as a word of an event.
  @inlinable
  public var word: UInt64 { UInt64(rawValue) }
}
