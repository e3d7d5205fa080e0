// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// How far the stream of each writer is numbered, in a file of the session's directory.
///
///     written              32 bytes for each writer: its id, the number of its next event, a checksum
///     taken-0, taken-1     written in turn: the same of the last chunk, and how far it has read each block
///
/// The trace says the same as long as it is as its recorder left it. Others may have moved,
/// replaced or cut it before a successor continues after a kill. Then this says what is missing,
/// and no number is given a second time.
///
/// A writer has its place before its first chunk is written: that says whose trace it is. Its
/// record is written again after each chunk and before the process gets its blocks back: a recorder
/// that dies in between leaves a trace that is ahead, and the higher number counts. It lies within
/// a page and is written by one call, which a kill does not cut in two.
///
/// Giving back the blocks takes many steps. A recorder that is killed at it has left in one of the
/// `taken` files how far they are done with.
final class WrittenLedger {
  /// What the last chunk of a process has brought.
  struct Taken {
    var writer: WriterID
    /// The number of the next event.
    var next: UInt64
    var positions: [ConsumedPosition]
  }

  private let directory: String
  private var turn = 0
  private let descriptor: Int32
  /// Where the next writer gets its place.
  private var count: Int

  /// Opens or makes the file.
  init?(in directory: String) {
    self.directory = directory
    descriptor = open(Self.path(directory), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    var facts = stat()
    guard descriptor >= 0, fstat(descriptor, &facts) == 0 else { return nil }
    count = (Int(facts.st_size) + Self.recordBytes - 1) / Self.recordBytes
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Keeps the number of the next event of `writer`, whose `place` is given out at its first record.
  ///
  /// Where there is no room for it the trace alone says how far the stream is.
  func keep(_ next: UInt64, of writer: WriterID, at place: inout Int?) {
    if place == nil {
      place = count
      count += 1
    }
    guard let place else { return }
    var record = ByteWriter()
    for word in [writer.high, writer.low, next] { record.word(word) }
    record.word(Self.sum(record.bytes[...]))
    _ = pwrite(descriptor, record.bytes, record.count, off_t(place * Self.recordBytes))
  }

  /// Keeps what a chunk that is written has brought, before the blocks are given back.
  func keep(_ taken: Taken) {
    var record = ByteWriter()
    for word in [taken.writer.high, taken.writer.low, taken.next, UInt64(taken.positions.count)] {
      record.word(word)
    }
    for position in taken.positions {
      record.word(position.serial)
      record.word(UInt64(position.records))
    }
    record.word(Self.sum(record.bytes[...]))
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = open(Self.path(directory, taken: turn), flags, 0o600)
    guard file >= 0 else { return }
    _ = pwrite(file, record.bytes, record.count, 0)
    close(file)
    turn = 1 - turn
  }

  /// What the last chunks have brought; one that was cut in two is not among them.
  static func taken(in directory: String) -> [Taken] {
    [0, 1].compactMap { turn in
      let bytes = SmallFile.bytesIfReadable(path(directory, taken: turn), bytesMax: bytesMax) ?? []
      return try? taken(bytes)
    }
  }

  private static func path(_ directory: String, taken turn: Int) -> String {
    "\(directory)/taken-\(turn)"
  }

  private static func taken(_ bytes: [UInt8]) throws(ChunkDamage) -> Taken? {
    var input = ByteReader(bytes)
    let high: UInt64 = try input.word("writer")
    let low: UInt64 = try input.word("writer")
    let next: UInt64 = try input.word("number")
    let count: UInt64 = try input.word("blocks")
    guard next <= numberMax, count <= UInt64(bytes.count) else { return nil }
    var taken = Taken(writer: WriterID(high: high, low: low), next: next, positions: [])
    for _ in 0..<count {
      let serial: UInt64 = try input.word("serial")
      let records: UInt64 = try input.word("records")
      taken.positions.append(
        ConsumedPosition(serial: serial, records: UInt32(truncatingIfNeeded: records))
      )
    }
    let end = input.position
    let sum: UInt64 = try input.word("checksum")
    return sum == Self.sum(bytes[..<end]) ? taken : nil
  }

  /// The number of the next event of each writer; 0 where no chunk is known to be written.
  static func numbers(in directory: String) -> [WriterID: UInt64] {
    let bytes = SmallFile.bytesIfReadable(path(directory), bytesMax: bytesMax) ?? []
    var numbers: [WriterID: UInt64] = [:]
    for offset in stride(from: 0, through: bytes.count - recordBytes, by: recordBytes) {
      guard let (writer, next) = try? record(Array(bytes[offset..<(offset + recordBytes)])) else {
        continue
      }
      // A successor after a kill gives out new places.
      numbers[writer] = max(numbers[writer] ?? 0, next)
    }
    for last in taken(in: directory) {
      numbers[last.writer] = max(numbers[last.writer] ?? 0, last.next)
    }
    return numbers
  }

  private static let recordBytes = 4 * MemoryLayout<UInt64>.size
  private static let bytesMax = 64 << 20
  /// No stream is longer.
  private static let numberMax: UInt64 = 1 << 56

  private static func path(_ directory: String) -> String { directory + "/written" }

  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    UInt64(bytes.withUnsafeBytes { cplatform_crc32c(0, $0.baseAddress, $0.count) })
  }

  private static func record(_ bytes: [UInt8]) throws(ChunkDamage) -> (WriterID, UInt64)? {
    var input = ByteReader(bytes)
    let high: UInt64 = try input.word("writer")
    let low: UInt64 = try input.word("writer")
    let next: UInt64 = try input.word("number")
    let sum: UInt64 = try input.word("checksum")
    guard sum == Self.sum(bytes.prefix(24)), next <= numberMax else { return nil }
    return (WriterID(high: high, low: low), next)
  }
}
