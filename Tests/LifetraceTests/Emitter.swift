// SPDX-License-Identifier: Apache-2.0
import Drain
import Glibc

/// A process that runs one story of the program `Emitter`, below a session or below none.
struct Emitter {
  let pid: pid_t
  private let output: Int32

  init(
    _ story: [String],
    in session: TestSession?,
    environment: [String: String] = [:]
  ) throws {
    var variables = ["PATH=/usr/bin:/bin"]
    if let session { variables.append("LIFETRACE_SESSION=\(session.directory)") }
    variables += environment.map { "\($0.key)=\($0.value)" }.sorted()

    var ends: [Int32] = [0, 0]
    // A pair of sockets, because pipe2 is not to be had here.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw FixtureError(what: "socketpair", code: errno)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)

    var arguments: [UnsafeMutablePointer<CChar>?] = ([Self.path] + story).map { strdup($0) } + [nil]
    var strings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for string in arguments + strings { free(string) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, Self.path, &actions, nil, &arguments, &strings)
    close(ends[1])
    guard code == 0 else { throw FixtureError(what: "spawn \(Self.path)", code: code) }
    pid = child
    output = ends[0]
  }

  /// The exit status, once it has ended.
  func waitIfEnded() -> Int32? {
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    return status
  }

  private static var path: String { "\(directory)/Emitter" }

  /// Where the test program and the others are.
  static var directory: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let own = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
    let directory = own.prefix(upTo: own.lastIndex(of: UInt8(ascii: "/")) ?? 0)
    return String(decoding: directory, as: UTF8.self)
  }

  /// Reads until `count` bytes have come or the program closes its output.
  func read(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while bytes.count < count {
      let got = Glibc.read(output, &buffer, min(buffer.count, count - bytes.count))
      if got < 0, errno == EINTR { continue }
      if got <= 0 { break }
      bytes += buffer[..<got]
    }
    return bytes
  }

  /// Everything it wrote until it ended.
  func readAll() -> [UInt8] { read(.max) }

  func kill(_ signal: Int32) { Glibc.kill(pid, signal) }

  /// Waits until it is stopped.
  func waitUntilStopped() -> Bool {
    var status: Int32 = 0
    return waitpid(pid, &status, WUNTRACED) == pid && status & 0xff == 0x7f
  }

  /// Waits for its end; 0 for a good one, 128 + n for signal n.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    close(output)
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// Runs a story to its end.
  static func run(
    _ story: String...,
    in session: TestSession?,
    environment: [String: String] = [:]
  ) throws -> Int32 {
    try Emitter(story, in: session, environment: environment).wait()
  }

  /// Runs a story to its end while a drain takes what it commits.
  static func drained(_ story: String..., in session: TestSession) throws
    -> (status: Int32, records: [UInt64: [drain_record]], dropped: UInt64)
  {
    let emitter = try Emitter(story, in: session)
    var pools: [UInt64: Pool] = [:]
    var records: [UInt64: [drain_record]] = [:]
    var status: Int32 = 0
    var ended = false
    while true {
      // Once more after its end, for what came last.
      session.beat()
      for pool in session.pools() where pools[pool.writerHigh] == nil {
        pools[pool.writerHigh] = pool
      }
      for (writer, pool) in pools { records[writer, default: []] += pool.take() }
      if ended { break }
      ended = waitpid(emitter.pid, &status, WNOHANG) == emitter.pid
    }
    close(emitter.output)
    let dropped = pools.values.reduce(0) { $0 + $1.dropped }
    return (status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f, records, dropped)
  }
}
