// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/kinds.sh.

extension Payload {
  /// `resource.acquire`: a lock, file, timer, socket … is held or open from here.
  @frozen
  public struct ResourceAcquire: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .resourceAcquire }
    /// Which one, such as a path.
    public var name: NameID
    /// What kind of thing it is.
    public var `class`: Coded<ResourceClass>
    /// What matters of it, such as `shared`; nil where it was not said.
    public var attribute: NameID?
    /// Tells those of one name apart; nil where it was not said.
    public var id: UInt64?

    /// What a writer says.
    @inlinable public init(
      name: NameID,
      class: ResourceClass,
      attribute: NameID? = nil,
      id: UInt64? = nil
    ) {
      self.name = name
      self.class = Coded(`class`)
      self.attribute = attribute
      self.id = id
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.name = NameID(word: event.identity)
      self.class = Coded(rawValue: event.arguments.0)
      self.attribute = event.argumentCount > 1 ? NameID(word: event.arguments.1) : nil
      self.id = event.argumentCount > 2 ? event.arguments.2 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: name.word, `class`.rawValue, attribute?.word, id)
    }
  }

  /// `resource.release`: the resource is given back.
  @frozen
  public struct ResourceRelease: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .resourceRelease }
    /// Which one.
    public var name: NameID
    /// What kind of thing it is.
    public var `class`: Coded<ResourceClass>
    /// As when it was acquired; nil where it was not said.
    public var attribute: NameID?
    /// Tells those of one name apart; nil where it was not said.
    public var id: UInt64?

    /// What a writer says.
    @inlinable public init(
      name: NameID,
      class: ResourceClass,
      attribute: NameID? = nil,
      id: UInt64? = nil
    ) {
      self.name = name
      self.class = Coded(`class`)
      self.attribute = attribute
      self.id = id
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.name = NameID(word: event.identity)
      self.class = Coded(rawValue: event.arguments.0)
      self.attribute = event.argumentCount > 1 ? NameID(word: event.arguments.1) : nil
      self.id = event.argumentCount > 2 ? event.arguments.2 : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(identity: name.word, `class`.rawValue, attribute?.word, id)
    }
  }

  /// `resource.use`: a timer fired, a cache was read, a frame was drawn.
  @frozen
  public struct ResourceUse: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .resourceUse }
    /// Which one.
    public var name: NameID
    /// What kind of thing it is.
    public var `class`: Coded<ResourceClass>
    /// What matters of it; nil where it was not said.
    public var attribute: NameID?
    /// A number that says more; nil where it was not said.
    public var value: Int64?

    /// What a writer says.
    @inlinable public init(
      name: NameID,
      class: ResourceClass,
      attribute: NameID? = nil,
      value: Int64? = nil
    ) {
      self.name = name
      self.class = Coded(`class`)
      self.attribute = attribute
      self.value = value
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.name = NameID(word: event.identity)
      self.class = Coded(rawValue: event.arguments.0)
      self.attribute = event.argumentCount > 1 ? NameID(word: event.arguments.1) : nil
      self.value = event.argumentCount > 2 ? Int64(bitPattern: event.arguments.2) : nil
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(
        identity: name.word,
        `class`.rawValue,
        attribute?.word,
        value.map { UInt64(bitPattern: $0) }
      )
    }
  }

  /// `memory.sample`: the memory footprint at this time.
  @frozen
  public struct MemorySample: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .memorySample }
    /// Bytes: of the whole process.
    public var footprint: UInt64

    /// What a writer says.
    @inlinable public init(footprint: UInt64) {
      self.footprint = footprint
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.footprint = event.arguments.0
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords { EventWords(footprint) }
  }

  /// `cpu.sample`: cPU time used over a span of wall time.
  @frozen
  public struct CpuSample: EventPayload {
    /// The kind of such events.
    @inlinable public static var kind: EventKind { .cpuSample }
    /// Nanoseconds: processor time of the process in the span.
    public var cpu: Int64
    /// Nanoseconds: the length of the span, which ends here.
    public var wall: Int64

    /// What a writer says.
    @inlinable public init(cpu: Int64, wall: Int64) {
      self.cpu = cpu
      self.wall = wall
    }

    /// What an event says; arguments that it does not have are 0.
    @inlinable public init(_ event: borrowing Event) {
      self.cpu = Int64(clamping: event.arguments.0)
      self.wall = Int64(clamping: event.arguments.1)
    }

    /// The words of an event that says so.
    @inlinable public var words: EventWords {
      EventWords(UInt64(bitPattern: cpu), UInt64(bitPattern: wall))
    }
  }
}
