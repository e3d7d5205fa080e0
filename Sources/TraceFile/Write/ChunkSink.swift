// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Where the chunks of a recording go: a file, or the newest part of the past.
///
/// What a chunk was made of stays where it was until the chunk is durable: only then a recorder
/// gives the processes back the memory that it has read. So a recorder that dies before loses
/// nothing, whatever the sink is.
package protocol ChunkSink: AnyObject {
  /// Takes a chunk; where it throws, it has nothing of it, and can be asked again.
  func append(_ chunk: EncodedChunk) throws(TraceFileError)

  /// How many of the chunks that it has taken, in their order, survive the end of this process.
  var durableThrough: UInt64 { get }
}
