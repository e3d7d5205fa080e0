// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What stands at a place in a file.
enum ScannedFrame {
  case chunk(ChunkFrame, at: UInt64)
  case footer(Footer, at: UInt64, bytes: Int)
  /// These bytes are nothing that can be read; why.
  case damage(Range<UInt64>, ChunkDamage)
  /// These bytes are an index that cannot be read, and nothing else; why.
  case brokenIndex(Range<UInt64>, ChunkDamage)
  /// The file ends within a frame that begins here.
  case torn(at: UInt64, isIndex: Bool)
}

/// Walks over a file from frame to frame and compares their checksums; where that fails it looks for
/// the next frame's signature, so that damage stays local.
///
/// Time goes with the bytes that are walked over, whatever their headers claim.
struct Scanner {
  private let file: File
  private let origin: UInt64
  /// The next frame begins here.
  private(set) var position: UInt64
  private let comparesPayloads: Bool
  /// The stretch to be walked ends here.
  private let end: UInt64
  private var window: [UInt8] = []
  private var windowStart: UInt64 = 0
  /// Bytes of headers and payloads that were read in vain; bytes walked over pay for them.
  private var headersInVain: UInt64 = 0
  private var payloadsInVain: UInt64 = 0

  /// The budget: a number for each byte that is walked over, and a fixed number beyond.
  private static var inVainPerByte: UInt64 { 16 }
  private static var inVainMax: UInt64 { 64 << 20 }

  /// Without `comparesPayloads` those are not read behind which the next frame begins.
  init(_ file: File, from start: UInt64, to end: UInt64, comparesPayloads: Bool) {
    self.file = file
    self.comparesPayloads = comparesPayloads
    origin = start
    position = start
    self.end = end
  }

  /// The next frame, or nil at the end.
  mutating func next() throws(TraceFileError) -> ScannedFrame? {
    guard position < end else { return nil }
    let start = position
    switch try frame(at: start) {
    case .whole(let frame, let behind):
      if case .chunk(let chunk, _) = frame, try isDoubtful(behind), !hasPayload(chunk, at: start),
        let within = try frameWithin(start..<behind)
      {
        position = within
        let bytes = within - start
        return .damage(
          start..<within,
          ChunkDamage("frame", found: bytes, expected: "\(chunk.totalBytes) bytes", at: 0)
        )
      }
      position = behind
      return frame
    case .wrong(let damage):
      guard damage.part != "format version" else {
        throw TraceFileError(file.path, byte: start, .version(UInt16(clamping: damage.found)))
      }
      position = try findSignature(from: start + 1, to: end) ?? end
      return try unreadable(start..<position, damage)
    case .short:
      // A wrong length looks like a torn tail, unless something can be read further on.
      let next = try findSignature(from: start + 1, to: end)
      position = next ?? end
      let damage = ChunkDamage("frame", found: end - start, expected: "more bytes", at: 0)
      let frame = try unreadable(start..<position, damage)
      // An index with a wrong length is there to its end.
      if next == nil, case .damage = frame {
        let signature = try bytes(at: start, TraceFormat.signatureBytes)
        let isIndex = isBeginning(signature, TraceFormat.footerFrameMagic, TraceFormat.footerMagic)
        return .torn(at: start, isIndex: isIndex)
      }
      return frame
    }
  }

  /// Bytes that cannot be read: an index, which takes no event with it, or something unknown.
  ///
  /// Where they are as many as an index's first or last words say that it has, there was nothing
  /// else.
  private mutating func unreadable(
    _ range: Range<UInt64>,
    _ damage: ChunkDamage
  ) throws(TraceFileError) -> ScannedFrame {
    guard range.count > TraceFormat.signatureBytes + TraceFormat.footerTailBytes else {
      return .damage(range, damage)
    }
    let signature = try bytes(at: range.lowerBound, TraceFormat.signatureBytes)
    let tail = try bytes(
      at: range.upperBound - UInt64(TraceFormat.footerTailBytes),
      TraceFormat.footerTailBytes
    )
    let lengths = [Footer.bytes(signature: signature), Footer.bytes(tail: tail)]
    return lengths.contains(range.count) ? .brokenIndex(range, damage) : .damage(range, damage)
  }

  /// Whether a chunk that seems to end at `place` may not be whole.
  ///
  /// Where a frame begins there, all payloads are compared or none: behind a torn piece one begins
  /// at just that byte only by a rare chance.
  private mutating func isDoubtful(_ place: UInt64) throws(TraceFileError) -> Bool {
    guard !comparesPayloads, place < end else { return true }
    return !isSignature(try bytes(at: place, TraceFormat.signatureBytes)[...])
  }

  /// Whether the payload that belongs to a header stands behind it.
  ///
  /// A header may be all that is left of a chunk in a torn piece, and whole chunks of another piece
  /// may stand where its payload was. False where too many have been read in vain already, as in a
  /// file that is made to be slow.
  private mutating func hasPayload(_ chunk: ChunkFrame, at start: UInt64) -> Bool {
    guard payloadsInVain + UInt64(chunk.payloadBytes) <= paid(at: start) else { return false }
    // Bytes that the disk does not return are not known to be wrong; reading them reports the
    // failure.
    let first = start + UInt64(chunk.headerBytes)
    guard let payload = try? file.read(chunk.payloadBytes, at: first) else { return true }
    if checksum(payload) == chunk.payloadChecksum { return true }
    payloadsInVain += UInt64(chunk.payloadBytes)
    return false
  }

  /// Where the first chunk or index begins that stands whole within the bytes of a broken chunk; nil
  /// where that is damaged and nothing else.
  private mutating func frameWithin(_ range: Range<UInt64>) throws(TraceFileError) -> UInt64? {
    var next = try findSignature(from: range.lowerBound + 1, to: range.upperBound)
    while let start = next {
      if case .whole = try frame(at: start) { return start }
      next = try findSignature(from: start + 1, to: range.upperBound)
    }
    return nil
  }

