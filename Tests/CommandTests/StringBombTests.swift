// SPDX-License-Identifier: Apache-2.0
import LifetraceTraceFile
import Support
import TestThreads
import Testing

/// A file of two megabytes with five gigabytes of strings: each command goes through it, in memory
/// that has a limit.
@Suite(.waits) struct StringBombTests {
  private static let residentBytesMax = 512 << 20
  private static let chunks = 80

  /// Runs a command and prints its exit code and the most memory that it had, in KiB.
  ///
  /// Of a child of ours that would be no less than what this process has when it makes the child.
  private static let measure = """
    import os, sys
    nowhere = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
    """

  /// Runs the built command; its exit code and the most memory that it had.
  private func run(_ words: [String], in folder: TestFolder) throws -> (code: Int, bytes: Int) {
    let line = (["measure.py", BuiltBinary.path] + words).map { TerminalSession.quoted($0) }
    let said = shell("python3 " + line.joined(separator: " "), in: folder).output
    let numbers = said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(numbers.count == 2, "\(said)")
    return (numbers[0], numbers[1] * 1_024)
  }

  @Test func everyCommandGoesThroughIt() throws {
    let folder = try TestFolder()
    try folder.write(Self.measure, to: "measure.py")
    let path = folder.file("bomb")
    var bomb = StringBomb(used: 10, spare: 3_990)
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for _ in 0..<Self.chunks { try writer.append(bomb.next()) }
    try writer.finish(end: true)
    let commands: [([String], Int)] = [
      (["verify", path], 0), (["check", "--fail-on", "never", path], 0), (["dump", path], 0),
      (["replay", "-q", "--batch", "-e", "goto 100%", "-e", "list", path], 0),
      (["repair", path, "-o", folder.file("repaired")], 0),
      (["merge", path, folder.file("repaired"), "-o", folder.file("merged")], 0),
      (["info", path], 0),
    ]
    for (words, code) in commands {
      let outcome = try run(words, in: folder)
      #expect(outcome.code == code, "\(words)")
      #expect(outcome.bytes < Self.residentBytesMax, "\(words): \(outcome.bytes >> 20) MB")
    }
  }
}
