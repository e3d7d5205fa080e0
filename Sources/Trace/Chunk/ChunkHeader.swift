// SPDX-License-Identifier: Apache-2.0

/// How many events of a family were lost since the previous chunk of the stream.
public struct LossCount: Hashable, Sendable {
  /// The family; only its ledgers are tainted.
  public var family: EventFamily
  /// How many events of the family were lost.
  public var count: UInt64

  /// `count` lost events of `family`.
  public init(family: EventFamily, count: UInt64) {
    self.family = family
    self.count = count
  }
}

/// The clocks of a host, read together.
public struct ClockBracket: Hashable, Sendable {
  /// The counter that events are stamped with.
  public var tick: UInt64
  /// CLOCK_MONOTONIC in nanoseconds.
  public var monotonic: Int64
  /// CLOCK_BOOTTIME in nanoseconds.
  public var boottime: Int64
  /// CLOCK_REALTIME in ns since 1970.
  public var real: Int64
  /// How many ticks reading them took; 0 where that is not known.
  public var width: UInt64

  /// Four clocks at one instant.
  public init(tick: UInt64, monotonic: Int64, boottime: Int64, real: Int64, width: UInt64 = 0) {
    self.tick = tick
    self.width = width
    self.monotonic = monotonic
    self.boottime = boottime
    self.real = real
  }
}

/// How far a block of the writer's pool had been read when the chunk was made.
///
/// Recovery takes the highest position of each block, so that nothing is lost or doubled.
public struct ConsumedPosition: Hashable, Sendable {
  /// The claim number of the block.
  public var serial: UInt64
  /// How many of its records are in this or an earlier chunk.
  public var records: UInt32

  /// `records` of block `serial` are in the trace.
  public init(serial: UInt64, records: UInt32) {
    self.serial = serial
    self.records = records
  }
}

/// Where the state before the chunk's first event is found.
public enum KeyframePlace: Hashable, Sendable {
  /// The keyframe is in this chunk.
  case full
  /// In the chunk whose first sequence this is: fold on from there.
  case continued(from: UInt64)

  /// The keyframe of a chunk that begins at `first`, folded from the chunk at `origin`.
  package init(of origin: UInt64, in first: UInt64) {
    self = origin < first ? .continued(from: origin) : .full
  }
}

/// What a recording says of the order of its events while it is made.
public enum Settling: Hashable, Sendable {
  /// Nothing: events of chunks to come may stand before those of this one.
  case none
  /// It settles now and then, but not with this chunk.
  case open
  /// The events of this chunk and of all that stand before it in the file have the places that they
  /// will have in the end: no event of a later chunk stands before any of them.
  case settled
}

/// What a chunk says about itself without being decompressed.
///
/// (writer, firstSequence) is its identity: two chunks with the same one are the same chunk, or
/// one of them is damaged.
public struct ChunkHeader: Hashable, Sendable {
  /// The writer whose stream it is a part of.
  public var writer: WriterID
  /// What was known of the writer when the chunk was made.
  public var attributes: WriterAttributes
  /// The sequence of the first event; the others follow without a gap.
  public var firstSequence: UInt64
  /// How many events the chunk holds.
  public var eventCount: Int
  /// The least time of an event.
  public var firstTime: HostTime
  /// The greatest time of an event.
  public var lastTime: HostTime
  /// What was lost since the previous chunk of the stream.
  public var losses: [LossCount]
  /// The clocks at some moments of the chunk.
  public var clocks: [ClockBracket]
  /// How ticks of the counter became its times, in order; empty where there is no counter, or not known.
  public var fit: [ClockPiece] = []
  /// Its sends and receives, in order; nil where the header has no table of them.
  public var messages: [MessageEdge]?
  /// What was read of the writer's pool, this chunk included.
  public var consumed: [ConsumedPosition]
  /// Which kinds are present.
  public var kinds: KindSet
  /// Which names may be present.
  public var nameFilter: NameFilter
  /// Where the state before the first event is.
  public var keyframe: KeyframePlace
  /// The recording keeps only its last part: events before this chunk were left out on purpose.
  public var keepsLast: Bool
  /// Whether events of later chunks may stand before those of this one.
  public var settling: Settling
  /// What a later version says of the chunk.
  package var unknownTags: [HeaderTag] = []

  /// A header; count, times, kinds and names are filled in by ``ChunkEncoder/finish(header:keyframe:names:)``.
  public init(
    writer: WriterID,
    attributes: WriterAttributes,
    firstSequence: UInt64,
    losses: [LossCount] = [],
    clocks: [ClockBracket] = [],
    consumed: [ConsumedPosition] = [],
    keyframe: KeyframePlace = .full,
    keepsLast: Bool = false,
    settling: Settling = .none
  ) {
    self.writer = writer
    self.attributes = attributes
    self.firstSequence = firstSequence
    eventCount = 0
    firstTime = HostTime(rawValue: 0)
    lastTime = HostTime(rawValue: 0)
    self.losses = losses
    self.clocks = clocks
    self.consumed = consumed
    kinds = KindSet()
    nameFilter = NameFilter()
    self.keyframe = keyframe
    self.keepsLast = keepsLast
    self.settling = settling
  }

  /// The sequence after the last event.
  public var endSequence: UInt64 { firstSequence &+ UInt64(eventCount) }
}
