// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `task.begin`: a background task was granted, or refused: without id and time.
  @frozen
  public struct TaskBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .taskBegin }
    /// Ties expiry and end to it; 0 with 0 granted where it was refused.
    public var id: UInt64
    /// The app's own name for it.
    public var name: NameID
    /// Nanoseconds: the time that it has in the background; nil where it was not said.
    public var granted: Int64?
    /// Whether it has an expiration handler; nil where it was not said.
    public var handler: Bool?

    /// What a writer says.
    @inlinable public init(id: UInt64, name: NameID, granted: Int64? = nil, handler: Bool? = nil) {
      self.id = id
      self.name = name
      self.granted = granted
      self.handler = handler
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.name = NameID(word: event.arguments.0)
      self.granted = event.argumentCount > 1 ? Int64(clamping: event.arguments.1) : nil
      self.handler = event.argumentCount > 2 ? event.arguments.2 != 0 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(
        identity: id,
        name.word,
        granted.map { UInt64(bitPattern: $0) },
        handler.map { $0 ? 1 : 0 }
      )
    }
  }

  /// `task.expire`: the expiration handler of a background task was called.
  @frozen
  public struct TaskExpire: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .taskExpire }
    /// That of the begin.
    public var id: UInt64

    /// What a writer says.
    @inlinable public init(id: UInt64) {
      self.id = id
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id) }
  }

  /// `task.end`: a background task was ended by the app.
  @frozen
  public struct TaskEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .taskEnd }
    /// That of the begin.
    public var id: UInt64
    /// Nanoseconds: processor time of the process so far; nil where it was not said.
    public var cpu: Int64?

    /// What a writer says.
    @inlinable public init(id: UInt64, cpu: Int64? = nil) {
      self.id = id
      self.cpu = cpu
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.cpu = event.argumentCount > 0 ? Int64(clamping: event.arguments.0) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: id, cpu.map { UInt64(bitPattern: $0) })
    }
  }
}
