// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Reads a trace file: finished, cut, damaged, concatenated, or still being written.
///
///     let reader = try TraceReader(path: "run.lifetrace")
///     for chunk in reader.streams[0].chunks {
///       for event in try reader.decode(chunk).events { … }
///     }
///
/// Opening hops from footer to footer. Bytes that no footer covers are read once, to compare their
/// checksums; where only headers are compared, they are read only where a header may be all that is
/// left of a chunk. Other payloads are read when they are asked for. Damage of the file is listed
/// in ``problems``; only a file without a single chunk of ours is refused. Not safe to use from
/// several threads at once.
public final class TraceReader {
  /// The path of the file.
  public let path: String
  /// What the ids of decoded events stand for; grows as chunks are decoded, up to a limit.
  public var names: Names
  /// The streams, by `StreamID`.
  public internal(set) var streams: [TraceStream] = []
  /// How many bytes of the file were looked at.
  public internal(set) var fileBytes: UInt64 = 0
  /// All events stand in stretches that say that their recording ended well, whatever stands beside them.
  public internal(set) var hasEnd = false
  /// A writer was at work on the file when it was looked at: the rest of a torn tail is to come.
  public internal(set) var isBeingWritten = false
  /// Chunks all of whose events stand in others as well; those were kept.
  public internal(set) var duplicates = 0
  /// Bytes of headers and indexes, as far as they were looked at.
  public internal(set) var footerBytes: UInt64 = 0

  var file: File
  var identity: (device: UInt64, inode: UInt64) = (0, 0)
  var streamOfWriter: [WriterID: StreamID] = [:]
  /// What was found of each stream, in file order.
  var found: [[ChunkInfo]] = []
  var scanProblems: [TraceProblem] = []
  /// Where bytes are no chunk, beyond those in ``scanProblems``.
  var moreDamage = (places: 0, bytes: UInt64(0))
  var streamProblems: [[TraceProblem]] = []
  package private(set) var decodeProblems: [TraceProblem] = []
  /// Offsets of the chunks that these are about.
  private var damagedChunks: Set<UInt64> = []
  var tail: TraceProblem?
  /// Behind the last whole frame.
  var validBytes: UInt64 = 0
  /// Behind the last footer.
  var lastFooterEnd: UInt64 = 0
  var ended = EndedChunks()
  /// As far as somebody asked; see ``settledBytes``.
  var settledBytesKnown: UInt64 = 0
  /// What the indexes say of the strings of their chunks, in file order.
  var stringLists: [StringList] = []
  /// As far as somebody asked; see ``strings``.
  var stringsKnown: [String]??
  let decompressor = Decompressor()

  private let namesBytesMin: Int
  let comparesPayloads: Bool

  /// Opens the trace at a path.
  ///
  /// Its names and sites may take `namesBytesMin` bytes of memory, or `Names.bytesPerFileByte` for
  /// each byte of a file that is larger; others read as `Names.droppedText`. A file that no index
  /// covers is read whole, at some 4 GB/s from memory; without `comparesPayloads` only its headers
  /// are. That may miss chunks within the bytes of a damaged one, which is reported when it is
  /// read.
  public init(
    path: String,
    namesBytesMin: Int = Names.readBytesMin,
    comparesPayloads: Bool = true
  ) throws(TraceFileError) {
    self.path = path
    self.comparesPayloads = comparesPayloads
    self.namesBytesMin = namesBytesMin
    names = Names()
    file = try File(path, .read)
    try load()
  }

  func setLimits() {
    let ofFile = fileBytes.multipliedReportingOverflow(by: UInt64(Names.bytesPerFileByte))
    names.bytesMax = max(namesBytesMin, ofFile.overflow ? .max : Int(clamping: ofFile.partialValue))
  }

  /// Everything that is wrong with the file, as far as it was looked at.
  ///
  /// Payloads are looked at when they are decoded, or all by ``verify()``.
  public var problems: [TraceProblem] {
    var all = scanProblems + streamProblems.flatMap { $0 } + decodeProblems
    all.sort { ($0.byte ?? .max) < ($1.byte ?? .max) }
    if moreDamage.places > 0 {
      let places = Quantity.count(moreDamage.places, "more place")
      let bytes = Quantity.count(moreDamage.bytes, "byte")
      all.append(TraceProblem(.damage, "no chunk in \(places), \(bytes) together"))
    }
    if names.hasDropped {
      all.append(
        TraceProblem(
          .names,
          "its names and sites take more than \(Quantity.bytes(UInt64(names.bytesMax))): "
            + "others read \(Names.droppedText)"
        )
      )
    }
    if let tail, !isBeingWritten { all.append(tail) }
    if !hasEnd {
      let hasIndex = !(scanProblems + [tail].compactMap { $0 }).contains { $0.kind == .index }
      let why =
        isBeingWritten
        ? "the recording still runs"
        : hasIndex ? "the recording was cut" : "the index that would tell cannot be read"
      all.append(TraceProblem(.noEnd, "no end: \(why)"))
    }
    return all
  }

