// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `data.dirty`: a new version of an object exists in memory only.
  @frozen
  public struct DataDirty: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataDirty }
    /// Which object.
    public var object: NameID
    /// Counts up from 1.
    public var version: UInt64
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(object: NameID, version: UInt64, bytes: UInt64, hash: UInt64) {
      self.object = object
      self.version = version
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.bytes = event.arguments.1
      self.hash = event.arguments.2
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, bytes, hash)
    }
  }

  /// `data.flushing`: a save of a version began.
  @frozen
  public struct DataFlushing: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataFlushing }
    /// Which object.
    public var object: NameID
    /// The one that is saved.
    public var version: UInt64
    /// Bytes: how much is written.
    public var bytes: UInt64
    /// The version that it replaces by other bytes, where this process has neither read nor written that; nil where it was not said.
    public var unread: UInt64?
    /// Bytes: how much it replaces that no version stands for, written by another program behind the last look; nil where it was not said.
    public var foreign: UInt64?

    /// What a writer says.
    @inlinable public init(
      object: NameID,
      version: UInt64,
      bytes: UInt64,
      unread: UInt64? = nil,
      foreign: UInt64? = nil
    ) {
      self.object = object
      self.version = version
      self.bytes = bytes
      self.unread = unread
      self.foreign = foreign
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.bytes = event.arguments.1
      self.unread = event.argumentCount > 2 ? event.arguments.2 : nil
      self.foreign = event.argumentCount > 3 ? event.arguments.3 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, bytes, unread, foreign)
    }
  }

  /// `data.durable`: a version has reached a durability level.
  @frozen
  public struct DataDurable: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataDurable }
    /// Which object.
    public var object: NameID
    /// The one that was saved.
    public var version: UInt64
    /// What it survives now.
    public var level: Coded<DurabilityLevel>
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(
      object: NameID,
      version: UInt64,
      level: DurabilityLevel,
      bytes: UInt64,
      hash: UInt64
    ) {
      self.object = object
      self.version = version
      self.level = Coded(level)
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.level = Coded(rawValue: event.arguments.1)
      self.bytes = event.arguments.2
      self.hash = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, level.rawValue, bytes, hash)
    }
  }

  /// `data.restored`: a version was read back from the object's own file.
  @frozen
  public struct DataRestored: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataRestored }
    /// Which object.
    public var object: NameID
    /// The one that was found; 0 for nothing.
    public var version: UInt64
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(object: NameID, version: UInt64, bytes: UInt64, hash: UInt64) {
      self.object = object
      self.version = version
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.bytes = event.arguments.1
      self.hash = event.arguments.2
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, bytes, hash)
    }
  }

  /// `data.failed`: a save failed.
  @frozen
  public struct DataFailed: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataFailed }
    /// Which object.
    public var object: NameID
    /// The one that was not saved.
    public var version: UInt64
    /// The error of the system; 0 for none.
    public var errno: Int64
    /// What failed.
    public var why: NameID
    /// It was no save of the object's own file; nil where it was not said.
    public var aside: Bool?

    /// What a writer says.
    @inlinable public init(
      object: NameID,
      version: UInt64,
      errno: Int64,
      why: NameID,
      aside: Bool? = nil
    ) {
      self.object = object
      self.version = version
      self.errno = errno
      self.why = why
      self.aside = aside
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.errno = Int64(bitPattern: event.arguments.1)
      self.why = NameID(word: event.arguments.2)
      self.aside = event.argumentCount > 3 ? event.arguments.3 != 0 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(
        identity: object.word,
        version,
        UInt64(bitPattern: errno),
        why.word,
        aside.map { $0 ? 1 : 0 }
      )
    }
  }

  /// `data.discarded`: the app gave up unsaved versions on purpose.
  @frozen
  public struct DataDiscarded: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataDiscarded }
    /// Which object.
    public var object: NameID
    /// The last that is given up.
    public var version: UInt64

    /// What a writer says.
    @inlinable public init(object: NameID, version: UInt64) {
      self.object = object
      self.version = version
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(identity: object.word, version) }
  }

  /// `data.unchanged`: a version needed no save: its bytes are those that stood in the file.
  @frozen
  public struct DataUnchanged: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataUnchanged }
    /// Which object.
    public var object: NameID
    /// The one that was compared.
    public var version: UInt64
    /// What it survives.
    public var level: Coded<DurabilityLevel>
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(
      object: NameID,
      version: UInt64,
      level: DurabilityLevel,
      bytes: UInt64,
      hash: UInt64
    ) {
      self.object = object
      self.version = version
      self.level = Coded(level)
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.level = Coded(rawValue: event.arguments.1)
      self.bytes = event.arguments.2
      self.hash = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, level.rawValue, bytes, hash)
    }
  }

  /// `data.copied`: a version was written to another file than the object's own.
  @frozen
  public struct DataCopied: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataCopied }
    /// Which object.
    public var object: NameID
    /// The one that was written.
    public var version: UInt64
    /// What the copy survives.
    public var level: Coded<DurabilityLevel>
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(
      object: NameID,
      version: UInt64,
      level: DurabilityLevel,
      bytes: UInt64,
      hash: UInt64
    ) {
      self.object = object
      self.version = version
      self.level = Coded(level)
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.level = Coded(rawValue: event.arguments.1)
      self.bytes = event.arguments.2
      self.hash = event.arguments.3
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, level.rawValue, bytes, hash)
    }
  }

  /// `data.read`: another file than the object's own was read.
  @frozen
  public struct DataRead: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .dataRead }
    /// Which object.
    public var object: NameID
    /// The one that was found; 0 for nothing.
    public var version: UInt64
    /// Bytes: the size of the object.
    public var bytes: UInt64
    /// Of its content; 0 for none.
    public var hash: UInt64

    /// What a writer says.
    @inlinable public init(object: NameID, version: UInt64, bytes: UInt64, hash: UInt64) {
      self.object = object
      self.version = version
      self.bytes = bytes
      self.hash = hash
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.object = NameID(word: event.identity)
      self.version = event.arguments.0
      self.bytes = event.arguments.1
      self.hash = event.arguments.2
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: object.word, version, bytes, hash)
    }
  }
}
