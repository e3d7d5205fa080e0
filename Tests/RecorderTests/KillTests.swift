// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Processes and recorders killed at random instants; LIFETRACE_TEST_SCALE=100 makes it 3,000.
@Suite(.serialized, .waits) struct KillTests {
  static var scale: Int { environment("LIFETRACE_TEST_SCALE").flatMap { Int($0) } ?? 1 }

  static var seed: UInt64 {
    environment("LIFETRACE_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
  }

  /// How far the emits of each thread have returned, by what the app itself says.
  static func progress(_ path: String, threads: Int) throws -> [UInt64] {
    let bytes = try #require(SmallFile.bytesIfReadable(path))
    return (0..<threads).map { thread in
      bytes.withUnsafeBytes {
        thread * 64 + 8 <= $0.count
          ? $0.loadUnaligned(fromByteOffset: thread * 64, as: UInt64.self) : 0
      }
    }
  }

  /// Each thread's numbers stand there once and in order, at least as far as it says; else they are counted.
  static func check(_ app: ReadTrace.Stream, _ progress: [UInt64]) {
    var counts: [UInt32: UInt64] = [:]
    var lost: UInt64 = 0
    for event in app.events {
      if event.kind == .loss { lost += event.arguments.1 }
      guard event.kind == .dataDirty else { continue }
      if lost == 0 { #expect(event.arguments.0 == counts[event.thread.rawValue, default: 0]) }
      counts[event.thread.rawValue, default: 0] += 1
    }
    let found = counts.values.sorted()
    let said = progress.sorted()
    #expect(found.count >= said.filter { $0 > 0 }.count)
    #expect(found.reduce(0, +) + lost >= said.reduce(0, +))
    // At most the record that was being committed when the process died.
    #expect(found.reduce(0, +) <= said.reduce(0, +) + UInt64(said.count))
    #expect(app.events.map(\.sequence) == Array(0..<UInt64(app.events.count)))
  }

  /// Until the app says that an emit has returned.
  static func waitForAnEmit(_ path: String) {
    for _ in 0..<60_000 {
      if SmallFile.bytesIfReadable(path)?.prefix(8).contains(where: { $0 != 0 }) == true { return }
      usleep(500)
    }
  }

  @Test func anAppKilledAtARandomInstantLosesNothingItHasEmitted() throws {
    let seed = Self.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    var checked = 0
    for _ in 0..<(30 * Self.scale) {
      let recording = try Recording()
      let path = recording.directory + "/progress"
      let child = try recording.launch("progress", path, "3", "0", "30")
      _ = recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
      usleep(UInt32.random(in: 0..<20_000, using: &random))
      #expect(kill(child.pid, SIGKILL) == 0)
      #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
      let progress = try Self.progress(path, threads: 3)
      _ = try recording.recorder.stop()
      let trace = try ReadTrace(recording.output)
      #expect(trace.problems.isEmpty)
      guard let app = trace.apps.first else {
        #expect(progress.reduce(0, +) == 0)
        continue
      }
      Self.check(app, progress)
      checked += 1
      #expect(app.events.last?.kind == .processExit)
    }
    // Some are killed before they have joined; most are not.
    #expect(checked > 10 * Self.scale)
  }

  @Test func aRecorderKilledAtARandomInstantLosesNothingThatIsRecovered() throws {
    let seed = Self.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    var checked = 0
    for round in 0..<(30 * Self.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
      let front = try Front(
        [
          "-o", output, "--", Recording.products + "/Emitter", "progress", path, "2", "20000", "30",
        ],
        sessionsIn: directory
      )
      // Half of them at any instant from the start on, half while the app surely emits.
      if round.isMultiple(of: 2) { Self.waitForAnEmit(path) }
      usleep(UInt32.random(in: 0..<60_000, using: &random))
      guard let recorder = front.recorder else {
        // On a busy machine the app may be through before the kill: then nothing is left to recover.
        #expect(front.wait() == 0)
        Self.check(try #require(ReadTrace(output).apps.first), [20_000, 20_000])
        continue
      }
      #expect(kill(recorder, SIGKILL) == 0)
      front.waitUntilRecorderIsGone(recorder)
      guard let session = SessionDirectory.orphans(in: [directory]).first else { continue }
      // It opens at once, whatever the instant.
      _ = try TraceReader(path: output)
      let adopted = try Recorder(adopting: session)
      try adopted.start()
      // The front outlives its recorder and leaves with the app, which may join only now.
      _ = front.wait()
      while !adopted.livingProcesses.isEmpty { usleep(1_000) }
      _ = try adopted.stop()
      guard access(path, F_OK) == 0 else { continue }
      let progress = try Self.progress(path, threads: 2)
      let trace = try ReadTrace(output)
      #expect(trace.problems.isEmpty, "\(trace.problems)")
      guard let app = trace.apps.first else {
        #expect(progress.reduce(0, +) == 0)
        continue
      }
      Self.check(app, progress)
      checked += 1
      #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
    }
    #expect(checked > 10 * Self.scale)
  }
}
