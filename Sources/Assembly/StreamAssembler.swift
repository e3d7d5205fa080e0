// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace
internal import LifetraceTraceFile

/// Makes the chunks of one stream of its events: folds each one, keeps it, and seals what it has.
///
///     stream.append(event, names)                              // up to Chunk.rowsMax times
///     let chunk = stream.seal(header, names: names)
///
/// The state is folded here, on the way, so that a chunk can begin with what was known before it.
package struct StreamAssembler: Sendable {
  /// The state after the last event.
  @usableFromInline package private(set) var state: LifeState
  @usableFromInline var encoder = ChunkEncoder()
  /// The state before the first event of the open chunk, and the number of that one.
  @usableFromInline var stateAtStart: LifeState
  @usableFromInline var firstSequence: UInt64 = 0
  private var sealer = Sealer()

  /// A stream that begins with `state`.
  package init(state: LifeState = LifeState()) {
    self.state = state
    stateAtStart = state
  }

  /// Begins another stream with `state`, in the memory of this one.
  package mutating func begin(with state: LifeState) {
    precondition(isEmpty, "a stream ends with a chunk")
    self.state = state
    sealer = Sealer()
  }

  /// How many events wait to be sealed.
  @inlinable package var count: Int { encoder.count }
  /// No event waits to be sealed.
  @inlinable package var isEmpty: Bool { encoder.count == 0 }
  /// What waits must be sealed before another event comes.
  @inlinable package var isFull: Bool { encoder.isFull }

  /// The events that wait, from the one at `index` on.
  package func events(from index: Int) -> ArraySlice<Event> { encoder.events(from: index) }

  /// Folds and keeps an event, whose sequence follows the one before.
  @inlinable
  @inline(__always)
  package mutating func append(_ event: borrowing Event, _ names: borrowing Names) {
    if encoder.count == 0 {
      stateAtStart = state
      firstSequence = event.sequence
    }
    encoder.append(event)
    state.apply(event, names: names)
  }

  /// The open chunk, with its keyframe where it has one; the next one begins.
  ///
  /// The header's first sequence is filled in, besides what the encoder knows.
  package mutating func seal(_ header: ChunkHeader, names: borrowing Names) -> EncodedChunk {
    var header = header
    header.firstSequence = firstSequence
    let before = stateAtStart
    return sealer.seal(
      &encoder,
      header,
      keyframe: before.encode(names: names),
      orUnknown: { before.unknown.encode(names: names) },
      names: names
    )
  }

  /// Goes on with the ids of another table; between two chunks only.
  package mutating func rename(from old: borrowing Names, to new: inout Names) {
    precondition(isEmpty, "events have the names of one table")
    encoder = ChunkEncoder()
    state = state.renamed(from: old, to: &new)
    stateAtStart = state
  }

  /// Gives back the memory of a stream that has ended, but for its state; it can go on.
  package mutating func rest() {
    encoder = ChunkEncoder()
    stateAtStart = LifeState()
  }
}