  /// Whether bytes were passed over that may have held unknown chunks.
  var hasLostHeaders: Bool {
    scanProblems.contains { $0.kind == .damage } || tail?.kind == .tornTail && !isBeingWritten
  }

  /// Reads the chunks written since; a file that was replaced is read afresh.
  ///
  /// Ids that were given out stay valid.
  public func refresh() throws(TraceFileError) {
    let again = try File(path, .read)
    isBeingWritten = again.isLocked
    let status = try again.status()
    if (status.device, status.inode) != identity || status.bytes < validBytes {
      file = again
      for stream in streams.indices { streams[stream].chunks = [] }
      found = found.map { _ in [] }
      streamProblems = streamProblems.map { _ in [] }
      scanProblems = []
      moreDamage = (0, 0)
      decodeProblems = []
      damagedChunks = []
      validBytes = 0
      lastFooterEnd = 0
      ended = EndedChunks()
      stringLists = []
      settledBytesKnown = 0
      footerBytes = 0
      duplicates = 0
      try load()
    } else if status.bytes != fileBytes || tail != nil {
      fileBytes = status.bytes
      setLimits()
      try scan(to: status.bytes)
      try settle()
    }
  }

  /// The chunk's header, whole.
  public func header(of chunk: ChunkInfo) throws(TraceFileError) -> ChunkHeader {
    let bytes = try file.read(chunk.headerBytes, at: chunk.offset)
    return try frame(of: chunk, bytes: bytes).header
  }

  /// The bytes of a chunk as they stand in the file, checksums compared, and those of its payload
  /// before compression.
  func bytes(
    of chunk: ChunkInfo
  ) throws(TraceFileError) -> (bytes: [UInt8], payload: [UInt8]) {
    let (bytes, frame) = try checked(chunk)
    return (bytes, try decompressed(bytes.dropFirst(chunk.headerBytes), frame, chunk))
  }

  private func checked(
    _ chunk: ChunkInfo
  ) throws(TraceFileError) -> (bytes: [UInt8], frame: ChunkFrame) {
    let bytes = try file.read(chunk.headerBytes + chunk.payloadBytes, at: chunk.offset)
    do throws(TraceFileError) {
      let frame = try frame(of: chunk, bytes: bytes)
      try check(bytes.dropFirst(chunk.headerBytes), frame, chunk)
      return (bytes, frame)
    } catch {
      throw note(error, chunk)
    }
  }

  /// Reads a chunk; damage is thrown, and kept in ``problems``.
  public func decode(_ chunk: ChunkInfo) throws(TraceFileError) -> DecodedChunk {
    let payload = try self.payload(of: chunk)
    do throws(ChunkDamage) {
      let events = try payload.decode()
      defer { decompressor.reuse(payload.bytes) }
      guard chunk.skipped > 0 else {
        return DecodedChunk(header: payload.header, keyframe: payload.keyframe, events: events)
      }
      var header = payload.header
      header.firstSequence = chunk.firstSequence
      header.losses = chunk.losses
      header.keyframe = chunk.keyframe
      return DecodedChunk(
        header: header,
        keyframe: [],
        events: Array(events.dropFirst(chunk.skipped))
      )
    } catch {
      throw note(error, in: chunk)
    }
  }

  /// Forgets all names where together they take more than `limit` bytes, and drops none from here on.
  ///
  /// For copies, which need the names of one chunk at a time. Where it is true, ids that were given
  /// out are no longer valid.
  @discardableResult
  func forgetNames(above limit: Int = 64 << 20) -> Bool {
    let isTooMuch = names.bytes > limit
    if isTooMuch { names = Names() }
    names.bytesMax = .max
    return isTooMuch
  }

  /// Reads a chunk's tables and leaves its rows to be decoded stride by stride.
  public func payload(of chunk: ChunkInfo) throws(TraceFileError) -> ChunkPayload {
    let (bytes, frame) = try checked(chunk)
    do throws(TraceFileError) {
      return try decompress(bytes.dropFirst(chunk.headerBytes), frame, chunk)
    } catch {
      throw note(error, chunk)
    }
  }

  /// Hands the events of a chunk to `body`, stride by stride, in sequence order.
  ///
  /// `payload` is the one of `chunk`. Events handed out before damage was found stand.
  public func scan(
    _ chunk: ChunkInfo,
    _ payload: ChunkPayload,
    in buffer: StrideBuffer,
    _ body: (Span<Event>) -> Void
  ) throws(TraceFileError) {
    var skipped = chunk.skipped
    do throws(ChunkDamage) {
      for stride in 0..<payload.strideCount {
        try payload.withEvents(of: stride, in: buffer) { events in
          let first = min(skipped, events.count)
          skipped -= first
          if first < events.count { body(events.extracting(first..<events.count)) }
        }
      }
    } catch {
      throw note(error, in: chunk)
    }
    decompressor.reuse(payload.bytes)
  }

