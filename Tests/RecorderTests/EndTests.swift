// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import Synchronization
import TestThreads
import Testing
import LifetraceTrace

/// What other threads ask of a recorder that ends, that cannot begin, or whose disk is full.
@Suite(.waits) struct EndTests {
  @Test func whoAsksWhileTheRecordingEndsIsAnswered() throws {
    for _ in 1...5 {
      let recording = try Recording { $0.launchedDieWithRecorder = true }
      let recorder = recording.recorder
      _ = try recorder.launch(["/bin/sleep", "1000"])
      let answered = DispatchGroup()
      let summaries = Mutex(0)
      let questions: [@Sendable () -> Void] = [
        { recorder.catchUp() },
        { try? recorder.flush() },
        { try? recorder.snapshot() },
        { if (try? recorder.stop()) != nil { summaries.withLock { $0 += 1 } } },
      ]
      // The exit is told on the recorder's thread, which is about to end by then.
      recorder.onExit { _ in
        for question in questions {
          let asking = DispatchSemaphore(value: 0)
          answered.enter()
          Thread.start {
            asking.signal()
            question()
            answered.leave()
          }
          asking.wait()
        }
      }
      answered.enter()
      Thread.start {
        questions[3]()
        answered.leave()
      }
      try #require(answered.wait(timeout: .now() + 120) == .success)
      #expect(summaries.withLock { $0 } == 2)
      // Nor does anybody wait for a recorder that has ended.
      for question in questions { question() }
    }
  }

  /// What was sealed of the device before, as after some seconds in any recording, is not all of it.
  @Test func aDeviceThatHasGoneQuietHasItsEndToo() throws {
    let recording = try Recording()
    let recorder = recording.recorder
    recorder.record(
      RecordedEvent(observer: .recorder) { Payload.Log(text: $0.name("early"), level: .info) },
      about: recorder.deviceWriter
    )
    try recorder.flush()
    #expect(try ReadTrace(recording.output).streams.map(\.events.count) == [1])
    #expect(try recorder.stop().events == 2)
    let trace = try ReadTrace(recording.output)
    #expect(trace.streams.map { $0.events.map(\.kind) } == [[.log, .end]])
  }

  @Test func theTraceThatWasThereIsBackWhenARecorderCannotBegin() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    var options = RecorderOptions(output: directory + "/run.lifetrace")
    options.sessionParents = [directory]
    let old = try Recorder(options)
    try old.start()
    _ = try old.stop()
    let bytes = try #require(SmallFile.bytesIfReadable(options.output))
    options.overwrite = true
    options.sessionParents = [directory + "/none"]
    #expect(throws: RecorderError.self) { try Recorder(options) }
    #expect(SmallFile.bytesIfReadable(options.output) == bytes)
    #expect(namesInDirectory(directory) == ["run.lifetrace"])
    // Nor is there a new one where there was none.
    options.output = directory + "/new.lifetrace"
    #expect(throws: RecorderError.self) { try Recorder(options) }
    #expect(namesInDirectory(directory) == ["run.lifetrace"])
  }

  /// The limit of a file's size is a process's: so is the test's.
  @Test func aFullDiskIsToldToWhoWantsItWritten() {
    let outcome = TestProgram.runAlone("EndTests/fullDiskAlone")
    #expect(outcome.code == TestProgram.allWell, "\(outcome.said)")
  }

  @Test(.enabled(if: TestProgram.isAlone)) func fullDiskAlone() throws {
    signal(SIGXFSZ, SIG_IGN)
    for retention in [RecorderOptions.Retention.all, .bytes(64_000)] {
      let recording = try Recording { $0.retention = retention }
      let recorder = recording.recorder
      var limit = rlimit(rlim_cur: 20_000, rlim_max: rlim_t.max)
      guard setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(3) }
      var isRefused = false
      var random = SeededRandom(seed: 3)
      for _ in 1...20 where !isRefused {
        let text = (0..<200).map { _ in String(random.next(), radix: 36) }.joined()
        recorder.record(
          RecordedEvent(observer: .recorder) { Payload.Log(text: $0.name(text), level: .info) },
          about: recorder.deviceWriter
        )
        do { try recorder.flush() } catch { isRefused = true }
      }
      guard isRefused == (retention == .all) else { exit(4) }
      if retention != .all {
        do {
          try recorder.snapshot()
          exit(5)
        } catch {}
      }
      // With room again nothing is missing.
      limit.rlim_cur = rlim_t.max
      guard setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(6) }
      if retention != .all { try recorder.snapshot() }
      let summary = try recorder.stop()
      let trace = try ReadTrace(recording.output)
      guard trace.problems.isEmpty, summary.losses == 0 else { exit(7) }
      let events = trace.streams.flatMap(\.events).filter { $0.kind == .log }
      guard events.map(\.sequence) == Array(0..<UInt64(events.count)), events.count > 5 else {
        exit(8)
      }
    }
    exit(TestProgram.allWell)
  }
}

/// A thread of its own: those of a pool may all be waiting.
private enum Thread {
  static func start(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "ask").async(execute: body)
  }
}
