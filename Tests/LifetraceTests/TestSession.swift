// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Drain
import Glibc
import Support

/// A session directory of one test, removed with it; the test is the recorder.
final class TestSession {
  let directory: String

  init(
    onFull: lt_on_full = LT_ON_FULL_DROP,
    timeoutMilliseconds: UInt64 = 0,
    poolBytesMax: UInt64 = 64 << 20,
    clock: lt_clock_kind = LT_CLOCK_COUNTER
  ) throws {
    var template = Array("\(TestProgram.temporary)/lifetrace-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FixtureError(what: "mkdtemp", code: errno) }
    directory = template.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    let made = drain_session_make(
      directory,
      clock.rawValue,
      onFull.rawValue,
      timeoutMilliseconds * 1_000_000,
      poolBytesMax
    )
    guard made else { throw FixtureError(what: "session", code: errno) }
  }

  deinit {
    for name in Self.list(directory) { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }

  static func list(_ directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The pools that are there now, not those being made.
  func pools() -> [Pool] {
    Self.list(directory).filter { $0.hasPrefix("pool-") && !$0.hasSuffix(".tmp") }
      .compactMap { Pool("\(directory)/\($0)") }
  }

  func beat() { drain_session_beat(directory) }
}

struct FixtureError: Error {
  var what: String
  var code: Int32
}

/// One process's pool, drained.
final class Pool {
  private let pool: OpaquePointer

  init?(_ path: String) {
    guard let pool = drain_open(path) else { return nil }
    self.pool = pool
  }

  deinit { drain_close(pool) }

  /// Everything committed and not yet taken.
  func take() -> [drain_record] {
    var all: [drain_record] = []
    while true {
      let part = [drain_record](unsafeUninitializedCapacity: 65536) { buffer, count in
        count = drain_take(pool, buffer.baseAddress, buffer.count)
      }
      if part.isEmpty { return all }
      all += part
    }
  }

  /// Counts what ``take()`` would have taken.
  func discard() -> UInt64 {
    withUnsafeTemporaryAllocation(of: drain_record.self, capacity: 4096) { buffer in
      var all: UInt64 = 0
      while true {
        let count = drain_take(pool, buffer.baseAddress, buffer.count)
        if count == 0 { return all }
        all += UInt64(count)
      }
    }
  }

  func string(_ id: UInt32) -> String? {
    if id == 0 { return "" }
    var count = 0
    guard let bytes = drain_string(pool, id, &count) else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func site(_ id: UInt32) -> (name: String, file: String, line: UInt32, labels: String)? {
    var entry = lt_site_entry()
    guard drain_site(pool, id, &entry), let name = string(entry.name),
      let file = string(entry.file), let labels = string(entry.labels)
    else { return nil }
    return (name, file, entry.line, labels)
  }

  var dropped: UInt64 { drain_dropped_total(pool) }
  func dropped(_ family: lt_family) -> UInt64 { drain_dropped(pool, family.rawValue) }
  var stringsRefused: UInt64 { drain_strings_refused(pool) }
  var isDetached: Bool { drain_state(pool) == LT_POOL_DETACHED.rawValue }
  var blocksReady: Int { Int(drain_blocks_ready(pool)) }
  var pid: Int32 { Int32(drain_pid(pool)) }
  var role: UInt32 { drain_role(pool) }
  var app: String { String(cString: drain_app(pool)) }
  var reason: String { String(cString: drain_reason(pool)) }
  var version: String { String(cString: drain_version(pool)) }
  var writerHigh: UInt64 { drain_writer_high(pool) }
  var previous: (UInt64, UInt64) { (drain_previous_high(pool), drain_previous_low(pool)) }
}
