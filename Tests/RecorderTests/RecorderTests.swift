// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceLifecycle
import LifetraceRecorder
import TestThreads
import Testing
import LifetraceTrace

@Suite(.waits) struct RecorderTests {
  @Test func everyNumberArrivesInOrderBetweenStartAndExit() throws {
    let recording = try Recording()
    #expect(try recording.run("numbers", "50000") == 0)
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    #expect(trace.problems.isEmpty)
    #expect(trace.hasEnd)
    #expect(app.events.first?.kind == .processStart)
    #expect(app.events.last?.kind == .processExit)
    let numbers = app.events.filter { $0.kind == .workBegin }
    #expect(numbers.map(\.arguments.0) == Array(0..<50_000))
    #expect(numbers.allSatisfy { trace.names[trace.names[$0.site].name] == "number" })
    #expect(app.events.map(\.sequence) == Array(0..<UInt64(app.events.count)))
    #expect(zip(app.events, app.events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(summary.processes == 1)
    #expect(summary.losses == 0)
  }

  @Test func whoWasNeverStartedSaysSo() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    var options = RecorderOptions(output: directory + "/run.lifetrace")
    options.sessionParents = [directory]
    let recorder = try Recorder(options)
    recorder.catchUp()
    try recorder.flush()
    try recorder.snapshot()
    for _ in 1...2 {
      #expect(throws: RecorderError.self) { try recorder.stop() }
    }
  }

  @Test func threadsAreMergedByTimeAndKeepTheirOwnOrder() throws {
    let recording = try Recording()
    #expect(try recording.run("threads", "8", "20000", "8") == 0)
    _ = try recording.recorder.stop()
    let app = try #require(ReadTrace(recording.output).apps.first)
    let numbers = app.events.filter { $0.kind == .workBegin }
    #expect(numbers.count == 160_000)
    for identity in UInt64(1)...8 {
      let own = numbers.filter { $0.identity == identity }.map(\.arguments.0)
      #expect(own == Array(0..<20_000))
    }
  }

  @Test func tenThousandShortThreads() throws {
    let recording = try Recording()
    #expect(try recording.run("threads", "10000", "3", "16") == 0)
    _ = try recording.recorder.stop()
    let app = try #require(ReadTrace(recording.output).apps.first)
    let numbers = app.events.filter { $0.kind == .workBegin }
    #expect(numbers.count == 30_000)
    #expect(Set(numbers.map(\.identity)).count == 10_000)
  }

  @Test func anExecContinuesTheLife() throws {
    let recording = try Recording()
    #expect(try recording.run("exec") == 0)
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(trace.apps.count == 2)
    let second = try #require(trace.apps.first { $0.stream.attributes.previous != nil })
    let first = try #require(trace.apps.first { $0.stream.attributes.previous == nil })
    #expect(second.stream.attributes.previous == first.stream.writer)
    #expect(trace.names[NameID(rawValue: UInt32(first.events.last?.arguments.0 ?? 0))] == "exec")
    #expect(first.events.filter { $0.kind == .workBegin }.count == 10)
    #expect(second.events.filter { $0.kind == .workBegin }.count == 20)
  }

  @Test func aThreadStoppedBetweenClockAndCommitIsLateAndNothingWorse() throws {
    let recording = try Recording()
    let child = try recording.launch("split")
    let writer = try #require(
      recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
    )
    // It stops itself; what the host says meanwhile is later than the clock it has read.
    while !ProcFS.isWhollyStopped(child.pid) { usleep(1_000) }
    recording.recorder.record(
      RecordedEvent(name: "meanwhile") { _ in Payload.Mark() },
      about: writer
    )
    try recording.recorder.flush()
    #expect(kill(child.pid, SIGCONT) == 0)
    #expect(child.wait(nanoseconds: 30_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    let marks = app.events.filter { $0.kind == .mark }
    #expect(marks.map { trace.names[trace.names[$0.site].name] } == ["meanwhile", "split"])
    #expect(marks.last?.flags.contains(.late) == true)
    #expect(marks[1].time < marks[0].time)
    #expect(app.events.filter { $0.kind == .workBegin }.map(\.arguments.0) == [1])
  }

  @Test func whatIsSeenOfAProcessBeforeItJoinsStandsInItsStream() throws {
    let recording = try Recording()
    let child = try recording.launch("progress", recording.directory + "/progress", "2", "0", "50")
    try recording.recorder.suspend(pid: child.pid)
    recording.recorder.record(
      RecordedEvent(name: "early") { _ in Payload.Mark() },
      aboutProcess: child.pid
    )
    try recording.recorder.resume(pid: child.pid, reason: "test")
    _ = recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
    try recording.recorder.kill(pid: child.pid, Death(cause: "jetsam", isPurge: true))
    #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    _ = try recording.recorder.stop()
    let app = try #require(try ReadTrace(recording.output).apps.first)
    let kinds: Set<EventKind> = [.suspend, .mark, .resume, .purge, .processExit]
    #expect(
      app.events.map(\.kind).filter(kinds.contains)
        == [.suspend, .mark, .resume, .purge, .processExit]
    )
  }

  @Test func suspensionIsStampedBetweenTheLastEventBeforeAndTheFirstAfter() throws {
    let recording = try Recording()
    let path = recording.directory + "/progress"
    let child = try recording.launch("progress", path, "2", "0", "50")
    _ = recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
    for _ in 0..<5 {
      usleep(3_000)
      try recording.recorder.suspend(pid: child.pid)
      usleep(3_000)
      try recording.recorder.resume(pid: child.pid, reason: "test")
    }
    usleep(3_000)
    try recording.recorder.suspend(pid: child.pid)
    try recording.recorder.kill(pid: child.pid, Death(cause: "jetsam", isPurge: true))
    recording.recorder.record(
      RecordedEvent(name: "killed") { _ in Payload.Mark() },
      about: recording.recorder.deviceWriter
    )
    #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    var isSuspended = false
    for event in app.events {
      switch event.kind {
      case .suspend: isSuspended = true
      case .resume: isSuspended = false
      case .dataDirty: #expect(!isSuspended)
      default: break
      }
    }
    // What the signal brings about elsewhere comes behind it, however late its end is seen.
    let purge = try #require(app.events.first { $0.kind == .purge })
    let others = trace.streams.flatMap(\.events)
    let killed = try #require(others.first { $0.kind == .mark })
    #expect(purge.time <= killed.time)
    #expect(app.events.filter { $0.kind == .suspend }.count == 6)
    #expect(app.events.suffix(2).map(\.kind) == [.purge, .processExit])
    #expect(trace.names[NameID(rawValue: UInt32(app.events.last?.arguments.0 ?? 0))] == "jetsam")
  }

  @Test func anExitThatWasAskedForHasTheCauseOfWhoAsked() throws {
    let recording = try Recording()
    let pipe = recording.directory + "/begin"
    #expect(mkfifo(pipe, 0o600) == 0)
    // The process ends by itself, long before anybody could kill it.
    let child = try recording.recorder.launch([
      "/bin/sh", "-c", "read line < \(pipe); exec \(Recording.products)/Emitter numbers 10",
    ])
    recording.recorder.expectExit(pid: child.pid, cause: "system")
    let end = open(pipe, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let exit = try #require(trace.apps.first?.events.last)
    #expect(exit.kind == .processExit)
    #expect(trace.names[NameID(rawValue: UInt32(exit.arguments.0))] == "system")
  }
}
