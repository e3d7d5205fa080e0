// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Appends chunks to a trace file; what was written is readable at any moment.
///
///     let writer = try TraceWriter(path: "run.lifetrace", options: .create)
///     try writer.append(chunk)                  // in the file when this returns
///     try writer.finish(end: true)
///
/// A chunk that cannot be written whole is cut off again, so the file always ends with a whole
/// one, unless the machine stops in between. One writer a file: the lock goes with the process.
public final class TraceWriter: ChunkSink {
  /// How a file is opened.
  public struct Options: Sendable {
    /// Whether the file is to be new.
    public enum Mode: Sendable {
      /// A new file; refuses one that exists.
      case create
      /// An existing file; a torn tail is cut off.
      case append
    }

    /// Whether the file is to be new.
    public var mode: Mode
    /// Each chunk survives a power cut when ``TraceWriter/append(_:)`` returns.
    public var sync: Bool
    /// A clean end merges small chunks.
    public var compacts: Bool
    /// An index that would grow past this is written, and the next one begins.
    package var indexBytesMax = TraceFormat.footerBytesMax

    /// Options of a mode.
    public init(_ mode: Mode, sync: Bool = false, compacts: Bool = true) {
      self.mode = mode
      self.sync = sync
      self.compacts = compacts
    }

    /// Makes a new file.
    public static let create = Options(.create)
    /// Continues an existing file.
    public static let append = Options(.append)
  }

  /// The path of the file.
  public var path: String { file.path }
  /// Bytes in the file.
  public private(set) var bytes: UInt64 = 0
  /// How many chunks ``append(_:)`` has put into the file.
  package private(set) var durableThrough: UInt64 = 0
  /// A torn tail that was cut off when the file was opened for appending.
  public private(set) var bytesCutOff: UInt64 = 0

  var file: File
  private let options: Options
  private let compressor = Compressor()
  private var writers: [(id: WriterID, attributes: WriterAttributes)] = []
  private var numberOfWriter: [WriterID: UInt32] = [:]
  /// The chunks since the last footer.
  private var chunks: [ChunkInfo] = []
  private var coveredFrom: UInt64 = 0
  /// The index of these chunks has at most this many bytes, without their strings.
  private var indexBytes = 0
  private var strings = ChunkStrings()
  private var finished = false
  /// What a look at the file must find in the end.
  private(set) var written = WrittenChunks()

  /// Creates the file, or opens it and cuts off a torn tail.
  public init(path: String, options: Options) throws(TraceFileError) {
    self.options = options
    file = try File(path, options.mode == .create ? .create : .append)
    try file.lock()
    guard options.mode == .append else { return }
    let reader = try TraceReader(path: path)
    bytes = reader.validBytes
    bytesCutOff = reader.fileBytes - reader.validBytes
    coveredFrom = reader.lastFooterEnd
    let all = reader.streams.flatMap(\.chunks).sorted { $0.offset < $1.offset }
    for chunk in all {
      let stream = reader.streams[Int(chunk.stream.rawValue)]
      if chunk.offset >= coveredFrom {
        // Of a chunk that cannot be read nothing is known, so the list is not whole.
        strings.add(payload: (try? reader.bytes(of: chunk).payload) ?? [])
        index(chunk, stream.writer, stream.attributes)
      } else {
        written.add(chunk)
      }
    }
    try file.truncate(to: bytes)
  }

  /// Writes a chunk; when it throws, the file ends with the chunk before.
  public func append(_ chunk: EncodedChunk) throws(TraceFileError) {
    precondition(!finished, "the trace is finished")
    chunk.checkInvariants()
    let (encoded, frame) = ChunkFrame.encode(chunk, compressor: compressor)
    let info = ChunkInfo(frame, at: bytes, stream: StreamID(rawValue: 0))
    try put(encoded, info, chunk.header.writer, chunk.header.attributes, chunk.payload)
    durableThrough += 1
  }

  /// Appends a chunk of another file as it stands there, after its checksums were compared.
  ///
  /// Where its first events stand in other chunks, only the rest is written, as a chunk of its own.
  package func append(copying chunk: ChunkInfo, of reader: TraceReader) throws(TraceFileError) {
    guard chunk.skipped == 0 else {
      reader.forgetNames()
      let decoded = try reader.decode(chunk)
      var encoder = ChunkEncoder()
      for event in decoded.events { encoder.append(event) }
      try append(encoder.finish(header: decoded.header, keyframe: [], names: reader.names))
      return
    }
    let (bytes, payload) = try reader.bytes(of: chunk)
    let stream = reader.streams[Int(chunk.stream.rawValue)]
    try put(bytes, chunk, stream.writer, stream.attributes, payload)
  }

