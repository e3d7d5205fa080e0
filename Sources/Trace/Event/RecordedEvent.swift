// SPDX-License-Identifier: Apache-2.0

/// A 64-bit argument before its strings have numbers.
public enum RecordedValue: Hashable, Sendable {
  /// The 64 bits as they are.
  case number(UInt64)
  /// A string, interned by the recorder.
  case name(String)
  /// A piece of a string that was cut: a secret may stand across the cut.
  case part(String)
}

/// The names of a payload that are texts yet: what a recorder will intern.
public struct RecordedNames {
  private var values: [RecordedValue] = [.name("")]

  /// What stands for `text` in the payload.
  public mutating func name(_ text: String) -> NameID { name(.name(text)) }

  /// What stands for a string in the payload, which may be a piece of one.
  public mutating func name(_ value: RecordedValue) -> NameID {
    values.append(value)
    return NameID(word: UInt64(values.count - 1))
  }

  fileprivate func value(_ word: UInt64, _ type: FieldType?) -> RecordedValue {
    type == .name ? values[Int(word)] : .number(word)
  }
}

/// An event that the host or the recorder saw, on its way into the stream of the process it is about.
///
///     recorder.record(
///       RecordedEvent { Payload.Purge(cause: $0.name("memory"), evidence: $0.name("host")) },
///       about: writer)
public struct RecordedEvent: Sendable {
  /// The kind of the event.
  public var kind: EventKind
  /// When; nil is the moment at which it is handed to the recorder.
  public var time: HostTime?
  /// The thread it is about.
  public var thread: ThreadID
  /// Ties begin to end, or names the object.
  public var identity: RecordedValue
  /// At most ``Event/argumentsMax`` arguments.
  public var arguments: [RecordedValue]
  /// The party that saw it.
  public var observer: Observer
  /// Facts about the observation.
  public var flags: EventFlags
  /// The name of its site, such as a callback's selector; empty for none.
  public var name: String
  /// `#fileID` or the path of a scenario; empty for none.
  public var file: String
  /// The line in ``file``.
  public var line: UInt32

  /// Makes an event that says what `payload` makes, which gets its names by their text.
  public init<Said: EventPayload>(
    at time: HostTime? = nil,
    name: String = "",
    thread: ThreadID = .main,
    observer: Observer = .host,
    flags: EventFlags = [],
    _ payload: (inout RecordedNames) -> Said
  ) {
    self.init(Said.kind, at: time)
    self.name = name
    self.thread = thread
    self.observer = observer
    self.flags = flags
    var names = RecordedNames()
    let event = Event(payload(&names), at: HostTime(rawValue: 0))
    let info = kind.info
    identity = names.value(event.identity, info?.identity?.type)
    arguments = (0..<Int(event.argumentCount)).map {
      names.value(event[$0], info?.fields[$0].type)
    }
  }

  /// Makes an event of any kind that says nothing yet.
  package init(_ kind: EventKind, at time: HostTime?) {
    self.kind = kind
    self.time = time
    thread = .main
    identity = .number(0)
    arguments = []
    observer = .host
    flags = []
    name = ""
    file = ""
    line = 0
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
