// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport

/// The chunks of recordings, in the order in which they stand there.
final class TraceSource: ChunkSource {
  private let readers: [TraceReader]
  private var chunks: [(reader: Int, chunk: TraceReader.Departing)] = []
  private var wasAsked = false
  /// Places that are damaged: no chunk of theirs is sent.
  private(set) var damaged = 0

  /// The recordings that these read.
  init(_ readers: [TraceReader]) { self.readers = readers }

  let hasEnded = true
  /// Recordings that were made stay as they are.
  func arrived(_ have: Have) {}

  /// Of a chunk that stands in several recordings, one is sent.
  func newChunks() throws(TraceFileError) -> [(identity: ChunkIdentity, session: String)] {
    guard !wasAsked else { return [] }
    wasAsked = true
    var fresh: [(identity: ChunkIdentity, session: String)] = []
    var known: Set<ChunkIdentity> = []
    for (index, reader) in readers.enumerated() {
      // What is missing was sent before, perhaps, and is not here to be sent.
      for problem in reader.problems where problem.isDamage && problem.kind != .gap {
        Failure.say("\(Printable.line(reader.path)): \(problem.text)")
        damaged += 1
      }
      for chunk in reader.departing() where known.insert(chunk.identity).inserted {
        do throws(TraceFileError) {
          let session = Session.name(of: try reader.travelling(chunk).header)
          fresh.append((chunk.identity, session))
          chunks.append((index, chunk))
        } catch {
          if error.isIO { throw error }
          Failure.say("\(error.description)")
          damaged += 1
        }
      }
    }
    return fresh
  }

  func body(of number: Int) throws(TraceFileError) -> [UInt8] {
    let (reader, chunk) = chunks[number]
    return try readers[reader].travelling(chunk).bytes
  }
}
