// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `meta.clock`: the clocks of the host, read together.
  @frozen
  public struct Clock: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .clock }
    /// The counter that the apps read.
    public var tick: UInt64
    /// Nanoseconds: CLOCK_MONOTONIC.
    public var monotonic: Int64
    /// Nanoseconds: CLOCK_BOOTTIME, which goes on while the machine sleeps.
    public var boottime: Int64
    /// Nanoseconds: CLOCK_REALTIME, since 1970.
    public var real: Int64

    /// What a writer says.
    @inlinable public init(tick: UInt64, monotonic: Int64, boottime: Int64, real: Int64) {
      self.tick = tick
      self.monotonic = monotonic
      self.boottime = boottime
      self.real = real
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.tick = event.arguments.0
      self.monotonic = Int64(clamping: event.arguments.1)
      self.boottime = Int64(clamping: event.arguments.2)
      self.real = Int64(clamping: event.arguments.3)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(
        tick,
        UInt64(bitPattern: monotonic),
        UInt64(bitPattern: boottime),
        UInt64(bitPattern: real)
      )
    }
  }

  /// `meta.loss`: events are missing: which family, how many, since when.
  @frozen
  public struct Loss: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .loss }
    /// The one whose ledger is not complete.
    public var family: Coded<EventFamily>
    /// How many; 0 where that is not known.
    public var count: UInt64
    /// Nanoseconds: the time of the first, on the clock of the stream; nil where it was not said.
    public var from: Int64?
    /// What became of them; nil where it was not said.
    public var why: NameID?

    /// What a writer says.
    @inlinable public init(
      family: EventFamily,
      count: UInt64,
      from: Int64? = nil,
      why: NameID? = nil
    ) {
      self.family = Coded(family)
      self.count = count
      self.from = from
      self.why = why
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.family = Coded(rawValue: event.arguments.0)
      self.count = event.arguments.1
      self.from = event.argumentCount > 2 ? Int64(clamping: event.arguments.2) : nil
      self.why = event.argumentCount > 3 ? NameID(word: event.arguments.3) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(family.rawValue, count, from.map { UInt64(bitPattern: $0) }, why?.word)
    }
  }

  /// `mark`: a place named by the app or the harness.
  @frozen
  public struct Mark: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .mark }

    /// What a writer says.
    @inlinable public init() {}

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {}

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords() }
  }

  /// `log`: a line of text.
  @frozen
  public struct Log: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .log }
    /// The line.
    public var text: NameID
    /// How grave it is.
    public var level: Coded<LogLevel>

    /// What a writer says.
    @inlinable public init(text: NameID, level: LogLevel) {
      self.text = text
      self.level = Coded(level)
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.text = NameID(word: event.arguments.0)
      self.level = Coded(rawValue: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(text.word, level.rawValue) }
  }

  /// `meta.end`: the recording ended well; without it, it was cut or still runs.
  @frozen
  public struct End: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .end }

    /// What a writer says.
    @inlinable public init() {}

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {}

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords() }
  }

  /// `meta.scenario`: the scenario that is played, so that it can be played again.
  @frozen
  public struct Scenario: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .scenario }
    /// The file it was read from.
    public var file: NameID
    /// What such a file says, each app with its command; empty above 64 KiB.
    public var text: NameID
    /// How long that is; a text of another length was left out or redacted.
    public var bytes: UInt64
    /// Where it was played; empty for virtual time.
    public var folder: NameID
    /// A line each: `program`, size, CRC32C, path; `observe`; `capture-output`; nil where it was not said.
    public var how: NameID?

    /// What a writer says.
    @inlinable public init(
      file: NameID,
      text: NameID,
      bytes: UInt64,
      folder: NameID,
      how: NameID? = nil
    ) {
      self.file = file
      self.text = text
      self.bytes = bytes
      self.folder = folder
      self.how = how
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.file = NameID(word: event.identity)
      self.text = NameID(word: event.arguments.0)
      self.bytes = event.arguments.1
      self.folder = NameID(word: event.arguments.2)
      self.how = event.argumentCount > 3 ? NameID(word: event.arguments.3) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: file.word, text.word, bytes, folder.word, how?.word)
    }
  }
}
