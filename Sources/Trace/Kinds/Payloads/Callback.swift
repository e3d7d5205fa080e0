// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `callback.begin`: a delegate method was entered.
  @frozen
  public struct CallbackBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .callbackBegin }
    /// Ties the end to it.
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

  /// `callback.end`: a delegate method returned.
  @frozen
  public struct CallbackEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .callbackEnd }
    /// That of the begin.
    public var id: UInt64
    /// What it returned; nil where it was not said.
    public var returned: Int64?
    /// Nanoseconds: processor time that its thread spent in it; nil where it was not said.
    public var cpu: Int64?

    /// What a writer says.
    @inlinable public init(id: UInt64, returned: Int64? = nil, cpu: Int64? = nil) {
      self.id = id
      self.returned = returned
      self.cpu = cpu
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.returned = event.argumentCount > 0 ? Int64(bitPattern: event.arguments.0) : nil
      self.cpu = event.argumentCount > 1 ? Int64(clamping: event.arguments.1) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(
        identity: id,
        returned.map { UInt64(bitPattern: $0) },
        cpu.map { UInt64(bitPattern: $0) }
      )
    }
  }

  /// `turn.begin`: the main run loop took an item of work.
  @frozen
  public struct TurnBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .turnBegin }
    /// Ties the end to it.
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

  /// `turn.end`: the main run loop is done with the item.
  @frozen
  public struct TurnEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .turnEnd }
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
}
