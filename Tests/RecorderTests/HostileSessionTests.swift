// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// The files of a session as a dead recorder leaves them, to be changed and recovered.
struct LeftSession {
  /// Where it was; copies go to directories with names of the same length.
  private let place: String
  private let session: String
  private var files: [String: [UInt8]] = [:]
  private var trace: [UInt8] = []
  let pool: String
  let progress: [UInt64]

  /// Of an app that was stopped in the middle of its emits, part of which are in the trace.
  init() throws {
    let recording = try Recording {
      $0.poolBytesMax = 4 * UInt64(HostilePool.blockBytes)
      $0.onFull = .block(nanoseconds: 60_000_000_000)
    }
    let path = recording.directory + "/progress"
    let child = try recording.launch("progress", path, "2", "0", "50")
    KillTests.waitForAnEmit(path)
    try recording.recorder.flush()
    // More than what is in the trace by now.
    let before = try KillTests.progress(path, threads: 2).reduce(0, +)
    Front.wait {
      (try? KillTests.progress(path, threads: 2).reduce(0, +)).map { $0 > before } == true
    }
    #expect(kill(child.pid, SIGSTOP) == 0)
    while !ProcFS.isWhollyStopped(child.pid) { usleep(1_000) }
    place = recording.directory
    let directory = recording.recorder.sessionDirectory
    session = directory.split(separator: "/").last.map(String.init) ?? ""
    for name in namesInDirectory(directory) {
      let bytes = try #require(
        SmallFile.bytesIfReadable(directory + "/" + name, bytesMax: 16 << 20)
      )
      files[name] = bytes
    }
    trace = try #require(SmallFile.bytesIfReadable(recording.output, bytesMax: 64 << 20))
    pool = try #require(files.keys.first { HostilePool.isPool($0) })
    progress = try KillTests.progress(path, threads: 2)
    #expect(kill(child.pid, SIGKILL) == 0)
    _ = child.wait(nanoseconds: 60_000_000_000)
    _ = try recording.recorder.stop()
  }

  subscript(name: String) -> [UInt8] { name == "trace" ? trace : files[name] ?? [] }

  /// Recovers the session with `bytes` in place of those of the file `name`.
  ///
  /// What is written then is whole as a file whatever stood in the session; nil where the session
  /// was refused.
  func recover(_ name: String? = nil, _ bytes: [UInt8] = []) throws -> ReadTrace? {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let home = directory + "/" + session
    #expect(mkdir(home, 0o700) == 0)
    for (file, content) in files {
      var content = file == name ? bytes : content
      if file == "about" { content = moved(content, to: directory) }
      write(content, to: home + "/" + file)
    }
    write(name == "trace" ? bytes : trace, to: directory + "/run.lifetrace")
    do {
      let adopted = try Recorder(adopting: home)
      try adopted.start()
      _ = try adopted.stop()
    } catch {
      return nil
    }
    let output = directory + "/run.lifetrace"
    let reader = try TraceReader(path: output)
    try reader.verify()
    if name != "trace" {
      #expect(!reader.problems.contains { $0.isDamage }, "\(reader.problems)")
      return try ReadTrace(output)
    }
    return nil
  }

  private func moved(_ bytes: [UInt8], to directory: String) -> [UInt8] {
    let (old, new) = (Array(place.utf8), Array(directory.utf8))
    var bytes = bytes
    for start in 0..<max(0, bytes.count - old.count)
    where bytes[start..<(start + old.count)] == old[...] {
      bytes.replaceSubrange(start..<(start + old.count), with: new)
    }
    return bytes
  }

  private func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    #expect(file >= 0)
    // The rest of a pool is a hole.
    let used = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    #expect(pwrite(file, bytes, used, 0) == used)
    #expect(ftruncate(file, off_t(bytes.count)) == 0)
    close(file)
  }
}

