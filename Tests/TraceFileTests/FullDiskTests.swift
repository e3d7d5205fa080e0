// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

@Suite("A full disk", .waits)
struct FullDiskTests {
  /// The limit of a file's size is inherited by nobody else: the test runs in a process of its own.
  @Test("leaves the last whole chunk and says so")
  func limit() {
    let outcome = TestProgram.runAlone("FullDiskTests/limitAlone")
    #expect(outcome.code == TestProgram.allWell, "\(outcome.said)")
  }

  @Test(.enabled(if: TestProgram.isAlone)) func limitAlone() throws {
    signal(SIGXFSZ, SIG_IGN)
    let folder = try TestFolder()
    var source = RandomEvents(seed: 2)
    var limit = rlimit(rlim_cur: 20_000, rlim_max: 20_000)
    guard setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(3) }
    let writer = try TraceWriter(path: folder.file("full"), options: .create)
    var written = 0
    while true {
      let events = source.next(100)
      let chunk = Sample.chunk(
        events,
        writer: Sample.writers[0],
        from: UInt64(written),
        names: source.names
      )
      do throws(TraceFileError) {
        try writer.append(chunk)
        written += 100
      } catch {
        guard case .full = error.reason, error.isIO else { exit(4) }
        break
      }
    }
    let reader = try TraceReader(path: folder.file("full"))
    let events = try readable(reader)
    guard written > 0, events.count == written else { exit(5) }
    guard reader.fileBytes == writer.bytes, !reader.problems.contains(where: \.isDamage) else {
      exit(6)
    }
    // Whoever exits deinitialises nothing.
    unlink(folder.file("full"))
    rmdir(folder.path)
    exit(TestProgram.allWell)
  }
}
