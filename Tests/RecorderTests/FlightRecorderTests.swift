// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Only the last part is kept, and what is kept survives the recorder.
@Suite(.serialized, .waits) struct FlightRecorderTests {
  /// Kills the recorder of `lifetrace record --last LAST` while an app emits, and recovers.
  private func killed(_ last: String, once isReady: (String) -> Bool)
    throws -> (trace: ReadTrace, progress: [UInt64], summary: RecordingSummary, bytes: Int)
  {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let front = try Front(
      [
        "-o", output, "--last", last, "--", Recording.products + "/Emitter", "progress", path, "2",
        "200000", "200",
      ],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    let recorder = try #require(front.recorder)
    let living = try #require(
      namesInDirectory(directory).first { $0.hasPrefix("lifetrace-") }.map { directory + "/" + $0 }
    )
    Front.wait { isReady(living) }
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    #expect(SmallFile.bytesIfReadable(output)?.isEmpty == true)
    #expect(namesInDirectory(session).contains { $0.hasPrefix("last-") })
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    _ = front.wait()
    while !adopted.livingProcesses.isEmpty { usleep(1_000) }
    let summary = try adopted.stop()
    #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
    #expect(access(session, F_OK) != 0)
    let bytes = try #require(SmallFile.bytesIfReadable(output, bytesMax: 64 << 20)).count
    return (
      try ReadTrace(output), try KillTests.progress(path, threads: 2), summary, bytes
    )
  }