/// A recovery reads files that anything may have happened to: it ends, and what it writes is whole.
@Suite(.serialized, .timeLimit(.minutes(20)), .waits) struct HostileSessionTests {
  private static let values: [UInt64] = [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, .max, 1 << 63, 1 << 40]

  /// Another one for each field, and with the scale all of them.
  private static func values(for index: Int) -> [UInt64] {
    let count = min(values.count, KillTests.scale)
    return (0..<count).map { values[(index + $0) % values.count] }
  }

  private func app(_ trace: ReadTrace?) throws -> ReadTrace.Stream {
    try #require(trace?.apps.first)
  }

  @Test func theSessionAsItIsLosesNothing() throws {
    let left = try LeftSession()
    KillTests.check(try app(left.recover()), left.progress)
  }

  /// Every field of `lt_pool_header`, `lt_block`, the first records and the first entries of tables.
  @Test func everyFieldOfAPool() throws {
    let left = try LeftSession()
    let real = left[left.pool]
    typealias Offset = HostilePool.Offset
    let block = Offset.blocks
    var fields: [(at: Int, size: Int)] = [
      (0, 8), (Offset.layoutVersion, 4), (Offset.headerBytes, 4), (Offset.tablesBytes, 8),
      (Offset.blockBytes, 4), (Offset.blocksMax, 4), (Offset.blocksReady, 4), (36, 4),
      (Offset.pid, 4), (44, 4), (Offset.processStart, 8), (Offset.writer, 8),
      (Offset.writer + 8, 8), (72, 8), (80, 8), (88, 8),
      (Offset.tablesCommitted, 8), (Offset.tablesCommitted + 8, 8),
    ]
    // Dropped by family, refused names, and what an earlier recorder has refused.
    for word in 0..<17 { fields.append((448 + 8 * word, 8)) }
    for word in 0..<16 { fields.append((640 + 8 * word, 8)) }
    // Two entries of the tables: bytes, type, spare, id, payload bytes.
    fields += [(0, 4), (4, 2), (6, 2), (8, 4), (12, 4)].map { (Offset.tables + $0.0, $0.1) }
    for place in [block, block + HostilePool.blockBytes] {
      // Committed, serial, thread, state, consumed.
      fields += [(0, 8), (8, 8), (16, 4), (20, 4), (64, 8)].map { (place + $0.0, $0.1) }
      // Tick, site, kind, argument count, flags, reserved, identity, arguments.
      fields += [(0, 8), (8, 4), (12, 1), (13, 1), (14, 1), (15, 1), (16, 8), (24, 8), (48, 8)]
        .map { (place + Offset.blockRecords + $0.0, $0.1) }
    }
    var recovered = 0
    for (index, field) in fields.enumerated() {
      for value in Self.values(for: index) {
        var pool = HostilePool(bytes: real)
        pool.put(value, field.size, at: field.at)
        if try left.recover(left.pool, pool.bytes)?.apps.isEmpty == false { recovered += 1 }
      }
    }
    // Most fields are not what a pool is known by.
    #expect(recovered > fields.count / 2)
  }

  @Test func everyFieldOfTheSession() throws {
    let left = try LeftSession()
    let fields = [
      (0, 8), (8, 4), (12, 4), (16, 4), (20, 4), (24, 8), (32, 8), (64, 8), (72, 4),
    ]
    for (index, (at, size)) in fields.enumerated() {
      for value in Self.values(for: index) {
        var session = HostilePool(bytes: left["session"])
        session.put(value, size, at: at)
        _ = try left.recover("session", session.bytes)
      }
    }
    for length in [0, 1, 79, 4_095] {
      #expect(try left.recover("session", Array(left["session"].prefix(length))) == nil)
    }
  }

  @Test(arguments: ["clock", "about", "trace", "redacted"])
  func textsAndTheTraceItself(name: String) throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    let left = try LeftSession()
    for _ in 0..<(15 * KillTests.scale) {
      var bytes = left[name]
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let at = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + 9))
        case 2: bytes.insert(contentsOf: Array("18446744073709551615 ".utf8), at: at)
        default: bytes.removeLast(bytes.count - at)
        }
      }
      _ = try left.recover(name, bytes)
    }
  }

  @Test(arguments: [
    "0 0 0\n", "0 0 18446744073709551615\n", "18446744073709551615 9223372036854775807 1\n",
    "0 -9223372036854775808 18446744073709551615\n1 9223372036854775807 18446744073709551615\n",
    "1 1 1\n", "18446744073709551615 -9223372036854775808 18446744073709551615\n", "", "x\n",
    "1 2\n", "1 1 1 4294967295\n", "18446744073709551615 1 4294967296 4294967295\n",
  ])
  func clocksThatCannotBe(text: String) throws {
    let left = try LeftSession()
    _ = try left.recover("clock", Array(text.utf8))
  }
}
