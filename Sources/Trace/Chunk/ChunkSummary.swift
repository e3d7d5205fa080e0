// SPDX-License-Identifier: Apache-2.0

/// What a chunk covers, as far as its header says: enough to choose it without decoding it.
public struct ChunkSummary: Hashable, Sendable {
  /// The sequence number of its first event.
  public var firstSequence: UInt64
  /// How many events it holds.
  public var eventCount: Int
  /// The least time of its events.
  public var firstTime: HostTime
  /// The greatest time of its events.
  public var lastTime: HostTime
  /// Which kinds are in it.
  public var kinds: KindSet
  /// Where the state before its first event is.
  public var keyframe: KeyframePlace
  /// What was lost between the previous chunk and this one.
  public var losses: [LossCount]
  /// How many events are missing between the stream's previous chunk in the file and this one.
  ///
  /// Damage, or a part that was cut out; not what a recording that keeps only its last part has
  /// let go. Known once all chunks of the stream have been found.
  public var missingBefore: UInt64 = 0
  /// How many events a recording that keeps only its last part has let go there; as ``missingBefore``.
  public var letGoBefore: UInt64 = 0

  /// A summary with those values.
  public init(
    firstSequence: UInt64,
    eventCount: Int,
    firstTime: HostTime,
    lastTime: HostTime,
    kinds: KindSet,
    keyframe: KeyframePlace,
    losses: [LossCount] = []
  ) {
    self.firstSequence = firstSequence
    self.eventCount = eventCount
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.kinds = kinds
    self.keyframe = keyframe
    self.losses = losses
  }

  /// What the header says.
  public init(_ header: ChunkHeader) {
    self.init(
      firstSequence: header.firstSequence,
      eventCount: header.eventCount,
      firstTime: header.firstTime,
      lastTime: header.lastTime,
      kinds: header.kinds,
      keyframe: header.keyframe,
      losses: header.losses
    )
  }

  /// The sequence number after the last event.
  public var endSequence: UInt64 { firstSequence &+ UInt64(eventCount) }

  /// Where the state before its first event is folded from: the first sequence of the chunk that has
  /// the keyframe, its own where it has one.
  package var stateOrigin: UInt64 {
    get { if case .continued(let from) = keyframe { from } else { firstSequence } }
    set { keyframe = KeyframePlace(of: newValue, in: firstSequence) }
  }

  /// Whether it only says how many events were lost that a damaged chunk held, as a repair writes it.
  public var isStandIn: Bool {
    eventCount == 1 && kinds == KindSet([.loss]) && losses.contains { $0.family == .unknown }
  }
}