  @Test func whatIsKeptSurvivesTheRecorder() throws {
    let (trace, progress, summary, _) = try killed("1GiB") { session in
      SmallFile.bytesIfReadable(session + "/last-1")?.isEmpty == false
    }
    #expect(trace.problems.isEmpty, "\(trace.problems)")
    KillTests.check(try #require(trace.apps.first), progress)
    // The whole recording, not only what was brought in.
    let events = trace.streams.reduce(0) { $0 + $1.events.count }
    #expect(summary.events == UInt64(events))
    #expect(summary.processes == 1)
  }

  @Test func theLastPartIsWholeAndNothingOlderComesBack() throws {
    let (trace, _, _, bytes) = try killed("32KiB") { session in
      access(session + "/last-4", F_OK) == 0 && access(session + "/last-1", F_OK) != 0
    }
    let app = try #require(trace.apps.first)
    #expect(app.events.last?.kind == .processExit)
    // From the first that was kept to the end without a gap.
    let first = try #require(app.events.first)
    #expect(first.sequence > 0)
    let sequences = app.events.map(\.sequence)
    #expect(sequences == Array(first.sequence..<(first.sequence + UInt64(sequences.count))))
    for thread in Set(app.events.filter { $0.kind == .dataDirty }.map(\.thread)) {
      let own = app.events.filter { $0.kind == .dataDirty && $0.thread == thread }
      let numbers = own.map(\.arguments.0)
      #expect(numbers == Array((numbers.first ?? 0)...(numbers.last ?? 0)))
      #expect(numbers.last == 199_999)
    }
    // What was kept, and what came after the kill.
    #expect(bytes < 1 << 20)
  }

  /// A flight recorder that was killed with something kept, and an app that goes on emitting.
  private func abandoned(in directory: String) throws
    -> (front: Front, session: String, progress: String)
  {
    let path = directory + "/progress"
    let front = try Front(
      [
        "-o", directory + "/run.lifetrace", "--last", "1GiB", "--",
        Recording.products + "/Emitter", "progress", path, "2", "0", "200",
      ],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    let recorder = try #require(front.recorder)
    let session = try #require(
      namesInDirectory(directory).first { $0.hasPrefix("lifetrace-") }.map { directory + "/" + $0 }
    )
    Front.wait { SmallFile.bytesIfReadable(session + "/last-1")?.isEmpty == false }
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    return (front, session, path)
  }

  /// Brings in what is left, ends the app, and says what the recording holds.
  private func recovered(_ session: String, _ front: Front) throws -> ReadTrace {
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    for pid in adopted.livingProcesses { #expect(kill(pid, SIGKILL) == 0) }
    _ = front.wait()
    while !adopted.livingProcesses.isEmpty { usleep(1_000) }
    _ = try adopted.stop()
    #expect(try TraceReader(path: adopted.output).duplicates == 0)
    return try ReadTrace(adopted.output)
  }

  @Test func aRecoveryIntoAnotherFileThatIsKilledIsGoneOnWith() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (front, session, path) = try abandoned(in: directory)
    let second = try Front(
      ["--recover", "-o", directory + "/other.lifetrace"],
      sessionsIn: directory
    )
    // It has taken in what the first one kept, and what came into the pool since.
    Front.wait { !namesInDirectory(session).contains { $0.hasPrefix("last-") } }
    usleep(50_000)
    #expect(kill(second.pid, SIGKILL) == 0)
    #expect(second.wait() == 128 + SIGKILL)
    let trace = try recovered(session, front)
    #expect(trace.problems.isEmpty, "\(trace.problems)")
    KillTests.check(try #require(trace.apps.first), try KillTests.progress(path, threads: 2))
  }

  @Test func whatARecoveryHadCopiedBeforeItWasKilledIsNotCopiedAgain() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (front, session, path) = try abandoned(in: directory)
    // As one leaves it that is killed between the copy and the removal of what it has copied.
    let kept = try #require(SmallFile.bytesIfReadable(session + "/last-1", bytesMax: 64 << 20))
    let output = open(directory + "/run.lifetrace", O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(output, kept, kept.count) == kept.count)
    close(output)
    let trace = try recovered(session, front)
    #expect(trace.problems.isEmpty, "\(trace.problems)")
    KillTests.check(try #require(trace.apps.first), try KillTests.progress(path, threads: 2))
  }

  @Test func aSnapshotWritesWhatIsThereAndTheRestComesLater() throws {
    let recording = try Recording { $0.retention = .bytes(1 << 30) }
    #expect(try recording.run("numbers", "20000") == 0)
    try recording.recorder.snapshot()
    let before = try TraceReader(path: recording.output)
    let first = before.streams.flatMap(\.chunks).reduce(0) { $0 + $1.eventCount }
    #expect(first >= 20_002)
    #expect(try recording.run("numbers", "1000") == 0)
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    #expect(trace.apps.map { $0.events.count }.sorted() == [1_002, 20_002])
    #expect(summary.events == UInt64(trace.streams.reduce(0) { $0 + $1.events.count }))
  }

  @Test func aProcessThatIsQuietKeepsItsLastChunk() throws {
    let recording = try Recording { $0.retention = .duration(nanoseconds: 1_000_000) }
    let path = recording.directory + "/progress"
    let isSeen = DispatchSemaphore(value: 0)
    recording.recorder.watch([.suspend]) { _ in isSeen.signal() }
    let quiet = try recording.launch("progress", path, "1", "0", "50")
    KillTests.waitForAnEmit(path)
    #expect(kill(quiet.pid, SIGSTOP) == 0)
    // Its suspension is seen by sampling, and closes its chunk.
    #expect(isSeen.wait(timeout: .now() + 60) == .success)
    try recording.recorder.flush()
    for _ in 0..<12 {
      #expect(try recording.run("numbers", "1000") == 0)
      try recording.recorder.flush()
    }
    try recording.recorder.snapshot()
    let trace = try ReadTrace(recording.output)
    let apps = trace.apps
    #expect(apps.contains { $0.stream.attributes.pid == UInt32(quiet.pid) })
    // Of those that have ended only the newest are there.
    #expect(apps.count < 8)
    #expect(kill(quiet.pid, SIGKILL) == 0)
    _ = try recording.recorder.stop()
  }
}
