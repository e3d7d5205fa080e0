// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `work.begin`: a span of work began.
  @frozen
  public struct WorkBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .workBegin }
    /// Ties the end to it.
    public var id: UInt64
    /// What the work does.
    public var kind: Coded<WorkKind>
    /// The queue or the executor that it runs on; nil where it was not said.
    public var queue: NameID?
    /// Whether it suspends: its thread does other work between; nil where it was not said.
    public var async: Bool?

    /// What a writer says.
    @inlinable public init(id: UInt64, kind: WorkKind, queue: NameID? = nil, async: Bool? = nil) {
      self.id = id
      self.kind = Coded(kind)
      self.queue = queue
      self.async = async
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.kind = Coded(rawValue: event.arguments.0)
      self.queue = event.argumentCount > 1 ? NameID(word: event.arguments.1) : nil
      self.async = event.argumentCount > 2 ? event.arguments.2 != 0 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: id, kind.rawValue, queue?.word, async.map { $0 ? 1 : 0 })
    }
  }

  /// `work.end`: a span of work ended, perhaps on another thread.
  @frozen
  public struct WorkEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .workEnd }
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

  /// `wait.begin`: a thread began to wait for somebody.
  @frozen
  public struct WaitBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .waitBegin }
    /// Ties the end to it.
    public var id: UInt64
    /// Who or what it waits for.
    public var on: NameID

    /// What a writer says.
    @inlinable public init(id: UInt64, on: NameID) {
      self.id = id
      self.on = on
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.on = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id, on.word) }
  }

  /// `wait.end`: the wait is over.
  @frozen
  public struct WaitEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .waitEnd }
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
