// SPDX-License-Identifier: Apache-2.0

internal import LifetraceTrace

// How a file is taken in: footers first, then what none covers, then the order of its chunks.

extension TraceReader {
  func load() throws(TraceFileError) {
    isBeingWritten = file.isLocked
    let status = try file.status()
    identity = (status.device, status.inode)
    fileBytes = status.bytes
    setLimits()
    var footers: [(footer: Footer, start: UInt64, bytes: Int)] = []
    var end = fileBytes
    while end > 0, let (footer, start, bytes) = try footer(endingAt: end) {
      footers.append((footer, start, bytes))
      end = start - footer.coveredBytes
    }
    try scan(to: end)
    for (footer, start, bytes) in footers.reversed() {
      add(footer, bytes: bytes, behind: start + UInt64(bytes))
    }
    try settle()
    if fileBytes > 0, streams.isEmpty, lastFooterEnd == 0,
      scanProblems.contains(where: { $0.kind == .damage })
    {
      throw TraceFileError(path, .notATrace)
    }
  }

  /// The footer that ends at `end`, if it is whole and its first and last chunk are where it says.
  func footer(
    endingAt end: UInt64
  ) throws(TraceFileError) -> (Footer, start: UInt64, bytes: Int)? {
    guard end >= UInt64(TraceFormat.footerTailBytes) else { return nil }
    let tail = try file.read(
      TraceFormat.footerTailBytes,
      at: end - UInt64(TraceFormat.footerTailBytes)
    )
    guard let bytes = Footer.bytes(tail: tail), UInt64(bytes) <= end else { return nil }
    let start = end - UInt64(bytes)
    guard let footer = try? Footer(try file.read(bytes, at: start), at: start) else { return nil }
    for chunk in [footer.chunks.first, footer.chunks.last].compactMap({ $0 }) {
      let signature = try file.read(TraceFormat.signatureBytes, at: chunk.offset)
      guard ChunkFrame.headerBytes(signature: signature) == chunk.headerBytes else { return nil }
    }
    return (footer, start, bytes)
  }

  func scan(to end: UInt64) throws(TraceFileError) {
    var scanner = Scanner(file, from: validBytes, to: end, comparesPayloads: comparesPayloads)
    tail = nil
    while let frame = try scanner.next() {
      switch frame {
      case .chunk(let frame, let offset):
        let stream = stream(of: frame.header.writer, frame.header.attributes)
        found[Int(stream.rawValue)].append(ChunkInfo(frame, at: offset, stream: stream))
        ended.meet(chunkAt: offset)
        validBytes = scanner.position
      case .footer(let footer, let start, let bytes):
        // Its chunks were met on the way.
        ended.meet(footer, at: start)
        stringLists.append(StringList(footer, at: start))
        footerBytes += UInt64(bytes)
        validBytes = start + UInt64(bytes)
        lastFooterEnd = validBytes
      case .damage(let range, let damage):
        note(damage, in: range)
        validBytes = scanner.position
      case .brokenIndex(let range, let damage):
        note(
          TraceProblem(
            .index,
            at: range.lowerBound,
            "an index of \(Quantity.count(range.count, "byte")) at byte \(range.lowerBound) is "
              + "of no use: \(damage); no event is in it"
          ),
          range
        )
        validBytes = scanner.position
      case .torn(let start, let isIndex):
        let part =
          "the last \(Quantity.count(end - start, "byte")), from byte \(start), are part of"
        tail =
          isIndex
          ? TraceProblem(.index, at: start, "torn tail: \(part) the index; no event is in it")
          : TraceProblem(.tornTail, at: start, "torn tail: \(part) a chunk")
      }
    }
  }

  /// At most this many are reported singly: false beginnings may stand at each sixteenth byte.
  static let scanProblemsMax = 100

  func note(_ problem: TraceProblem, _ range: Range<UInt64>) {
    guard scanProblems.count < Self.scanProblemsMax else {
      moreDamage.places += 1
      moreDamage.bytes += UInt64(range.count)
      return
    }
    scanProblems.append(problem)
  }

  func note(_ damage: ChunkDamage, in range: Range<UInt64>) {
    let why =
      damage.part == Scanner.firstWord
      ? "begins with \(damage.foundText), a chunk with \(damage.expected)" : "\(damage)"
    let bytes = Quantity.count(range.count, "byte")
    let text = "no chunk in \(bytes) from byte \(range.lowerBound): \(why)"
    note(TraceProblem(.damage, at: range.lowerBound, text), range)
  }

  func add(_ footer: Footer, bytes: Int, behind: UInt64) {
    let ids = footer.writers.map { stream(of: $0.id, $0.attributes) }
    for var chunk in footer.chunks {
      chunk.stream = ids[Int(chunk.stream.rawValue)]
      found[Int(chunk.stream.rawValue)].append(chunk)
    }
    ended.meetAll(of: footer)
    stringLists.append(StringList(footer, at: behind - UInt64(bytes)))
    footerBytes += UInt64(bytes)
    validBytes = behind
    lastFooterEnd = behind
  }

  func stream(of writer: WriterID, _ attributes: WriterAttributes) -> StreamID {
    if let known = streamOfWriter[writer] {
      streams[Int(known.rawValue)].attributes = attributes
      return known
    }
    let id = StreamID(rawValue: UInt32(streams.count))
    streamOfWriter[writer] = id
    streams.append(TraceStream(id: id, writer: writer, attributes: attributes))
    found.append([])
    streamProblems.append([])
    return id
  }

  /// Puts the chunks that were found in order, and reports the gaps.
  func settle() throws(TraceFileError) {
    duplicates = 0
    stringsKnown = nil
    for index in streams.indices {
      let settled = try StreamOrder(
        found[index].map { ChunkCover.Copy(chunk: $0, reader: self) },
        of: streams[index]
      )
      streams[index].chunks = settled.chunks.map { $0.chunk }
      streamProblems[index] = settled.problems.map { $0.problem }
      duplicates += settled.duplicates
    }
    hasEnd = Self.haveEnd([self])
  }
}
