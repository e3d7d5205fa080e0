// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTrace

/// What can be judged: writers, and the chunks of their streams.
///
/// Trace files are (``LifetraceTraceFile/JoinedTraces``), a timeline is, and events in memory are.
/// A ``Judge`` opens each chunk once, those of a stream in order.
package protocol JudgedSource {
  /// A chunk that can be read.
  associatedtype Chunk

  /// The recording's writers, indexed by stream.
  var writers: [(id: WriterID, attributes: WriterAttributes)] { get }
  /// What ids in events and facts stand for; grows while chunks are opened.
  var names: Names { get }
  /// The messages of all streams; nil where there are none. Made anew each time.
  var messages: RecordedMessages? { get }
  /// What processes say of files that they may share; nil where no two apps have any. Made anew each time.
  var sharedData: SharedData? { get }
  /// What each chunk of a stream says of itself, in sequence order.
  func summaries(of stream: Int) -> [ChunkSummary]
  /// Reads a chunk; nil where it cannot be read.
  func open(_ chunk: Int, of stream: Int) -> Chunk?
  /// The state before the chunk's first event; nil where the chunk does not hold it.
  func facts(in chunk: Chunk) -> LifeState?
  /// Hands out the events of a chunk, in sequence order and in pieces, while `body` says to go on; false
  /// where the rest cannot be read.
  func scan(_ chunk: Chunk, _ body: (Span<Event>) -> Bool) -> Bool
}
