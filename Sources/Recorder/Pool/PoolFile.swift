// SPDX-License-Identifier: Apache-2.0

import CLifetrace
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// Why the pool of a process is not read.
enum PoolRefusal: Error {
  /// It is none, or none that may be believed.
  case unusable(String)
  /// The system does not give it now, and may do so later.
  case unreadable(String)
  /// More pools are open than can be watched over; when others have ended there is room.
  case tooMany
}

/// A text of a process, and whether it was longer than its place.
struct PoolText {
  var string: String
  var isCut: Bool
}

/// The mapped memory of one process: checked when it is found, and never trusted after.
///
/// The process may change any byte at any time, even cut the file short under
/// us (see `cplatform_guard_mapping`). So the places of tables and blocks are
/// fixed here, once, from checked numbers.
final class PoolFile {
  /// Its name in the session's directory, which contains the writer.
  let name: String
  let facts: lt_pool_facts
  let writer: WriterID
  let base: UnsafeMutableRawPointer
  let blocksMax: Int
  private let bytes: Int
  private let blocksOffset: Int
  private let guardSlot: Int32
  /// The only description of the file that is ours, the mapping's: see ``isHeld``.
  private let fd: Int32
  private let entry: String
  /// Where the entry is a link: the file that it leads to.
  private let target: String?

  /// Larger tables are not believed; the SDK makes 4 MiB.
  static var tablesBytesMax: UInt64 { 16 << 20 }
  /// However large the session says that pools may be.
  static var bytesMaxMax: UInt64 { 4 << 30 }
  static let prefix = "pool-"

  /// Opens the entry `name` of a session's directory, whose blocks take at most `bytesMax`.
  init(_ name: String, in directory: String, bytesMax: UInt64) throws(PoolRefusal) {
    self.name = name
    entry = directory + "/" + name
    target = try Self.target(of: entry, name)
    let fd = open(target ?? entry, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard fd >= 0 else {
      if errno == EMFILE || errno == ENFILE { throw .tooMany }
      throw Self.isLasting(errno) ? .unusable(errnoText(errno)) : .unreadable(errnoText(errno))
    }
    var isKept = false
    defer { if !isKept { close(fd) } }
    var status = stat()
    guard fstat(fd, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unusable("it is no file")
    }
    guard status.st_uid == getuid() else { throw .unusable("it belongs to another user") }
    let blocksBytesMax = min(bytesMax, Self.bytesMaxMax)
    let header = lt_drain_header_bytes()
    guard status.st_size >= Int64(header) else { throw .unusable("it is too short") }
    guard UInt64(status.st_size) <= (1 << 20) + Self.tablesBytesMax + blocksBytesMax else {
      throw .unusable("it is larger than this session allows")
    }
    let bytes = Int(status.st_size)
    guard let place = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
      place != MAP_FAILED
    else { throw .unreadable("it cannot be mapped: \(errnoText(errno))") }
    let slot = cplatform_guard_mapping(place, bytes)
    guard slot >= 0 else {
      munmap(place, bytes)
      throw .tooMany
    }
    // Once, into memory of our own: so the bytes that are checked are those that are used.
    let facts = lt_drain_facts(place)
    let writer = WriterID(high: facts.writer_high, low: facts.writer_low)
    let offset = UInt64(facts.header_bytes) + min(facts.tables_bytes, Self.tablesBytesMax)
    guard facts.magic == LT_POOL_MAGIC, facts.layout_version == LT_LAYOUT_VERSION,
      facts.block_bytes == LT_BLOCK_BYTES, UInt64(facts.header_bytes) >= header,
      facts.header_bytes % 64 == 0, facts.tables_bytes <= Self.tablesBytesMax,
      offset % 64 == 0, facts.blocks_max > 0,
      UInt64(facts.blocks_max) * UInt64(LT_BLOCK_BYTES) <= blocksBytesMax,
      offset + UInt64(facts.blocks_max) * UInt64(LT_BLOCK_BYTES) <= UInt64(bytes)
    else {
      cplatform_unguard_mapping(slot)
      munmap(place, bytes)
      throw .unusable("its header is not that of a pool of this version")
    }
    guard name == Self.name(of: writer), facts.pid > 0, facts.pid <= UInt32(Int32.max) else {
      cplatform_unguard_mapping(slot)
      munmap(place, bytes)
      throw .unusable("it says that it is another one")
    }
    isKept = true
    self.fd = fd
    base = place
    guardSlot = slot
    self.bytes = bytes
    self.facts = facts
    self.writer = writer
    blocksMax = Int(facts.blocks_max)
    blocksOffset = Int(offset)
  }

  deinit {
    // The other way round a foreign mapping could stand where ours was still guarded.
    cplatform_unguard_mapping(guardSlot)
    munmap(base, bytes)
    close(fd)
  }

  static func name(of writer: WriterID) -> String { prefix + writer.text }

  /// Whether it is about the entry, rather than about the disk or the moment.
  private static func isLasting(_ code: Int32) -> Bool {
    [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM, ENXIO].contains(code)
  }

  /// Where the session has no room an app leaves a link to a file of its own.
  ///
  /// Only to a file whose name says so, because that file is removed in the end.
  private static func target(of entry: String, _ name: String) throws(PoolRefusal) -> String? {
    var status = stat()
    guard lstat(entry, &status) == 0 else { throw .unusable(errnoText(errno)) }
    guard status.st_mode & S_IFMT == S_IFLNK else {
      // Opening a device or a pipe may do things already.
      guard status.st_mode & S_IFMT == S_IFREG else { throw .unusable("it is no file") }
      return nil
    }
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(entry, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { throw .unusable("its link cannot be read") }
    let path = String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard path.hasPrefix("/"), path.split(separator: "/").last == "lifetrace-\(name)" else {
      throw .unusable("it is a link to something else")
    }
    return path
  }

  /// The place of block `index`, which the caller has bounded.
  @inline(__always)
  func block(_ index: Int) -> UnsafeMutableRawPointer {
    base + blocksOffset + index * Int(LT_BLOCK_BYTES)
  }

  /// How many blocks are backed by memory.
  var blocksReady: Int { min(Int(lt_drain_blocks_ready(base)), blocksMax) }

  /// Part of the file was gone when it was read; from there on it reads as zeros.
  var wasCut: Bool { cplatform_guard_faulted(guardSlot) != 0 }

  /// Whether the process still has it in its memory; nil where the file system does not say.
  ///
  /// True of a process in any pid namespace, and of one that has closed all its files.
  var isHeld: Bool? {
    switch cplatform_file_is_held(fd) {
    case 0: false
    case 1: true
    default: nil
    }
  }

  var app: PoolText { text(facts.app, LT_CUT_APP) }
  var process: PoolText { text(facts.process, LT_CUT_PROCESS) }
  var reason: PoolText { text(facts.reason, LT_CUT_REASON) }
  var version: PoolText { text(facts.version, LT_CUT_VERSION) }
  var test: PoolText { text(facts.test, LT_CUT_TEST) }

  /// The test that the process was started for; of pytest without the phase.
  var testName: String {
    var name = test.string
    for phase in [" (setup)", " (call)", " (teardown)"] where name.hasSuffix(phase) {
      name.removeLast(phase.count)
    }
    return name
  }

  private func text<T>(_ field: T, _ cut: lt_cut) -> PoolText {
    let string = withUnsafeBytes(of: field) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return PoolText(string: string, isCut: facts.cut & cut.rawValue != 0)
  }

  /// Removes the file, and the one that it links to.
  func unlinkFile() {
    if let target { unlink(target) }
    unlink(entry)
  }
}