  private func check(
    _ compressed: ArraySlice<UInt8>,
    _ frame: ChunkFrame,
    _ chunk: ChunkInfo
  ) throws(TraceFileError) {
    let sum = checksum(compressed)
    guard compressed.count == chunk.payloadBytes, sum == frame.payloadChecksum else {
      throw TraceFileError(
        path,
        byte: chunk.offset,
        .damaged(
          part: "payload checksum",
          found: ChunkDamage.hexadecimal(sum),
          expected: ChunkDamage.hexadecimal(frame.payloadChecksum)
        )
      )
    }
  }

  private func decompress(
    _ compressed: ArraySlice<UInt8>,
    _ frame: ChunkFrame,
    _ chunk: ChunkInfo
  ) throws(TraceFileError) -> ChunkPayload {
    let bytes = try decompressed(compressed, frame, chunk)
    do throws(ChunkDamage) {
      return try ChunkPayload(
        header: frame.header,
        payload: bytes,
        names: &names,
        stream: chunk.stream
      )
    } catch {
      throw TraceFileError(path, byte: chunk.offset, error)
    }
  }

  private func decompressed(
    _ compressed: ArraySlice<UInt8>,
    _ frame: ChunkFrame,
    _ chunk: ChunkInfo
  ) throws(TraceFileError) -> [UInt8] {
    do throws(DecompressionError) {
      return try decompressor.decompress(compressed, count: frame.rawBytes)
    } catch {
      throw TraceFileError(
        path,
        byte: chunk.offset,
        .damaged(part: "payload", found: error.text, expected: "\(frame.rawBytes) bytes")
      )
    }
  }

  private func frame(
    of chunk: ChunkInfo,
    bytes: [UInt8]
  ) throws(TraceFileError) -> ChunkFrame {
    guard bytes.count >= chunk.headerBytes,
      ChunkFrame.headerBytes(signature: bytes) == chunk.headerBytes
    else {
      throw TraceFileError(
        path,
        byte: chunk.offset,
        .damaged(part: "header", found: "other bytes", expected: "a chunk's header")
      )
    }
    do throws(ChunkDamage) {
      let frame = try ChunkFrame.decode(bytes, headerBytes: chunk.headerBytes)
      guard frame.headerChecksum == chunk.headerChecksum,
        frame.payloadChecksum == chunk.payloadChecksum
      else {
        throw ChunkDamage(
          "header checksum",
          found: frame.headerChecksum,
          expected: chunk.headerChecksum,
          at: chunk.headerBytes - 4
        )
      }
      return frame
    } catch {
      throw TraceFileError(path, byte: chunk.offset, error)
    }
  }

  /// Keeps in ``problems`` that rows of a chunk could not be decoded.
  package func note(_ damage: ChunkDamage, in chunk: ChunkInfo) -> TraceFileError {
    note(TraceFileError(path, byte: chunk.offset, damage), chunk)
  }

  private func note(_ error: TraceFileError, _ chunk: ChunkInfo) -> TraceFileError {
    if error.isIO { return error }
    let problem = TraceProblem(.damage, at: chunk.offset, stream: chunk.stream, error.finding)
    if damagedChunks.insert(chunk.offset).inserted { decodeProblems.append(problem) }
    return error
  }

  /// What the stream holds and what is gone of it, as far as it was looked at.
  public func census(of stream: TraceStream) -> TraceCensus {
    TraceCensus(stream) { isDamaged(stream.chunks[$0]) }
  }

  /// Takes over what another reader of the same file could not decode.
  package func learn(_ problems: [TraceProblem]) {
    for problem in problems {
      guard let byte = problem.byte, damagedChunks.insert(byte).inserted else { continue }
      decodeProblems.append(problem)
    }
  }

  /// Whether the chunk was looked at and could not be read.
  func isDamaged(_ chunk: ChunkInfo) -> Bool { damagedChunks.contains(chunk.offset) }

  /// Reads the bytes of every chunk and compares checksums, without decoding: nearly as good as
  /// ``verify()``, and as fast as the file can be read.
  public func compareChecksums() throws(TraceFileError) {
    for chunk in streams.flatMap(\.chunks) {
      do throws(TraceFileError) {
        _ = try checked(chunk)
      } catch {
        if error.isIO { throw error }
      }
    }
  }

  /// Reads every chunk whole; ``problems`` is complete afterwards.
  public func verify() throws(TraceFileError) {
    for chunk in streams.flatMap(\.chunks) {
      do throws(TraceFileError) {
        try compareMessages(try decode(chunk), of: chunk)
      } catch {
        if error.isIO { throw error }
      }
    }
    compareStrings()
  }
}
