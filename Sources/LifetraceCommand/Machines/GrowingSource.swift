// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceTraceFile
import LifetraceTransport

/// The chunks of a recording that still grows, each as soon as it is safe on this machine's disk.
final class GrowingSource: ChunkSource {
  private let path: String
  private var reader: TraceReader?
  private var chunks: [TraceReader.Departing] = []
  private var taken: UInt64 = 0

  /// The recording at a path, at which nothing may stand yet.
  init(_ path: String) { self.path = path }

  /// Whoever records knows when nothing more comes.
  let hasEnded = false

  func newChunks() throws(TraceFileError) -> [(identity: ChunkIdentity, session: String)] {
    guard let reader = try look() else { return [] }
    let fresh = reader.departing(from: taken)
    guard !fresh.isEmpty else { return [] }
    try reader.synchronize()
    taken = reader.readableBytes
    chunks += fresh
    return fresh.map { ($0.identity, Session.name(of: $0.identity.writer, $0.attributes)) }
  }

  /// The reader, where there is something new.
  private func look() throws(TraceFileError) -> TraceReader? {
    guard let reader else {
      guard access(path, R_OK) == 0 else { return nil }
      reader = try TraceReader(path: path, comparesPayloads: false)
      return reader
    }
    return try reader.look() == .more ? reader : nil
  }

  func body(of number: Int) throws(TraceFileError) -> [UInt8] {
    guard let reader else { preconditionFailure("chunks come from a reader") }
    return try reader.travelling(chunks[number]).bytes
  }
}
