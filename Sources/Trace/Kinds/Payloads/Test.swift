// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `test.begin`: a test of a harness began.
  @frozen
  public struct TestBegin: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .testBegin }
    /// Ties the end to it.
    public var id: UInt64
    /// The suite; empty for none.
    public var suite: NameID
    /// The test.
    public var name: NameID

    /// What a writer says.
    @inlinable public init(id: UInt64, suite: NameID, name: NameID) {
      self.id = id
      self.suite = suite
      self.name = name
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.suite = NameID(word: event.arguments.0)
      self.name = NameID(word: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id, suite.word, name.word) }
  }

  /// `test.end`: a test of a harness ended.
  @frozen
  public struct TestEnd: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .testEnd }
    /// That of the begin.
    public var id: UInt64
    /// Such as `passed`, `failed`.
    public var outcome: NameID

    /// What a writer says.
    @inlinable public init(id: UInt64, outcome: NameID) {
      self.id = id
      self.outcome = outcome
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.id = event.identity
      self.outcome = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: id, outcome.word) }
  }
}
