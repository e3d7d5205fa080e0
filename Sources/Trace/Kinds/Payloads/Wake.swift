// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `wake.begin`: the system woke or launched the app in the background.
  @frozen
  public struct WakeBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .wakeBegin }
    /// Ties the completion to it.
    public var id: UInt64
    /// Such as `push`, `fetch`, `location`.
    public var reason: NameID
    /// Nanoseconds: what the app may take; nil where it was not said.
    public var budget: Int64?

    /// What a writer says.
    @inlinable public init(id: UInt64, reason: NameID, budget: Int64? = nil) {
      self.id = id
      self.reason = reason
      self.budget = budget
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.reason = NameID(word: event.arguments.0)
      self.budget = event.argumentCount > 1 ? Int64(clamping: event.arguments.1) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: id, reason.word, budget.map { UInt64(bitPattern: $0) })
    }
  }

  /// `wake.completion`: the app called the completion handler of a wake.
  @frozen
  public struct WakeCompletion: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .wakeCompletion }
    /// That of the begin.
    public var id: UInt64
    /// What the app told the system.
    public var result: NameID

    /// What a writer says.
    @inlinable public init(id: UInt64, result: NameID) {
      self.id = id
      self.result = result
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.result = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id, result.word) }
  }

  /// `wake.reported`: the app reported the incoming call for which it was woken.
  @frozen
  public struct WakeReported: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .wakeReported }
    /// That of the begin.
    public var id: UInt64
    /// What identifies the call; may be empty.
    public var call: NameID

    /// What a writer says.
    @inlinable public init(id: UInt64, call: NameID) {
      self.id = id
      self.call = call
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.call = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id, call.word) }
  }
}
