// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CSystem
import Glibc
import Trace

/// The mapped memory of one process: checked when it is found, and never trusted after.
///
/// The process may change any byte at any time, even cut the file short under
/// us (see `csystem_guard_mapping`). So the places of tables and blocks are
/// fixed here, once, from checked numbers.
final class PoolFile {
  let path: String
  let facts: lt_pool_facts
  let writer: WriterID
  let base: UnsafeMutableRawPointer
  let bytes: Int
  let blocksOffset: Int
  let blocksMax: Int
  private let guardSlot: Int32

  /// A larger pool is not believed.
  static var bytesMax: Int { 8 << 30 }
  static var tablesBytesMax: UInt64 { 256 << 20 }
  static var blocksMaxMax: UInt32 { 65_536 }

  init(path: String) throws(RecorderError) {
    self.path = path
    // Not O_NOFOLLOW: where the session had no room the app left a link to a file of its own.
    let fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard fd >= 0 else { throw systemError("open", path) }
    defer { close(fd) }
    var status = stat()
    guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid(),
      status.st_size >= Int64(MemoryLayout<lt_pool_facts>.size), status.st_size <= Self.bytesMax
    else { throw .notASession(path: path, why: "not a pool file of this user") }
    bytes = Int(status.st_size)
    guard let place = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
      place != MAP_FAILED
    else { throw systemError("map", path) }
    base = place
    guardSlot = csystem_guard_mapping(place, bytes)
    facts = lt_drain_facts(place)
    writer = WriterID(high: facts.writer_high, low: facts.writer_low)
    let header = UInt64(facts.header_bytes)
    let offset = header.addingReportingOverflow(facts.tables_bytes)
    blocksMax = Int(facts.blocks_max)
    let isSound =
      facts.magic == LT_POOL_MAGIC && facts.layout_version == LT_LAYOUT_VERSION
      && facts.block_bytes == LT_BLOCK_BYTES && header >= 512 && header % 64 == 0
      && facts.tables_bytes <= Self.tablesBytesMax && !offset.overflow
      && offset.partialValue % 64 == 0
      && facts.blocks_max > 0 && facts.blocks_max <= Self.blocksMaxMax
      && offset.partialValue + UInt64(facts.blocks_max) * UInt64(LT_BLOCK_BYTES) <= UInt64(bytes)
    blocksOffset = isSound ? Int(offset.partialValue) : 0
    guard isSound, guardSlot >= 0 else {
      csystem_unguard_mapping(guardSlot)
      munmap(place, bytes)
      throw .notASession(path: path, why: "its header is not that of a pool of this version")
    }
  }

  deinit {
    munmap(base, bytes)
    csystem_unguard_mapping(guardSlot)
  }

  /// The place of block `index`, which the caller has bounded.
  @inline(__always)
  func block(_ index: Int) -> UnsafeMutableRawPointer {
    base + blocksOffset + index * Int(LT_BLOCK_BYTES)
  }

  /// How many blocks are backed by memory.
  var blocksReady: Int { min(Int(lt_drain_blocks_ready(base)), blocksMax) }

  /// The process left by itself.
  var isDetached: Bool { lt_drain_pool_state(base) == LT_POOL_DETACHED.rawValue }

  /// Part of the file was gone when it was read.
  var wasCut: Bool { csystem_guard_faulted(guardSlot) != 0 }

  var app: String { text(facts.app) }
  var process: String { text(facts.process) }
  var reason: String { text(facts.reason) }
  var version: String { text(facts.version) }

  private func text<T>(_ field: T) -> String {
    withUnsafeBytes(of: field) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// Removes the file, and the one that it links to.
  func unlinkFile() {
    if let target = realpath(path, nil) {
      unlink(target)
      free(target)
    }
    unlink(path)
  }
}
