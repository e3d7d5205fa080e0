// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `notification.posted`: a system change was announced to the app.
  @frozen
  public struct NotificationPosted: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .notificationPosted }
    /// What changed, such as `locale`.
    public var type: NameID
    /// Which of those of the type.
    public var key: NameID
    /// What it is now.
    public var value: NameID
    /// Where the change came from.
    public var origin: NameID

    /// What a writer says.
    @inlinable public init(type: NameID, key: NameID, value: NameID, origin: NameID) {
      self.type = type
      self.key = key
      self.value = value
      self.origin = origin
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.type = NameID(word: event.identity)
      self.key = NameID(word: event.arguments.0)
      self.value = NameID(word: event.arguments.1)
      self.origin = NameID(word: event.arguments.2)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: type.word, key.word, value.word, origin.word)
    }
  }

  /// `notification.coalesced`: several posts became one pending value while the app was suspended.
  @frozen
  public struct NotificationCoalesced: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .notificationCoalesced }
    /// What changed.
    public var type: NameID
    /// Which of those of the type.
    public var key: NameID
    /// What it is now.
    public var value: NameID
    /// How many posts it stands for.
    public var posts: UInt64

    /// What a writer says.
    @inlinable public init(type: NameID, key: NameID, value: NameID, posts: UInt64) {
      self.type = type
      self.key = key
      self.value = value
      self.posts = posts
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.type = NameID(word: event.identity)
      self.key = NameID(word: event.arguments.0)
      self.value = NameID(word: event.arguments.1)
      self.posts = event.arguments.2
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: type.word, key.word, value.word, posts)
    }
  }

  /// `notification.delivered`: the app was handed the notification.
  @frozen
  public struct NotificationDelivered: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .notificationDelivered }
    /// What changed.
    public var type: NameID
    /// Which of those of the type.
    public var key: NameID
    /// What it is now.
    public var value: NameID

    /// What a writer says.
    @inlinable public init(type: NameID, key: NameID, value: NameID) {
      self.type = type
      self.key = key
      self.value = value
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.type = NameID(word: event.identity)
      self.key = NameID(word: event.arguments.0)
      self.value = NameID(word: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: type.word, key.word, value.word)
    }
  }

  /// `notification.handled`: an observer in the app dealt with the notification.
  @frozen
  public struct NotificationHandled: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .notificationHandled }
    /// What changed.
    public var type: NameID
    /// Which of those of the type.
    public var key: NameID
    /// Nanoseconds: from the delivery on.
    public var took: Int64

    /// What a writer says.
    @inlinable public init(type: NameID, key: NameID, took: Int64) {
      self.type = type
      self.key = key
      self.took = took
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.type = NameID(word: event.identity)
      self.key = NameID(word: event.arguments.0)
      self.took = Int64(clamping: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: type.word, key.word, UInt64(bitPattern: took))
    }
  }

  /// `notification.dropped`: a notification that nobody will be told of.
  @frozen
  public struct NotificationDropped: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .notificationDropped }
    /// What changed.
    public var type: NameID
    /// Which of those of the type.
    public var key: NameID
    /// What nobody was told.
    public var value: NameID
    /// What ended the app that it waited for, or why it never waits.
    public var why: NameID

    /// What a writer says.
    @inlinable public init(type: NameID, key: NameID, value: NameID, why: NameID) {
      self.type = type
      self.key = key
      self.value = value
      self.why = why
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.type = NameID(word: event.identity)
      self.key = NameID(word: event.arguments.0)
      self.value = NameID(word: event.arguments.1)
      self.why = NameID(word: event.arguments.2)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: type.word, key.word, value.word, why.word)
    }
  }
}
