// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// What a timeline is made of: streams of chunks that decode one at a time.
///
/// A trace file is one (``FileSource``); a story in a test is another (``MemorySource``).
package protocol EventSource: AnyObject {
  /// What the ids in decoded events stand for; grows while chunks are decoded.
  var names: Names { get }
  /// The streams, indexed by ``LifetraceTrace/StreamID``.
  var streams: [SourceStream] { get }
  /// The events of a chunk, or why they cannot be had.
  func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem>
  /// Which names a chunk may mention; nil where that is not known.
  func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter?
  /// The state that a keyframe holds; nil where it is of another version or damaged.
  func state(decoding keyframe: [UInt8]) -> LifeState?
}

/// One writer's stream, and what its chunk headers say.
package struct SourceStream: Sendable {
  /// The writer of the stream.
  package var writer: WriterID
  /// What is known of the writer.
  package var attributes: WriterAttributes
  /// What each chunk says about itself undecoded, in sequence order.
  package var chunks: [ChunkSummary]

  /// Makes a stream.
  package init(writer: WriterID, attributes: WriterAttributes, chunks: [ChunkSummary]) {
    self.writer = writer
    self.attributes = attributes
    self.chunks = chunks
  }
}

/// A chunk's events, with the state before the first of them.
package struct SourceChunk: Sendable {
  /// The events, in sequence order.
  package var events: [Event]
  /// The folded state before the first event; empty where the chunk carries none of its own.
  package var keyframe: [UInt8]
  /// Whether the chunk cannot be read, and the events only stand for those that it held.
  package var isDamaged: Bool

  /// Makes a chunk.
  package init(events: [Event], keyframe: [UInt8], isDamaged: Bool = false) {
    self.events = events
    self.keyframe = keyframe
    self.isDamaged = isDamaged
  }
}

/// Why a chunk whose header was readable cannot be decoded.
package struct DecodeProblem: Error, Sendable, CustomStringConvertible {
  /// Where, what was found, and what would have done.
  package var description: String

  /// A problem in one sentence.
  package init(_ description: String) { self.description = description }
}