  /// How many bytes may have been read in vain by the time that this place is reached.
  private func paid(at start: UInt64) -> UInt64 {
    (start - origin) * Self.inVainPerByte + Self.inVainMax
  }

  private enum Attempt {
    case whole(ScannedFrame, behind: UInt64)
    case short
    case wrong(ChunkDamage)
  }

  private mutating func frame(at start: UInt64) throws(TraceFileError) -> Attempt {
    let signature = try bytes(at: start, TraceFormat.signatureBytes)
    guard signature.count == TraceFormat.signatureBytes else {
      return isBeginning(signature) ? .short : .wrong(unknown(signature))
    }
    if let size = ChunkFrame.headerBytes(signature: signature) {
      guard start + UInt64(size) <= end else { return .short }
      // A file full of false beginnings, each of a long header, is not read once for each of them.
      guard headersInVain + UInt64(size) <= paid(at: start) else {
        return .wrong(unknown(signature))
      }
      let header = try bytes(at: start, size)
      guard header.count == size else { return .short }
      do throws(ChunkDamage) {
        let frame = try ChunkFrame.decode(header, headerBytes: size)
        let behind = start + UInt64(frame.totalBytes)
        if behind <= end { return .whole(.chunk(frame, at: start), behind: behind) }
        headersInVain += UInt64(size)
        return .short
      } catch {
        headersInVain += UInt64(size)
        return .wrong(error)
      }
    }
    if let size = Footer.bytes(signature: signature) {
      guard start + UInt64(size) <= end else { return .short }
      // The end is looked at before the whole is read: a false beginning may name any size.
      let tail = try bytes(
        at: start + UInt64(size - TraceFormat.footerTailBytes),
        TraceFormat.footerTailBytes
      )
      guard Footer.bytes(tail: tail) == size else { return .wrong(unknown(signature)) }
      do throws(ChunkDamage) {
        let footer = try Footer(try read(at: start, size), at: start)
        return .whole(.footer(footer, at: start, bytes: size), behind: start + UInt64(size))
      } catch {
        return .wrong(error)
      }
    }
    return .wrong(unknown(signature))
  }

  /// A read inside a parse: unreadable bytes count as damage there, and are reported as such.
  private func read(at start: UInt64, _ count: Int) throws(ChunkDamage) -> [UInt8] {
    do throws(TraceFileError) {
      return try file.read(count, at: start)
    } catch {
      throw ChunkDamage("index", found: 0, expected: "\(count) readable bytes", at: 0)
    }
  }

  /// The part that is wrong where something else stands than a chunk.
  static let firstWord = "first word"

  private func unknown(_ bytes: [UInt8]) -> ChunkDamage {
    ChunkDamage(
      Self.firstWord,
      found: littleEndian(bytes.prefix(4)),
      expected: TraceFormat.chunkFrameMagic,
      at: 0
    )
  }

  /// Whether a chunk or an index begins with these bytes.
  private func isSignature(_ bytes: ArraySlice<UInt8>) -> Bool {
    ChunkFrame.headerBytes(signature: bytes) != nil || Footer.bytes(signature: bytes) != nil
  }

  /// Whether the bytes could be the beginning of a frame of ours.
  private func isBeginning(_ bytes: [UInt8]) -> Bool {
    isBeginning(bytes, TraceFormat.chunkFrameMagic, TraceFormat.chunkMagic)
      || isBeginning(bytes, TraceFormat.footerFrameMagic, TraceFormat.footerMagic)
  }

  /// The same of a frame of one sort, as far as there are bytes.
  private func isBeginning(_ bytes: [UInt8], _ magic: UInt32, _ word: [UInt8]) -> Bool {
    let whole = (0..<4).map { UInt8(truncatingIfNeeded: magic >> (8 * UInt32($0))) }
    return zip(bytes.prefix(4), whole).allSatisfy(==)
      && zip(bytes.dropFirst(8), word).allSatisfy(==)
  }

  /// Bytes at `offset`, fewer at the end; small reads come from one larger one.
  private mutating func bytes(at offset: UInt64, _ wanted: Int) throws(TraceFileError) -> [UInt8] {
    let count = min(wanted, Int(clamping: end - offset))
    if offset < windowStart || offset + UInt64(count) > windowStart + UInt64(window.count) {
      let read = max(count, TraceFormat.headerReadBytes)
      window = try file.read(min(read, Int(clamping: end - offset)), at: offset)
      windowStart = offset
    }
    let first = Int(offset - windowStart)
    return Array(window[first..<min(first + count, window.count)])
  }

  /// The next place before `limit` at which a frame of ours seems to begin.
  private func findSignature(
    from start: UInt64,
    to limit: UInt64
  ) throws(TraceFileError) -> UInt64? {
    // Small at first: there may be another false beginning at every sixteenth byte.
    var step = 256
    var offset = start
    while offset < limit {
      let bytes = try file.read(min(step + 15, Int(clamping: end - offset)), at: offset)
      guard bytes.count >= TraceFormat.signatureBytes else { return nil }
      for index in 0...(bytes.count - TraceFormat.signatureBytes)
      where bytes[index + 1] == 0x2a && bytes[index + 2] == 0x4d && bytes[index + 3] == 0x18 {
        let signature = bytes[index..<(index + TraceFormat.signatureBytes)]
        if isSignature(signature) {
          let found = offset + UInt64(index)
          return found < limit ? found : nil
        }
      }
      offset += UInt64(step)
      step = min(step * 4, 1 << 16)
    }
    return nil
  }
}
