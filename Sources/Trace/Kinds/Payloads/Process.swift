// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `process.start`: a process came to life; who, why and after whom.
  @frozen
  public struct ProcessStart: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .processStart }
    /// The lower half of the writer id of the incarnation before; 0 for none.
    public var previous: UInt64
    /// Why it was launched, such as `icon`, `push`, `prewarm`.
    public var reason: NameID
    /// Its bundle id or, without one, the executable's name.
    public var app: NameID
    /// The version of the app, as it gives it; nil where it was not said.
    public var version: NameID?

    /// What a writer says.
    @inlinable public init(previous: UInt64, reason: NameID, app: NameID, version: NameID? = nil) {
      self.previous = previous
      self.reason = reason
      self.app = app
      self.version = version
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.previous = event.identity
      self.reason = NameID(word: event.arguments.0)
      self.app = NameID(word: event.arguments.1)
      self.version = event.argumentCount > 2 ? NameID(word: event.arguments.2) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: previous, reason.word, app.word, version?.word)
    }
  }

  /// `process.config`: a configuration key of the app: plist keys, modes, linked SDK, scenes.
  @frozen
  public struct ProcessConfig: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .processConfig }
    /// Which key.
    public var key: NameID
    /// What it is set to.
    public var value: NameID

    /// What a writer says.
    @inlinable public init(key: NameID, value: NameID) {
      self.key = key
      self.value = value
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.key = NameID(word: event.identity)
      self.value = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: key.word, value.word) }
  }

  /// `process.exit`: the process ended; the cause, its code and what tells so.
  @frozen
  public struct ProcessExit: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .processExit }
    /// Such as `exit`, `signal`, `watchdog`, `jetsam`.
    public var cause: NameID
    /// A termination code (0x8badf00d), an exit status or a signal, by the cause.
    public var code: UInt64
    /// How the end is known.
    public var evidence: NameID
    /// What the main thread did when the system killed it, such as `asleep in fsync`; nil where it was not said.
    public var main: NameID?

    /// What a writer says.
    @inlinable public init(cause: NameID, code: UInt64, evidence: NameID, main: NameID? = nil) {
      self.cause = cause
      self.code = code
      self.evidence = evidence
      self.main = main
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.cause = NameID(word: event.arguments.0)
      self.code = event.arguments.1
      self.evidence = NameID(word: event.arguments.2)
      self.main = event.argumentCount > 3 ? NameID(word: event.arguments.3) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(cause.word, code, evidence.word, main?.word)
    }
  }

  /// `process.seen`: a process without the SDK ran and ended: one event for its whole life.
  @frozen
  public struct ProcessSeen: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .processSeen }
    /// Its number.
    public var pid: UInt64
    /// That of the process that started it.
    public var parent: UInt64
    /// Its program and arguments; empty where it was gone before they were read.
    public var command: NameID
    /// Nanoseconds: from its first sight to its end.
    public var lasted: Int64
    /// Its exit code, 128 + N for signal N, and 256 where nobody knows.
    public var status: UInt64

    /// What a writer says.
    @inlinable public init(
      pid: UInt64,
      parent: UInt64,
      command: NameID,
      lasted: Int64,
      status: UInt64
    ) {
      self.pid = pid
      self.parent = parent
      self.command = command
      self.lasted = lasted
      self.status = status
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.pid = event.identity
      self.parent = event.arguments.0
      self.command = NameID(word: event.arguments.1)
      self.lasted = Int64(clamping: event.arguments.2)
      self.status = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: pid, parent, command.word, UInt64(bitPattern: lasted), status)
    }
  }
}
