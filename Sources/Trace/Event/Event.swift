// SPDX-License-Identifier: Apache-2.0

/// One thing that happened, in the form that readers hand out: 80 bytes, no references.
///
///     if event.kind == .dataDirty { print(Payload.DataDirty(event).version) }
///
/// Strings are ids into the ``Names`` of the reader that made the event; a chunk on disk has its
/// own smaller tables. An event belongs to the stream of the process that it is *about*;
/// ``observer`` says which party saw it.
@frozen
public struct Event: Sendable {
  /// The number of arguments an event can carry.
  @inlinable
  public static var argumentsMax: Int { 4 }

  /// The position in its stream, from 0; fold order is sequence order.
  public var sequence: UInt64
  /// When it happened, on its host's clock.
  public var time: HostTime
  /// Ties begin to end, or names the object: see ``KindInfo/identity``.
  public var identity: UInt64
  /// The four arguments, which ``EventPayload`` calls by name; typed by ``KindInfo/fields`` and then ``Site/labels``.
  public var arguments: (UInt64, UInt64, UInt64, UInt64)
  /// Where in the source it was emitted; ``SiteID/none`` for none.
  public var site: SiteID
  /// The thread, numbered within the stream; see ``ThreadID``.
  public var thread: ThreadID
  /// The stream it belongs to, numbered by the reader.
  public var stream: StreamID
  /// The kind of the event: which of the vocabulary's sentences it is.
  public var kind: EventKind
  /// The raw value of ``observer``.
  public var observerCode: UInt8
  /// Facts about the delivery, such as ``EventFlags/late``.
  public var flags: EventFlags
  /// How many of the arguments were given.
  public var argumentCount: UInt8

  /// Makes an event; arguments beyond those given are 0.
  @inlinable
  public init(
    _ kind: EventKind,
    at time: HostTime,
    thread: ThreadID = .main,
    site: SiteID = .none,
    identity: UInt64 = 0,
    arguments: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0),
    argumentCount: UInt8 = 0,
    observer: Observer = .own,
    flags: EventFlags = [],
    sequence: UInt64 = 0,
    stream: StreamID = StreamID(rawValue: 0)
  ) {
    self.sequence = sequence
    self.time = time
    self.identity = identity
    self.arguments = arguments
    self.site = site
    self.thread = thread
    self.stream = stream
    self.kind = kind
    self.observerCode = observer.rawValue
    self.flags = flags
    self.argumentCount = argumentCount
  }

  /// The party that saw it; an unknown code of a later version reads as ``Observer/inferred``.
  @inlinable
  public var observer: Observer { Observer(rawValue: observerCode) ?? .inferred }

  /// The identity as a name, for kinds whose identity is one.
  @inlinable
  public var identityName: NameID { NameID(word: identity) }

  /// The argument at `index`, 0 to 3.
  @inlinable
  public subscript(index: Int) -> UInt64 {
    get {
      switch index {
      case 0: arguments.0
      case 1: arguments.1
      case 2: arguments.2
      default: arguments.3
      }
    }
    set {
      switch index {
      case 0: arguments.0 = newValue
      case 1: arguments.1 = newValue
      case 2: arguments.2 = newValue
      default: arguments.3 = newValue
      }
    }
  }
}

/// Facts about how an event reached the trace.
@frozen
public struct EventFlags: OptionSet, Hashable, Sendable {
  /// The bits on disk.
  public let rawValue: UInt8

  /// Any bits are accepted; unknown ones are kept.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It arrived after events with later times.
  ///
  /// Its thread was preempted between reading the clock and committing. It keeps its time and gets the next number.
  public static let late = EventFlags(rawValue: 1)
  /// It was not observed but follows from other events.
  public static let inferred = EventFlags(rawValue: 2)
  /// Its time is known to ±20 ms only (a sample of /proc).
  public static let sampled = EventFlags(rawValue: 4)
}
