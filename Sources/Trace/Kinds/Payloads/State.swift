// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `state.transition`: the app went from one state to another.
  @frozen
  public struct Transition: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .transition }
    /// The state before.
    public var from: Coded<AppState>
    /// The state after.
    public var to: Coded<AppState>
    /// What led to it.
    public var cause: NameID
    /// Nanoseconds: processor time of the process so far; nil where it was not said.
    public var cpu: Int64?

    /// What a writer says.
    @inlinable public init(from: AppState, to: AppState, cause: NameID, cpu: Int64? = nil) {
      self.from = Coded(from)
      self.to = Coded(to)
      self.cause = cause
      self.cpu = cpu
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.from = Coded(rawValue: event.arguments.0)
      self.to = Coded(rawValue: event.arguments.1)
      self.cause = NameID(word: event.arguments.2)
      self.cpu = event.argumentCount > 3 ? Int64(clamping: event.arguments.3) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(from.rawValue, to.rawValue, cause.word, cpu.map { UInt64(bitPattern: $0) })
    }
  }

  /// `state.suspend`: the process was stopped; stamped after the stop was confirmed.
  @frozen
  public struct Suspend: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .suspend }
    /// How the stop is known.
    public var evidence: NameID

    /// What a writer says.
    @inlinable public init(evidence: NameID) {
      self.evidence = evidence
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.evidence = NameID(word: event.arguments.0)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(evidence.word) }
  }

  /// `state.resume`: the process will run again; stamped before the continue is sent.
  @frozen
  public struct Resume: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .resume }
    /// What it is wanted for.
    public var reason: NameID
    /// How the continue is known.
    public var evidence: NameID

    /// What a writer says.
    @inlinable public init(reason: NameID, evidence: NameID) {
      self.reason = reason
      self.evidence = evidence
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.reason = NameID(word: event.arguments.0)
      self.evidence = NameID(word: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(reason.word, evidence.word) }
  }

  /// `state.purge`: the system took the memory of the app, without notice.
  @frozen
  public struct Purge: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .purge }
    /// What the memory was wanted for.
    public var cause: NameID
    /// How the purge is known.
    public var evidence: NameID

    /// What a writer says.
    @inlinable public init(cause: NameID, evidence: NameID) {
      self.cause = cause
      self.evidence = evidence
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.cause = NameID(word: event.arguments.0)
      self.evidence = NameID(word: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(cause.word, evidence.word) }
  }
}
