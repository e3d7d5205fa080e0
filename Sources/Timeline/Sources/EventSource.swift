// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceTrace

/// What a timeline is made of: streams of chunks that are read one at a time.
///
/// A trace file is one (``FileSource``); a story in a test is another (``MemorySource``).
package protocol EventSource: AnyObject {
  /// What the ids in decoded events stand for; grows while chunks are decoded.
  var names: Names { get }
  /// The streams, indexed by ``LifetraceTrace/StreamID``.
  var streams: [SourceStream] { get }
  /// Whether the order of its events was settled while it was recorded: messages do not change it.
  var settles: Bool { get }
  /// A chunk, its events not yet decoded, or why it cannot be had; its names are known from then on.
  func decode(chunk: Int, of stream: StreamID) -> Result<SourceChunk, DecodeProblem>
  /// Takes note that events of a chunk could not be decoded, and says it in words.
  func problem(_ damage: ChunkDamage, chunk: Int, of stream: StreamID) -> DecodeProblem
  /// Which names a chunk may mention; nil where that is not known.
  func nameFilter(chunk: Int, of stream: StreamID) -> NameFilter?
  /// Every string that some event or keyframe has; nil where that is not known without reading them.
  var strings: [String]? { get }
  /// The sends and receives of a chunk as its header has them; nil where it does not say.
  func messages(chunk: Int, of stream: StreamID) -> [MessageEdge]?
  /// What stands in front of a chunk of a file; nil where it cannot be read, or there is none.
  func header(chunk: Int, of stream: StreamID) -> ChunkHeader?
  /// The state that a keyframe holds; nil where it is of another version or damaged.
  func state(decoding keyframe: [UInt8]) -> LifeState?
}

extension EventSource {
  /// False: it is ordered once all of it is there.
  package var settles: Bool { false }

  /// Nil: its events are looked at.
  package var strings: [String]? { nil }

  /// Nil: they are to be looked for.
  package func messages(chunk: Int, of stream: StreamID) -> [MessageEdge]? { nil }

  /// Nil: chunks in memory have none.
  package func header(chunk: Int, of stream: StreamID) -> ChunkHeader? { nil }

  /// What was found in which part of the chunk.
  package func problem(_ damage: ChunkDamage, chunk: Int, of stream: StreamID) -> DecodeProblem {
    DecodeProblem("\(damage)")
  }
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

/// Why a chunk whose header was readable cannot be decoded.
package struct DecodeProblem: Error, Sendable, CustomStringConvertible {
  /// Where, what was found, and what would have done.
  package var description: String

  /// A problem in one sentence.
  package init(_ description: String) { self.description = description }
}
