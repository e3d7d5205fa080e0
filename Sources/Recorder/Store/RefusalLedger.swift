// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// The events of one process that were counted instead of written, in a file of the session.
///
///     refused-<writer>     two places, written in turn: one of them is always whole
///
/// A record says how many events of each family were refused since the beginning, and how far each
/// block had been read by then. It is written before the process gets the blocks back. So a
/// successor after a kill counts each event once: events that the last record covers are in its
/// numbers, and the others are still there to be read.
final class RefusalLedger {
  struct Record: Equatable {
    /// The refused events, by family.
    var counts = [UInt64](repeating: 0, count: EventFamily.allCases.count)
    /// How many records of each block are covered, by the block's serial.
    var positions: [ConsumedPosition] = []
  }

  static let prefix = "refused-"
  private let path: String
  private let descriptor: Int32
  private let placeBytes: Int
  private var number: UInt64

  /// Opens or makes the file of `writer`, with room for the positions of `blocksMax` blocks.
  ///
  /// Nil where there is no room: then a kill can make a count too high.
  init?(in directory: String, of writer: WriterID, blocksMax: Int) {
    path = Self.path(directory, writer)
    let words = 3 + EventFamily.allCases.count + 2 * blocksMax
    placeBytes = (words * MemoryLayout<UInt64>.size + Self.pageBytes - 1) & -Self.pageBytes
    number = Self.places(of: path).map(\.number).max() ?? 0
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    // The places stand where they did: the pool of a writer keeps its size.
    guard cplatform_reserve(descriptor, Int64(2 * placeBytes)) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// What the recorder before this one has counted; nil where it refused nothing.
  static func record(in directory: String, of writer: WriterID) -> Record? {
    places(of: path(directory, writer)).max { $0.number < $1.number }?.record
  }

  /// Keeps the record; false where the file did not take it.
  func keep(_ record: Record) -> Bool {
    var body = ByteWriter()
    body.word(number + 1)
    body.word(UInt64(record.positions.count))
    for count in record.counts { body.word(count) }
    for position in record.positions {
      body.word(position.serial)
      body.word(UInt64(position.records))
    }
    let sum = body.bytes.withUnsafeBytes { cplatform_crc32c(0, $0.baseAddress, $0.count) }
    var place = ByteWriter()
    place.word(UInt64(placeBytes) << 32 | UInt64(sum))
    place.bytes += body.bytes
    guard place.count <= placeBytes else { return false }
    let offset = off_t(number % 2) * off_t(placeBytes)
    guard pwrite(descriptor, place.bytes, place.count, offset) == place.count else { return false }
    number += 1
    return true
  }

  func remove() { unlink(path) }

  private static let pageBytes = 4_096

  private static func path(_ directory: String, _ writer: WriterID) -> String {
    "\(directory)/\(prefix)\(writer.text)"
  }

  private static func places(of path: String) -> [(number: UInt64, record: Record)] {
    guard let bytes = SmallFile.bytesIfReadable(path, bytesMax: bytesMax) else { return [] }
    // Both places say how long one is; the first may be torn.
    return [0, bytes.count / 2].compactMap { offset in
      try? place(Array(bytes[offset..<(offset + bytes.count / 2)]))
    }
  }

  private static let bytesMax = 64 << 20

  private static func place(_ bytes: [UInt8]) throws(ChunkDamage) -> (UInt64, Record)? {
    var input = ByteReader(bytes)
    let head: UInt64 = try input.word("checksum")
    let begin = input.position
    let number: UInt64 = try input.word("number")
    let blocks: UInt64 = try input.word("blocks")
    guard head >> 32 == UInt64(bytes.count), blocks <= UInt64(bytes.count) else { return nil }
    var record = Record()
    for family in record.counts.indices { record.counts[family] = try input.word("count") }
    for _ in 0..<blocks {
      let serial: UInt64 = try input.word("serial")
      let records: UInt64 = try input.word("records")
      record.positions.append(
        ConsumedPosition(serial: serial, records: UInt32(truncatingIfNeeded: records))
      )
    }
    let sum = bytes[begin..<input.position].withUnsafeBytes {
      cplatform_crc32c(0, $0.baseAddress, $0.count)
    }
    return UInt32(truncatingIfNeeded: head) == sum ? (number, record) : nil
  }
}
