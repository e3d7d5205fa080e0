// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// Trace files read as one recording, as if they stood behind each other in one file.
///
///     let recording = try JoinedTraces([TraceReader(path: "monday"), TraceReader(path: "tuesday")])
///     recording.streams[0].chunks.count
///
/// A writer that several files know has one stream, in which each event stands once. All files
/// share one table of names, which goes to the reader that decodes next: the readers are not to be
/// used otherwise while chunks are read. Not safe to use from several threads at once.
package final class JoinedTraces {
  /// The files, in the order in which they were given.
  package let readers: [TraceReader]
  /// One a writer; chunks say the number of the stream here.
  package private(set) var streams: [TraceStream] = []
  /// The memory in which rows are decoded.
  package let buffer = StrideBuffer()
  /// By stream, by chunk: the file in which the chunk is.
  private var files: [[Int]] = []
  /// Streams of which several files hold a part.
  private var shared: Set<WriterID> = []
  /// By file: the problems of those streams, all files together.
  private var sharedProblems: [[TraceProblem]]
  /// The file whose reader has the table of names.
  private var holder = 0

  /// Joins what `readers` have found so far; at least one.
  package init(_ readers: [TraceReader]) throws(TraceFileError) {
    self.readers = readers
    sharedProblems = readers.map { _ in [] }
    guard readers.count > 1 else {
      streams = readers[0].streams
      files = streams.map { Array(repeating: 0, count: $0.chunks.count) }
      return
    }
    let limit = readers.reduce(0) { sum, reader in
      sum.addingReportingOverflow(reader.names.bytesMax).overflow
        ? .max : sum + reader.names.bytesMax
    }
    readers[0].names.bytesMax = limit
    try join()
  }

  /// What ids in events stand for; grows while chunks are read.
  package var names: Names {
    get { readers[holder].names }
    _modify { yield &readers[holder].names }
  }

  /// Reads a chunk's tables and leaves its rows to be decoded; its file's reader has the names then.
  package func chunk(_ chunk: Int, of stream: Int) throws(TraceFileError) -> JoinedChunk {
    let reader = reader(of: files[stream][chunk])
    let info = streams[stream].chunks[chunk]
    return JoinedChunk(info: info, payload: try reader.payload(of: info), reader: reader)
  }

  /// Reads a chunk's header.
  package func header(_ chunk: Int, of stream: Int) throws(TraceFileError) -> ChunkHeader {
    try readers[files[stream][chunk]].header(of: streams[stream].chunks[chunk])
  }

  /// Keeps in the problems of its file that rows of a chunk could not be decoded.
  package func note(_ damage: ChunkDamage, in chunk: Int, of stream: Int) -> TraceFileError {
    readers[files[stream][chunk]].note(damage, in: streams[stream].chunks[chunk])
  }

  /// Which of the files holds a chunk, and whether the chunk could be read as far as it was tried.
  package func place(of chunk: Int, of stream: Int) -> (file: Int, isDamaged: Bool) {
    let file = files[stream][chunk]
    return (file, readers[file].isDamaged(streams[stream].chunks[chunk]))
  }

  /// What is wrong with a file, but for what another one makes good.
  package func problems(of file: Int) -> [TraceProblem] {
    guard readers.count > 1 else { return readers[file].problems }
    let hasEnd = TraceReader.haveEnd(readers)
    let own = readers[file].problems.filter { problem in
      switch problem.kind {
      case .gap, .noBegin, .conflict:
        !(problem.stream.map { shared.contains(readers[file].streams[Int($0.rawValue)].writer) }
          ?? false)
      case .noEnd: !hasEnd
      default: true
      }
    }
    return own + sharedProblems[file]
  }

  /// All streams together, as far as they were looked at.
  package var census: TraceCensus {
    var census = streams.indices.reduce(into: TraceCensus()) { census, stream in
      census.add(
        TraceCensus(streams[stream]) {
          place(of: $0, of: stream).isDamaged
        }
      )
    }
    if readers.contains(where: \.hasLostHeaders) { census.missing.isAtLeast = true }
    return census
  }

  // MARK: Joining

  private func reader(of file: Int) -> TraceReader {
    if file != holder {
      swap(&readers[file].names, &readers[holder].names)
      holder = file
    }
    return readers[file]
  }

  private func join() throws(TraceFileError) {
    var parts: [WriterID: [(file: Int, stream: TraceStream)]] = [:]
    var order: [WriterID] = []
    for (file, reader) in readers.enumerated() {
      for stream in reader.streams {
        if parts[stream.writer] == nil { order.append(stream.writer) }
        parts[stream.writer, default: []].append((file, stream))
      }
    }
    for writer in order { try add(parts[writer] ?? []) }
  }

  private func add(_ parts: [(file: Int, stream: TraceStream)]) throws(TraceFileError) {
    let latest = parts[parts.count - 1].stream
    var joined = TraceStream(
      id: StreamID(rawValue: UInt32(streams.count)),
      writer: latest.writer,
      attributes: latest.attributes
    )
    var found = parts.flatMap { file, stream in
      stream.chunks.map { ChunkCover.Copy(chunk: $0, reader: readers[file], input: file) }
    }
    if parts.count > 1 {
      shared.insert(joined.writer)
      let order = try StreamOrder(found, of: joined)
      found = order.chunks
      for (file, problem) in order.problems { sharedProblems[file].append(problem) }
    }
    joined.chunks = found.map { part in
      var chunk = part.chunk
      chunk.stream = joined.id
      return chunk
    }
    streams.append(joined)
    files.append(found.map(\.input))
  }
}

/// A chunk of joined traces, and what decodes it.
package struct JoinedChunk {
  /// Where it is, and what it covers.
  package let info: ChunkInfo
  /// Its tables and rows.
  package let payload: ChunkPayload
  /// The reader of its file; it has the names.
  package let reader: TraceReader
}