  /// Appends a chunk; where the index would grow too large with it, the index before it as well.
  ///
  /// Both in one step, so that an index of what is still being recorded is never the file's end.
  func put(
    _ encoded: [UInt8],
    _ chunk: ChunkInfo,
    _ writer: WriterID,
    _ attributes: WriterAttributes,
    _ payload: [UInt8]
  ) throws(TraceFileError) {
    let indexBytes = indexBytes + strings.bytesMax + chunk.indexBytesMax
    let isOver = !chunks.isEmpty && indexBytes > options.indexBytesMax
    let footer = isOver ? footer(end: true).encode(at: bytes) : []
    var chunk = chunk
    chunk.offset = bytes + UInt64(footer.count)
    try write(footer.isEmpty ? encoded : footer + encoded)
    if isOver {
      (writers, numberOfWriter, chunks) = ([], [:], [])
      (coveredFrom, self.indexBytes, strings) = (chunk.offset, 0, ChunkStrings())
    }
    strings.add(payload: payload)
    index(chunk, writer, attributes)
  }

  private func footer(end: Bool) -> Footer {
    Footer(
      hasEnd: end,
      coveredBytes: bytes - coveredFrom,
      writers: writers,
      chunks: chunks,
      strings: FooterStrings(strings, compressor: compressor)
    )
  }

  /// Takes the place of the file at `path`, in one step.
  ///
  /// True where the old file is now at ``path`` as it was; false where there is no such step here,
  /// and the old file is gone.
  package func takePlace(of path: String) throws(TraceFileError) -> Bool {
    try file.exchange(with: path)
  }

  /// Waits until everything written survives a power cut.
  package func synchronize() throws(TraceFileError) { try file.synchronize() }

  /// Writes the footer over what was appended since the last one.
  ///
  /// `end` says that the recording ended well; then neighbouring small chunks become large ones
  /// where that saves a quarter of them, and the file is replaced, if it still stands at ``path``.
  public func finish(end: Bool) throws(TraceFileError) {
    guard !finished else { return }
    let footer = footer(end: end).encode(at: bytes)
    // Bytes behind it were written by another process, into a trace of ours.
    try file.truncate(to: bytes)
    try write(footer)
    written.footer = (bytes - UInt64(footer.count), footer)
    finished = true
    guard end, options.compacts else { return }
    // A trace that cannot be compacted (no room, say) is a whole trace all the same.
    guard let compacted = try? Compaction.run(file, sync: options.sync) else { return }
    file = compacted.file
    bytes = compacted.bytes
    written = compacted.written
  }

  private func write(_ new: [UInt8]) throws(TraceFileError) {
    do throws(TraceFileError) {
      try file.write(new, at: bytes)
      if options.sync { try file.synchronize() }
    } catch {
      try? file.truncate(to: bytes)
      throw error
    }
    bytes += UInt64(new.count)
  }

  /// Writes to the file of `other` from here on, which has taken the place of this one.
  func goOn(in other: TraceWriter) {
    (file, bytes, written) = (other.file, other.bytes, other.written)
    (writers, numberOfWriter, chunks) = (other.writers, other.numberOfWriter, other.chunks)
    (coveredFrom, indexBytes, strings) = (other.coveredFrom, other.indexBytes, other.strings)
  }

  private func index(_ chunk: ChunkInfo, _ writer: WriterID, _ attributes: WriterAttributes) {
    var chunk = chunk
    if let known = numberOfWriter[writer] {
      writers[Int(known)].attributes = attributes
      chunk.stream = StreamID(rawValue: known)
    } else {
      chunk.stream = StreamID(rawValue: UInt32(writers.count))
      numberOfWriter[writer] = chunk.stream.rawValue
      writers.append((writer, attributes))
    }
    chunks.append(chunk)
    indexBytes += chunk.indexBytesMax
    written.add(chunk)
  }
}

extension ChunkInfo {
  /// What an index has about it takes no more, its share of the tables included: nearly all of that
  /// stands in its header too.
  var indexBytesMax: Int { headerBytes + 32 }
}

extension EncodedChunk {
  /// What every reader relies on, checked before the bytes leave this process.
  func checkInvariants() {
    precondition(header.eventCount > 0 && header.eventCount <= Chunk.rowsMax)
    precondition(header.firstTime <= header.lastTime, "times are in order")
    precondition(header.kinds != KindSet(), "some kind is present")
    precondition(payload.count <= Chunk.payloadBytesMax)
    assert(decodes, "a chunk decodes to what its header says")
  }

  private var decodes: Bool {
    var names = Names()
    guard let payload = try? ChunkPayload(header: header, payload: payload, names: &names) else {
      return false
    }
    return (try? payload.decode())?.count == header.eventCount
  }
}
