// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport

/// The chunks of a recording that still grows, each as soon as it is safe on this machine's disk.
///
/// What has arrived may leave the file, which is another one then, with the rest.
final class GrowingSource: ChunkSource {
  private let path: String
  private let confirmations: Confirmations?
  private var reader: TraceReader?
  /// Where the chunks are that the file has now.
  private var places: [ChunkIdentity: TraceReader.Departing] = [:]
  /// All that were handed out, and that a collector may have by now.
  private var chunks: [ChunkIdentity] = []
  private var known: Set<ChunkIdentity> = []
  private var taken: UInt64 = 0

  /// The recording at a path, at which nothing may stand yet; who records is told what has arrived.
  init(_ path: String, _ confirmations: Confirmations?) {
    self.path = path
    self.confirmations = confirmations
  }

  /// Whoever records knows when nothing more comes.
  let hasEnded = false

  func arrived(_ have: Have) { confirmations?.note(have) }

  func newChunks() throws(TraceFileError) -> [(identity: ChunkIdentity, session: String)] {
    confirmations?.send()
    guard let reader = try look() else { return [] }
    let found = reader.departing(from: taken)
    guard !found.isEmpty else { return [] }
    try reader.synchronize()
    taken = reader.readableBytes
    for chunk in found { places[chunk.identity] = chunk }
    let fresh = found.filter { known.insert($0.identity).inserted }
    chunks += fresh.map(\.identity)
    return fresh.map { ($0.identity, Session.name(of: $0.identity.writer, $0.attributes)) }
  }

  /// The reader, where there is something new.
  private func look() throws(TraceFileError) -> TraceReader? {
    guard let reader else { return access(path, R_OK) == 0 ? try begin() : nil }
    switch try reader.look() {
    case .more: return reader
    // A file that was freed of what has arrived may have nothing left of a stream.
    case .rewritten: return try begin()
    case .another: return confirmations == nil ? nil : try begin()
    case .same, .gone: return nil
    }
  }

  private func begin() throws(TraceFileError) -> TraceReader {
    let new = try TraceReader(path: path, comparesPayloads: false)
    (reader, places, taken) = (new, [:], 0)
    return new
  }

  func body(of number: Int) throws(TraceFileError) -> [UInt8] {
    guard let reader, let place = places[chunks[number]] else {
      throw TraceFileError(path, .io(operation: "find a chunk that was there", code: ENOENT))
    }
    return try reader.travelling(place).bytes
  }
}
