// SPDX-License-Identifier: Apache-2.0

/// A 64-bit argument before its strings have numbers.
public enum RecordedValue: Hashable, Sendable, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral
{
  /// The 64 bits as they are.
  case number(UInt64)
  /// A string, interned by the recorder.
  case name(String)
  /// A piece of a string that was cut: a secret may stand across the cut.
  case part(String)

  /// How grave a line of a log is.
  package static func level(_ level: LogLevel) -> RecordedValue { .number(UInt64(level.rawValue)) }

  /// A number; negative ones by their two's complement.
  public init(integerLiteral value: Int64) { self = .number(UInt64(bitPattern: value)) }

  /// A string.
  public init(stringLiteral value: String) { self = .name(value) }
}

/// An event that the host or the recorder saw, on its way into the stream of the process it is about.
///
///     recorder.record(
///       RecordedEvent(.notificationPosted, identity: "locale", ["region", "de_DE", "system"]),
///       about: writer)
public struct RecordedEvent: Sendable {
  /// What it says.
  public var kind: EventKind
  /// When; nil is the moment at which it is handed to the recorder.
  public var time: HostTime?
  /// The thread it is about.
  public var thread: ThreadID
  /// Ties begin to end, or names the object.
  public var identity: RecordedValue
  /// At most ``Event/argumentsMax`` arguments.
  public var arguments: [RecordedValue]
  /// Who saw it.
  public var observer: Observer
  /// Facts about the observation.
  public var flags: EventFlags
  /// The name of its site, such as a callback's selector; empty for none.
  public var name: String
  /// `#fileID` or the path of a scenario; empty for none.
  public var file: String
  /// The line in ``file``.
  public var line: UInt32

  /// Makes an event of the host.
  public init(
    _ kind: EventKind,
    at time: HostTime? = nil,
    name: String = "",
    identity: RecordedValue = 0,
    _ arguments: [RecordedValue] = [],
    thread: ThreadID = .main,
    observer: Observer = .host,
    flags: EventFlags = [],
    file: String = "",
    line: UInt32 = 0
  ) {
    self.kind = kind
    self.time = time
    self.name = name
    self.identity = identity
    self.arguments = arguments
    self.thread = thread
    self.observer = observer
    self.flags = flags
    self.file = file
    self.line = line
  }

  /// The same with numbers for its strings, which `intern` gives; the site is interned in `names`.
  package func event(
    at time: HostTime,
    names: inout Names,
    intern: (_ string: String, _ isCut: Bool, inout Names) -> NameID
  )
    -> Event
  {
    func bits(_ value: RecordedValue) -> UInt64 {
      switch value {
      case .number(let number): number
      case .name(let text): UInt64(intern(text, false, &names).rawValue)
      case .part(let text): UInt64(intern(text, true, &names).rawValue)
      }
    }
    var event = Event(
      kind,
      at: time,
      thread: thread,
      identity: bits(identity),
      argumentCount: UInt8(min(arguments.count, Event.argumentsMax)),
      observer: observer,
      flags: flags
    )
    for (index, value) in arguments.prefix(Event.argumentsMax).enumerated() {
      event[index] = bits(value)
    }
    if !name.isEmpty || !file.isEmpty {
      let site = Site(
        name: intern(name, false, &names),
        file: intern(file, false, &names),
        line: line
      )
      event.site = names.intern(site)
    }
    return event
  }
}
