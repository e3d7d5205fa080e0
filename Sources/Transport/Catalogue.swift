// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
package import LifetraceTraceFile

/// The sessions in some files, each of which may hold parts of many.
///
///     let catalogue = Catalogue(readers)
///     for session in catalogue.sessions { print(session.name, session.missing) }
///
/// Made of headers alone: opening the files has read what it takes.
package struct Catalogue {
  /// One writer of a session.
  package struct Writer {
    /// Who it is.
    package var id: WriterID
    /// What its latest chunk says of it.
    package var attributes: WriterAttributes
    /// Which events are there.
    package var held = Held()
    /// Whether its last chunk says that the process, or the recording of it, ended.
    package var hasEnd = false

    /// Events before the first one that is there, and in the gaps.
    package var missing: UInt64 { held.end - held.count }
  }

  /// One recording, as far as it is there.
  package struct Session {
    /// By what it is called.
    package var name: String
    /// Its writers, in the order of their numbers.
    package var writers: [Writer] = []
    /// Its chunks, in the order of files and places.
    package var chunks: [(reader: Int, chunk: TraceReader.Departing)] = []

    /// Events that are there.
    package var events: UInt64 { writers.reduce(0) { $0 + $1.held.count } }
    /// Events that are not there and were before others that are.
    package var missing: UInt64 { writers.reduce(0) { $0 + $1.missing } }
    /// Whether nothing is missing, and each writer has an end.
    package var isWhole: Bool { missing == 0 && writers.allSatisfy(\.hasEnd) }
    /// In how many files it lies.
    package var files: Int { Set(chunks.map(\.reader)).count }
  }

  /// In the order in which their first chunks came.
  package private(set) var sessions: [Session] = []
  private let readers: [TraceReader]

  /// What these files hold.
  package init(_ readers: [TraceReader]) {
    self.readers = readers
    var indices: [String: Int] = [:]
    for (number, reader) in readers.enumerated() {
      let ended = Set(reader.streams.filter(Self.hasEnd).map(\.writer))
      for chunk in reader.departing() {
        let writer = chunk.identity.writer
        let name = LifetraceTransport.Session.name(of: writer, chunk.attributes)
        let index = indices[name] ?? sessions.count
        if index == sessions.count { sessions.append(Session(name: name)) }
        indices[name] = index
        sessions[index].chunks.append((number, chunk))
        sessions[index].add(chunk, hasEnd: ended.contains(writer))
      }
    }
  }

  private static func hasEnd(_ stream: TraceStream) -> Bool {
    stream.hasEnd || stream.chunks.last?.kinds.contains(.processExit) ?? false
  }

  /// Those whose names begin so.
  package func sessions(beginning prefix: String) -> [Session] {
    sessions.filter { $0.name.hasPrefix(prefix) }
  }

  /// Writes one of them into a new file; what of it is damaged is named, and left out.
  package func extract(
    _ session: Session,
    to path: String
  ) throws(TraceFileError) -> [TraceFileError] {
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    var failed: [(identity: ChunkIdentity, error: TraceFileError)] = []
    var written: Set<ChunkIdentity> = []
    // Two collectors may have the same one.
    for (reader, chunk) in session.chunks where !written.contains(chunk.identity) {
      let travelling: TravellingChunk
      do throws(TraceFileError) { travelling = try readers[reader].travelling(chunk) } catch {
        if error.isIO { throw error }
        failed.append((chunk.identity, error))
        continue
      }
      try writer.append(travelling)
      written.insert(chunk.identity)
    }
    let damaged = failed.filter { !written.contains($0.identity) }.map(\.error)
    try writer.finish(end: session.isWhole && damaged.isEmpty)
    return damaged
  }
}

extension Catalogue.Session {
  fileprivate mutating func add(_ chunk: TraceReader.Departing, hasEnd: Bool) {
    var index = writers.firstIndex { $0.id == chunk.identity.writer } ?? writers.count
    if index == writers.count {
      writers.append(.init(id: chunk.identity.writer, attributes: chunk.attributes))
      index = writers.count - 1
    }
    writers[index].held.insert(chunk.identity.numbers)
    writers[index].attributes = chunk.attributes
    if hasEnd { writers[index].hasEnd = true }
  }
}
