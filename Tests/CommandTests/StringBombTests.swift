// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTraceFile
import Support
import TestThreads
import Testing

/// A file of two megabytes with five gigabytes of strings: each command goes through it, in memory
/// that has a limit.
@Suite(.waits) struct StringBombTests {
  private static let residentBytesMax = 512 << 20
  private static let chunks = 80

  /// Runs the built command; its exit code and the most memory that it had.
  private func run(_ words: [String]) -> (code: Int32, bytes: Int) {
    var arguments: [UnsafeMutablePointer<CChar>?] = ([BuiltBinary.path] + words).map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 {
      posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
    }
    var pid: pid_t = 0
    guard posix_spawn(&pid, BuiltBinary.path, &actions, nil, arguments, environ) == 0 else {
      return (-1, 0)
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
    let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    return (code, usage.ru_maxrss * 1_024)
  }

  @Test func everyCommandGoesThroughIt() throws {
    let folder = try TestFolder()
    let path = folder.file("bomb")
    var bomb = StringBomb(used: 10, spare: 3_990)
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for _ in 0..<Self.chunks { try writer.append(bomb.next()) }
    try writer.finish(end: true)
    let commands: [([String], Int32)] = [
      (["verify", path], 0), (["check", "--fail-on", "never", path], 0), (["dump", path], 0),
      (["replay", "-q", "--batch", "-e", "goto 100%", "-e", "list", path], 0),
      (["repair", path, "-o", folder.file("repaired")], 0),
      (["merge", path, folder.file("repaired"), "-o", folder.file("merged")], 0),
      (["info", path], 0),
    ]
    for (words, code) in commands {
      let outcome = run(words)
      #expect(outcome.code == code, "\(words)")
      #expect(outcome.bytes < Self.residentBytesMax, "\(words): \(outcome.bytes >> 20) MB")
    }
  }
}
