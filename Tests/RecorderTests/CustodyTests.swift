// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import Support
import Synchronization
import TestThreads
import Testing

@testable import LifetraceRecorder

/// What others keep leaves the file; what they do not keep, and what a successor needs, stays.
@Suite(.waits) struct CustodyTests {
  /// Keeps the events before a number.
  private final class Collector: Sendable {
    let end = Mutex<UInt64>(0)

    func custody(isEager: Bool) -> Custody {
      Custody(isEager: isEager, hasNews: { true }) { _, numbers in
        self.end.withLock { numbers.upperBound <= $0 }
      }
    }
  }

  private func header(
    _ writer: UInt64,
    _ first: UInt64,
    _ keyframe: KeyframePlace = .full,
    _ kinds: [EventKind] = [.mark]
  ) -> ChunkHeader {
    var header = ChunkHeader(
      writer: WriterID(high: 1, low: writer),
      attributes: WriterAttributes(app: "app"),
      firstSequence: first
    )
    header.eventCount = 10
    header.keyframe = keyframe
    header.kinds = KindSet(kinds)
    return header
  }

  private func released(_ headers: [ChunkHeader], _ holds: (UInt64, UInt64) -> Bool) -> [String] {
    var chunks = FreedChunks()
    for header in headers { chunks.add(header, bytes: 100) }
    return withoutActuallyEscaping(holds) { holds in
      let kept = Set(
        headers.filter { holds($0.writer.low, $0.firstSequence) }
          .map { "\($0.writer.low)-\($0.firstSequence)" }
      )
      let release = chunks.release(
        by: Custody(isEager: true, hasNews: { true }) { writer, numbers in
          kept.contains("\(writer.low)-\(numbers.lowerBound)")
        }
      )
      let gone = headers.filter { release.holds($0.writer, $0.firstSequence) }
      #expect(release.bytes == UInt64(100 * gone.count))
      #expect(release.events == UInt64(10 * gone.count))
      return gone.map { "\($0.writer.low)-\($0.firstSequence)" }
    }
  }

  @Test func whatASuccessorFoldsFromStays() {
    let headers = [
      header(1, 0), header(1, 10, .continued(from: 0)), header(1, 20), header(2, 0),
      header(1, 30, .continued(from: 20)),
    ]
    #expect(released(headers) { _, _ in true } == ["1-0", "1-10"])
    #expect(released(headers) { writer, first in first == 10 } == ["1-10"])
    #expect(released(headers) { _, _ in false } == [])
  }

  @Test func ofAnEndedProcessAllMayGo() {
    let headers = [
      header(1, 0), header(1, 10, .full, [.loss]), header(1, 20, .full, [.processExit]),
    ]
    #expect(released(headers) { _, _ in true } == ["1-0", "1-10", "1-20"])
    // Of one that goes on, a loss must not be told a second time after a kill.
    #expect(released(Array(headers.prefix(2)) + [header(1, 20)]) { _, _ in true } == ["1-0"])
  }

  @Test func theFileIsFreedWhileItIsWritten() throws {
    let collector = Collector()
    collector.end.withLock { $0 = .max }
    let recording = try Recording {
      $0.compacts = false
      // Many small chunks: enough bytes of them in a second.
      $0.sealAfterNanoseconds = 5_000_000
      $0.custody = collector.custody(isEager: true)
    }
    let path = recording.directory + "/progress"
    #expect(try recording.run("progress", path, "2", "60000", "2000") == 0)
    let summary = try recording.recorder.stop()
    #expect(summary.released > 0)
    #expect(summary.losses == 0 && summary.isAsAsked && summary.gone == 0)
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.allSatisfy { $0.kind == .gap || $0.kind == .noBegin })
    let there = trace.streams.reduce(0) { $0 + UInt64($1.events.count) }
    #expect(summary.events == there)
    // A stream's last number says how many it had: what is not there was released.
    let numbered = trace.streams.compactMap(\.events.last).reduce(0) { $0 + $1.sequence + 1 }
    // Of a process that has ended all may go, the last number too.
    #expect(numbered == there + summary.released || there == 0)
    #expect(there + summary.released > 120_000)
    #expect(namesInDirectory(recording.directory).filter { $0.contains("compact") } == [])
  }

  /// Nobody takes anything until the file is full; then there is room again, and each event was
  /// written or counted, and when it was that they were lost is said.
  @Test func aFullFileIsFreedAndSaysWhatWasLostMeanwhile() throws {
    let collector = Collector()
    let recording = try Recording {
      $0.compacts = false
      $0.sealAfterNanoseconds = 5_000_000
      $0.sizeMax = 64 << 10
      $0.custody = collector.custody(isEager: false)
    }
    let path = recording.directory + "/progress"
    let child = try recording.launch("progress", path, "2", "200000", "1000")
    func size() -> Int {
      var facts = stat()
      return stat(recording.output, &facts) == 0 ? Int(facts.st_size) : 0
    }
    Front.wait { size() > 40 << 10 }
    // Full, for as long as some thousand events take.
    let begin = try KillTests.progress(path, threads: 2).reduce(0, +)
    Front.wait { (try? KillTests.progress(path, threads: 2).reduce(0, +)) ?? 0 > begin + 40_000 }
    collector.end.withLock { $0 = begin }
    #expect(child.wait(nanoseconds: 60_000_000_000)?.shellCode == 0)
    let summary = try recording.recorder.stop()
    #expect(summary.released > 0)
    #expect(summary.losses > 0)
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    let numbered = try #require(app.events.last).sequence + 1
    // Start, exit and what is said of losses stand among the numbers.
    let told = app.events.filter { $0.kind == .loss }
    #expect(told.reduce(0) { $0 + Payload.Loss($1).count } == summary.losses)
    #expect(numbered - 2 - UInt64(told.count) + summary.losses == 400_000)
    let last = try #require(app.events.last)
    #expect(told.contains { $0.time < last.time })
    #expect(app.events.allSatisfy { !$0.flags.contains(.late) })
  }
}
