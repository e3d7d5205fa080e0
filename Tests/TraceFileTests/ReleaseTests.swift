// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// A file that is freed of chunks while it is written.
struct ReleaseTests {
  private let folder: TestFolder
  private var path: String { folder.file("run") }

  init() throws { folder = try TestFolder() }

  /// A writer of some small chunks of two streams.
  private func writer() throws -> TraceWriter {
    let sample = try Sample(folder: folder, name: "sample", sizes: [3, 2, 4, 1, 5, 6], end: false)
    let reader = try TraceReader(path: folder.file("sample"))
    let writer = try TraceWriter(path: path, options: .init(.create, compacts: false))
    for chunk in reader.departing() { try writer.append(reader.travelling(chunk)) }
    #expect(reader.departing().count == sample.chunks.count)
    return writer
  }

  private func identities() throws -> [ChunkIdentity] {
    try TraceReader(path: path).departing().map(\.identity)
  }

  @Test func whatIsNotGivenUpStaysAndTheFileGrowsOn() throws {
    let writer = try writer()
    let all = try identities()
    let (before, old) = (writer.bytes, try TraceReader(path: path))
    #expect(try writer.release { $0 == Sample.writers[0] && $1.firstSequence < 7 })
    let rest = all.filter { $0.writer == Sample.writers[1] || $0.first >= 7 }
    #expect(rest.count == all.count - 2)
    #expect(try identities() == rest)
    #expect(writer.bytes < before)
    // Who has the old file open reads on in it.
    #expect(try old.travelling(old.departing()[0]).identity == all[0])
    let reader = try TraceReader(path: folder.file("sample"))
    let more = Sample.chunk(
      try readableEvents(of: reader),
      writer: Sample.writers[0],
      from: 12,
      names: reader.names
    )
    try writer.append(more)
    try writer.finish(end: true)
    #expect(try identities().count == rest.count + 1)
    #expect(try writer.check().problem == nil)
    #expect(try writer.check().eventsMissing == 0)
    #expect(folder.names == ["run", "sample"])
  }

  private func readableEvents(of reader: TraceReader) throws -> [Event] {
    try reader.decode(reader.streams[0].chunks[0]).events
  }

  @Test func allMayGo() throws {
    let writer = try writer()
    #expect(try writer.release { _, _ in true })
    #expect(writer.bytes == 0)
    try writer.finish(end: false)
    #expect(try identities().isEmpty)
  }

  @Test func anotherFileIsLeftAlone() throws {
    let writer = try writer()
    #expect(rename(path, folder.file("moved")) == 0)
    try folder.write("mine", to: "run")
    #expect(try writer.release { _, _ in true } == false)
    #expect(try folder.read("run") == Array("mine".utf8))
  }

  /// Whatever byte of the copy finds no room, the file is as it was, and grows on.
  @Test func noRoomForTheCopyChangesNothing() {
    let outcome = TestProgram.runAlone("ReleaseTests/noRoomAlone")
    #expect(outcome.code == TestProgram.allWell, "\(outcome.said)")
  }

  @Test(.enabled(if: TestProgram.isAlone)) func noRoomAlone() throws {
    signal(SIGXFSZ, SIG_IGN)
    let writer = try writer()
    let bytes = try folder.read("run")
    var given: Set<UInt64> = [0]
    for limit in 0..<bytes.count {
      var size = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t.max)
      guard setrlimit(__rlimit_resource_t(1), &size) == 0 else { exit(4) }
      do throws(TraceFileError) {
        if try writer.release({ given.contains($1.firstSequence) }) {
          // All that is kept fits: from here on less of it goes.
          guard limit >= Int(writer.bytes) else { exit(5) }
          given = []
          break
        }
      } catch {
        guard case .full = error.reason else { exit(6) }
      }
      guard try folder.read("run") == bytes, folder.names == ["run", "sample"] else { exit(7) }
    }
    guard given.isEmpty, try identities().allSatisfy({ $0.first > 0 }) else { exit(8) }
    exit(TestProgram.allWell)
  }

  /// A recorder that is killed at the copy leaves a part of it beside the file; one that is killed
  /// between the exchange and the end leaves the old file there.
  @Test func whereverItIsCutAFileWithTheRestStandsThere() throws {
    let writer = try writer()
    let old = try folder.read("run")
    #expect(try writer.release { _, chunk in chunk.firstSequence == 0 })
    let (new, rest) = (try folder.read("run"), try identities())
    for end in 0...new.count {
      try folder.write(Array(new[..<end]), to: "copy")
      try folder.write(old, to: "run")
      #expect(Set(try identities()).isSuperset(of: rest))
      // The copy alone is a trace as well, as far as it goes.
      let part = try TraceReader(path: folder.file("copy")).departing().map(\.identity)
      #expect(part == Array(rest.prefix(part.count)))
    }
  }
}
