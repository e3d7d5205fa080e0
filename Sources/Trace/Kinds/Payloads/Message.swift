// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `message.send`: a message left for another process.
  @frozen
  public struct MessageSend: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .messageSend }
    /// The same at the sender and the receiver.
    public var flow: UInt64
    /// The receiver.
    public var peer: NameID
    /// Bytes: the size of the message.
    public var bytes: UInt64
    /// The sender's hybrid logical clock.
    public var hlc: UInt64
    /// Numbers the messages of a flow.
    public var count: UInt64

    /// What a writer says.
    @inlinable public init(flow: UInt64, peer: NameID, bytes: UInt64, hlc: UInt64, count: UInt64) {
      self.flow = flow
      self.peer = peer
      self.bytes = bytes
      self.hlc = hlc
      self.count = count
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.flow = event.identity
      self.peer = NameID(word: event.arguments.0)
      self.bytes = event.arguments.1
      self.hlc = event.arguments.2
      self.count = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: flow, peer.word, bytes, hlc, count)
    }
  }

  /// `message.receive`: a message arrived from another process.
  @frozen
  public struct MessageReceive: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .messageReceive }
    /// The same at the sender and the receiver.
    public var flow: UInt64
    /// The sender.
    public var peer: NameID
    /// Bytes: the size of the message.
    public var bytes: UInt64
    /// The receiver's hybrid logical clock.
    public var hlc: UInt64
    /// Numbers the messages of a flow.
    public var count: UInt64

    /// What a writer says.
    @inlinable public init(flow: UInt64, peer: NameID, bytes: UInt64, hlc: UInt64, count: UInt64) {
      self.flow = flow
      self.peer = peer
      self.bytes = bytes
      self.hlc = hlc
      self.count = count
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.flow = event.identity
      self.peer = NameID(word: event.arguments.0)
      self.bytes = event.arguments.1
      self.hlc = event.arguments.2
      self.count = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: flow, peer.word, bytes, hlc, count)
    }
  }

  /// `message.trace`: the message of a flow belongs to a trace: a request and all that it leads to.
  @frozen
  public struct MessageTrace: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .messageTrace }
    /// That of the message.
    public var flow: UInt64
    /// The first half of the trace id of W3C Trace Context.
    public var high: UInt64
    /// The second half.
    public var low: UInt64
    /// The flow of the message that led to it; 0 for none.
    public var parent: UInt64

    /// What a writer says.
    @inlinable public init(flow: UInt64, high: UInt64, low: UInt64, parent: UInt64) {
      self.flow = flow
      self.high = high
      self.low = low
      self.parent = parent
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.flow = event.identity
      self.high = event.arguments.0
      self.low = event.arguments.1
      self.parent = event.arguments.2
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: flow, high, low, parent) }
  }
}
