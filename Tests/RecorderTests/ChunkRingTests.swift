// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTrace
import LifetraceTraceFile
import LifetracePlatform
import Support
import Testing

@testable import LifetraceRecorder

/// What a flight recorder does with its past when a file takes no more.
@Suite struct ChunkRingTests {
  private static let eventsAtOnce = 50

  private func chunk(_ number: Int) -> EncodedChunk {
    var encoder = ChunkEncoder()
    let first = number * Self.eventsAtOnce
    for index in first..<(first + Self.eventsAtOnce) {
      encoder.append(
        Event(.mark, at: HostTime(rawValue: Int64(index)), sequence: UInt64(index))
      )
    }
    return encoder.finish(
      header: ChunkHeader(
        writer: WriterID(high: 1, low: 2),
        attributes: WriterAttributes(app: "app"),
        firstSequence: UInt64(first)
      ),
      keyframe: [],
      names: Names()
    )
  }

  /// The descriptor of this process that has the file open.
  private func descriptor(of path: String) -> Int32? {
    namesInDirectory("/proc/self/fd").compactMap { Int32($0) }.first { descriptor in
      var target = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count)
      return count > 0 && target.prefix(count).elementsEqual(path.utf8CString.dropLast())
    }
  }

  /// Less of the past would not mend what is broken.
  @Test func anErrorThatIsNotAFullDiskThrowsNoPastAway() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let ring = ChunkRing(in: directory, .bytes(1 << 20))
    for number in 0..<5 { try ring.append(chunk(number)) }
    let files = ChunkRing.files(in: directory)
    let last = try #require(files.last)
    let open = try #require(descriptor(of: last))
    let kept = dup(open)
    let broken = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(dup2(broken, open) == open)
    for _ in 1...3 {
      do throws(TraceFileError) {
        try ring.append(chunk(5))
        Issue.record("a file that is not open for writing took a chunk")
      } catch {
        #expect(error.reason == .io(operation: "write to it", code: EBADF))
      }
    }
    #expect(ring.events == UInt64(5 * Self.eventsAtOnce))
    #expect(ring.letGo == 0)
    #expect(ChunkRing.files(in: directory) == files)
    // Mended, it goes on where it was.
    #expect(dup2(kept, open) == open)
    close(kept)
    close(broken)
    try ring.append(chunk(5))
    let output = directory + "/run.lifetrace"
    let trace = try TraceWriter(path: output, options: .create)
    try ring.pour(into: trace)
    try trace.finish(end: true)
    let read = try ReadTrace(output)
    #expect(read.problems.isEmpty, "\(read.problems)")
    #expect(read.streams.flatMap(\.events).map(\.sequence) == Array(0..<300))
  }

  /// The other case, or the first would hold of a ring that lets nothing go.
  @Test func aFullDiskTakesTheOldestForTheNewest() {
    let outcome = TestProgram.runAlone("ChunkRingTests/fullDiskAlone")
    #expect(outcome.code == TestProgram.allWell, "\(outcome.said)")
  }

  @Test(.enabled(if: TestProgram.isAlone)) func fullDiskAlone() throws {
    signal(SIGXFSZ, SIG_IGN)
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let tests = ChunkRingTests()
    let ring = ChunkRing(in: directory, .bytes(1 << 20))
    for number in 0..<5 { try ring.append(tests.chunk(number)) }
    var facts = stat()
    guard stat(ChunkRing.files(in: directory)[0], &facts) == 0 else { exit(3) }
    var limit = rlimit(rlim_cur: rlim_t(facts.st_size), rlim_max: rlim_t.max)
    guard setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(4) }
    try ring.append(tests.chunk(5))
    guard ring.events == UInt64(ChunkRingTests.eventsAtOnce), ring.letGo == 250,
      ring.crowdedOut == 250
    else { exit(5) }
    Recording.remove(directory)
    exit(TestProgram.allWell)
  }
}
