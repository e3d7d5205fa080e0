// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `deadline.open`: a time budget began to run.
  @frozen
  public struct DeadlineOpen: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .deadlineOpen }
    /// Ties the close to it.
    public var id: UInt64
    /// What must be done.
    public var what: NameID
    /// Nanoseconds: the time for it.
    public var budget: Int64
    /// The clock that the budget is of.
    public var clock: Coded<BudgetClock>

    /// What a writer says.
    @inlinable public init(id: UInt64, what: NameID, budget: Int64, clock: BudgetClock) {
      self.id = id
      self.what = what
      self.budget = budget
      self.clock = Coded(clock)
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.what = NameID(word: event.arguments.0)
      self.budget = Int64(clamping: event.arguments.1)
      self.clock = Coded(rawValue: event.arguments.2)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: id, what.word, UInt64(bitPattern: budget), clock.rawValue)
    }
  }

  /// `deadline.close`: what the budget was for is done.
  @frozen
  public struct DeadlineClose: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .deadlineClose }
    /// That of the open.
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
