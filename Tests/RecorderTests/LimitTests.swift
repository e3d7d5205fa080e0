// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Recordings with a limit, killed at random instants.
///
/// What is there, what is lost and what was let go are together what was emitted.
/// LIFETRACE_TEST_SCALE=25 makes it 100 recordings of each kind and more.
@Suite(.serialized, .waits) struct LimitTests {
  enum Victim: CaseIterable { case app, recorder, recovery }

  private static let threads = 2

  /// One recording whose `victim` is killed, brought in to its end.
  private func recording(
    _ limit: [String],
    killing victim: Victim,
    in directory: String,
    _ random: inout SeededRandom
  ) throws -> (trace: ReadTrace, census: TraceCensus, said: [UInt64])? {
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let isFull = limit.first == "--max-size"
    let front = try Front(
      ["-o", output] + limit + [
        "--", Recording.products + "/Emitter", "progress", path, "\(Self.threads)",
        isFull ? "300000" : "60000", "60",
      ],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    let recorder = try #require(front.recorder)
    let app = ProcFS.children(of: recorder).first
    // Where the file has a limit, at an instant at which it is full.
    if isFull {
      Front.wait { (try? KillTests.progress(path, threads: 1)[0]) ?? 0 > 100_000 }
    }
    usleep(UInt32.random(in: 0..<120_000, using: &random))
    if !isFull, Bool.random(using: &random) {
      _ = kill(front.pid, SIGUSR1)
      usleep(UInt32.random(in: 0..<30_000, using: &random))
    }
    if victim == .app {
      if let app { kill(app, SIGKILL) }
    } else {
      kill(recorder, SIGKILL)
      front.waitUntilRecorderIsGone(recorder)
    }
    if victim == .recovery {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let recovery = try Front(["--recover"], sessionsIn: directory)
        usleep(UInt32.random(in: 0..<150_000, using: &random))
        kill(recovery.pid, SIGKILL)
        _ = recovery.wait()
      }
    }
    _ = front.wait()
    if let session = SessionDirectory.orphans(in: [directory]).first {
      let adopted = try Recorder(adopting: session)
      try adopted.start()
      while !adopted.livingProcesses.isEmpty { usleep(1_000) }
      _ = try adopted.stop()
    }
    let reader = try TraceReader(path: output)
    try reader.verify()
    let census = reader.census
    guard reader.streams.contains(where: { $0.attributes.app == "Emitter" }) else { return nil }
    return (
      try ReadTrace(output), census, try KillTests.progress(path, threads: Self.threads)
    )
  }

  @Test(arguments: Victim.allCases, [["--max-size", "16KiB"], ["--max-size", "32KiB"]])
  func aFullFileCountsEachEventOnce(victim: Victim, limit: [String]) throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    var lost: UInt64 = 0
    for _ in 0..<(2 * KillTests.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      guard
        let (trace, census, said) = try recording(limit, killing: victim, in: directory, &random)
      else { continue }
      let app = try #require(trace.apps.first)
      let found = UInt64(app.events.filter { $0.kind == .dataDirty }.count)
      let emitted = said.reduce(0, +)
      let known = found + census.lost.count
      #expect(known >= emitted, "seed \(seed)")
      // At most the record that each thread was committing when it died.
      #expect(known <= emitted + UInt64(Self.threads), "seed \(seed)")
      let told = app.events.filter { $0.kind == .loss }.reduce(0) { $0 + $1.arguments.1 }
      #expect(told == census.lost.count, "seed \(seed)")
      lost += census.lost.count
    }
    #expect(lost > 0)
  }

  @Test(arguments: Victim.allCases, [["--last", "64KiB"], ["--last", "100ms"]])
  func whatIsKeptAndWhatWasLetGoIsWhatWasEmitted(victim: Victim, limit: [String]) throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<(2 * KillTests.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      guard
        let (trace, census, said) = try recording(limit, killing: victim, in: directory, &random)
      else { continue }
      let app = try #require(trace.apps.first)
      let events = UInt64(app.events.count) + census.letGo
      let own = app.events.filter { $0.kind != .dataDirty }.count
      // Numbered without a gap but for what was let go, and nothing twice.
      #expect(app.events.last.map { $0.sequence + 1 } == events, "seed \(seed)")
      let emitted = said.reduce(0, +)
      #expect(census.lost.isNone, "seed \(seed)")
      // Besides the numbers a stream holds its start and its end, and the start may be let go.
      #expect(events <= emitted + UInt64(Self.threads + own + 1), "seed \(seed)")
      #expect(events >= emitted + UInt64(own), "seed \(seed)")
      for thread in Set(app.events.map(\.thread)) {
        let numbers = app.events.filter { $0.kind == .dataDirty && $0.thread == thread }
          .map(\.arguments.0)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      }
    }
  }
}
