// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetracePlatform
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Apps and recorders in surroundings that are not the usual ones.
@Suite(.waits) struct SurroundingsTests {
  /// Whether a mapping alone, without any descriptor, is seen as holding its file.
  @Test func aMappingHoldsItsFile() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let file = open(directory + "/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    #expect(ftruncate(file, 4096) == 0)
    #expect(cplatform_file_is_held(file) == 0)
    let other = open(directory + "/file", O_RDWR | O_CLOEXEC)
    let place = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0)
    close(other)
    #expect(cplatform_file_is_held(file) == 1)
    munmap(place, 4096)
    #expect(cplatform_file_is_held(file) == 0)
  }

  @Test func theEnvironmentGoesToTheChildByteForByte() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, copy) = (directory + "/run.lifetrace", directory + "/environment")
    let file = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let front = try Front(
      ["-o", output, "--", "/bin/cat", "/proc/self/environ"],
      sessionsIn: directory,
      output: file,
      environment: [Array("ODD=".utf8) + [0xff, 0xfe, 0x41], [0xc3, 0x28, 0x3d, 0x31]]
    )
    close(file)
    #expect(front.wait() == 0)
    let entries = try #require(SmallFile.bytesIfReadable(copy)).split(separator: 0).map(Array.init)
    #expect(entries.contains(Array("ODD=".utf8) + [0xff, 0xfe, 0x41]))
    #expect(entries.contains([0xc3, 0x28, 0x3d, 0x31]))
  }

  @Test func aSessionThatCannotBeAdoptedLeavesNoDescriptorOpen() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let session = directory + "/lifetrace-\(getuid())-1"
    #expect(mkdir(session, 0o700) == 0)
    let file = open(session + "/session", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(ftruncate(file, 4096) == 0)
    close(file)
    #expect(throws: RecorderError.self) { try SessionDirectory(adopting: session) }
    // The lock of a descriptor that was left open would be in the way.
    let again = open(session + "/session", O_RDWR | O_CLOEXEC)
    #expect(cplatform_lock(again) == 0)
    close(again)
  }

  @Test func manyShortProcessesAreForgotten() throws {
    let recording = try Recording()
    let child = try recording.recorder.launch([
      "/bin/sh", "-c",
      "i=0; while [ $i -lt 700 ]; do \(Recording.products)/Emitter numbers 3; i=$((i+1)); done",
    ])
    #expect(child.wait(nanoseconds: 120_000_000_000)?.shellCode == 0)
    let summary = try recording.recorder.stop()
    #expect(summary.processes == 700)
    #expect(summary.streamsKept < 600)
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    #expect(trace.apps.count == 700)
    #expect(trace.apps.allSatisfy { $0.events.count == 5 && $0.events.last?.kind == .processExit })
  }

  /// Kernels before 5.3 have no pidfd; ends are found in /proc then.
  @Test func withoutPIDFDEveryEndIsSeen() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, emitter) = (directory + "/run.lifetrace", Recording.products + "/Emitter")
    // One is the shell's child, and one outlives its parent; the recording goes on until it is gone, as
    // what is still ending has not ended.
    let front = try Front(
      [
        "-o", output, "--", "/bin/sh", "-c",
        """
        \(emitter) numbers 100
        (\(emitter) numbers 200 >/dev/null & echo $!) | {
          read pid; while kill -0 $pid 2>/dev/null; do sleep 0.01; done
        }
        exit 3
        """,
      ],
      sessionsIn: directory,
      through: [emitter, "without-pidfd"]
    )
    #expect(front.wait() == 3)
    let trace = try ReadTrace(output)
    #expect(trace.problems.isEmpty)
    #expect(trace.hasEnd)
    let counts = trace.apps.map { app in app.events.filter { $0.kind == .workBegin }.count }
    #expect(counts.sorted() == [100, 200])
    #expect(trace.apps.allSatisfy { $0.events.last?.kind == .processExit })
    #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
  }

  @Test func whoOutlivesTheCommandIsSaidToGoOn() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, errors) = (directory + "/run.lifetrace", directory + "/errors")
    #expect(mkfifo(directory + "/hold", 0o600) == 0)
    let hold = open(directory + "/hold", O_RDWR | O_CLOEXEC)
    let file = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let front = try Front(
      ["-o", output, "--", "/bin/sh", "-c", "(cat \(directory)/hold >/dev/null 2>&1 &); exit 0"],
      sessionsIn: directory,
      errors: file
    )
    close(file)
    #expect(front.wait() == 0)
    // The last of its holders goes, and with it the daemon.
    close(hold)
    let said = String(decoding: SmallFile.bytesIfReadable(errors) ?? [], as: UTF8.self)
    #expect(said.contains("1 process still running, no longer recorded"), "\(said)")
  }

  /// Its directory is private: who has become somebody else cannot join, and says so.
  @Test(.needs(getuid() == 0, "another user is had by root"))
  func whoBecomesAnotherUserSaysThatItIsNotRecorded() throws {
    let recording = try Recording()
    let errors = recording.directory + "/errors"
    let file = open(errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    var options = LaunchOptions()
    options.errorOutput = file
    let child = try recording.recorder.launch(
      [Recording.products + "/Emitter", "nobody", "10"],
      options
    )
    close(file)
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    #expect(try recording.recorder.stop().processes == 0)
    let said = String(decoding: SmallFile.bytesIfReadable(errors) ?? [], as: UTF8.self)
    #expect(said == "lifetrace: not recording this process: the session belongs to another user\n")
  }

  @Test func whatAFullFileRefusesIsCountedThoughTheRecorderIsKilled() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let front = try Front(
      [
        "-o", output, "--max-size", "16KiB", "--", Recording.products + "/Emitter", "progress",
        path, "2", "100000", "100",
      ],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    let recorder = try #require(front.recorder)
    // So much that most of it was refused.
    Front.wait { (try? KillTests.progress(path, threads: 2).reduce(0, +)) ?? 0 > 150_000 }
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    _ = front.wait()
    while !adopted.livingProcesses.isEmpty { usleep(1_000) }
    let summary = try adopted.stop()
    let trace = try ReadTrace(output)
    #expect(trace.problems.isEmpty)
    let app = try #require(trace.apps.first)
    let found = app.events.filter { $0.kind == .dataDirty }.count
    let lost = app.events.filter { $0.kind == .loss }.reduce(0) { $0 + $1.arguments.1 }
    #expect(UInt64(found) + lost >= 200_000)
    #expect(summary.losses == lost)
  }

  @Test func aSignalHasTheFlightRecorderWriteWhatItKeeps() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let front = try Front(
      [
        "-o", output, "--last", "1GiB", "--", Recording.products + "/Emitter", "progress", path,
        "2", "0", "50",
      ],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    func events() -> Int {
      guard let reader = try? TraceReader(path: output) else { return 0 }
      return reader.streams.flatMap(\.chunks).reduce(0) { $0 + $1.eventCount }
    }
    #expect(events() == 0)
    let progress = try KillTests.progress(path, threads: 2).reduce(0, +)
    #expect(kill(front.pid, SIGUSR1) == 0)
    Front.wait { events() > 0 }
    // What was emitted before the signal is there, and the app goes on.
    #expect(events() >= Int(progress))
    #expect(kill(front.pid, 0) == 0)
    #expect(kill(front.pid, SIGTERM) == 0)
    #expect(front.wait() == 128 + SIGTERM)
    let trace = try ReadTrace(output)
    #expect(trace.problems.isEmpty)
    KillTests.check(try #require(trace.apps.first), try KillTests.progress(path, threads: 2))
  }

  @Test func namesThatHaveNoRoomAreCountedAndVisiblyUnknown() throws {
    let recording = try Recording()
    #expect(try recording.run("strings", "2000") == 0)
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    let texts = app.events.filter { $0.kind == .log }.map {
      trace.names[NameID(rawValue: UInt32($0.arguments.0))]
    }
    #expect(texts.count == 2_000)
    let lost = texts.filter { $0 == "(name lost)" }.count
    #expect(lost > 900 && lost < 1_100)
    #expect(texts.allSatisfy { $0.count == 4_096 || $0 == "(name lost)" })
    #expect(summary.namesLost == UInt64(lost))
    let losses = app.events.filter { $0.kind == .loss }
    // The events are all there.
    #expect(!losses.isEmpty && losses.allSatisfy { $0.arguments.1 == 0 })
    #expect(summary.losses == 0)
    #expect(try TraceReader(path: recording.output).census.lost.isNone)
    #expect(
      losses.allSatisfy {
        trace.names[NameID(rawValue: UInt32($0.arguments.3))] == "no room for names"
      }
    )
  }

  @Test func whatIsPrintedForEverIsNotKeptInMemory() throws {
    let recording = try Recording { $0.namesBytesMax = 1 << 20 }
    let path = recording.directory + "/progress"
    let child = try recording.launch("progress", path, "2", "0", "5000")
    _ = recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
    KillTests.waitForAnEmit(path)
    let tail = String(repeating: "x", count: 4_000)
    let lines = 2_000
    for line in 0..<lines {
      recording.recorder.record(
        RecordedEvent { Payload.Log(text: $0.name("\(line) \(tail)"), level: .debug) },
        about: recording.recorder.deviceWriter
      )
      if line.isMultiple(of: 50) { recording.recorder.catchUp() }
    }
    recording.recorder.catchUp()
    #expect(kill(child.pid, SIGKILL) == 0)
    _ = child.wait(nanoseconds: 30_000_000_000)
    let summary = try recording.recorder.stop()
    #expect(summary.namesBytes < 2 << 20)
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    let app = try #require(trace.apps.first)
    KillTests.check(app, try KillTests.progress(path, threads: 2))
    let places = Set(app.events.filter { $0.kind == .dataDirty }.map(\.site))
    #expect(places.count == 1)
    #expect(summary.unsavedObjects == 1)
    let device = try #require(trace.streams.first { $0.stream.attributes.app == "device" })
    let said = device.events.filter { $0.kind == .log }.compactMap {
      trace.names[NameID(rawValue: UInt32($0.arguments.0))].split(separator: " ").first
    }
    #expect(said.compactMap { Int($0) } == Array(0..<lines))
  }

  @Test func aDamagedChunkDoesNotStopTheRecovery() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (output, path) = (directory + "/run.lifetrace", directory + "/progress")
    let front = try Front(
      ["-o", output, "--", Recording.products + "/Emitter", "progress", path, "2", "60000", "60"],
      sessionsIn: directory
    )
    KillTests.waitForAnEmit(path)
    let recorder = try #require(front.recorder)
    func chunks() -> [ChunkInfo] {
      let reader = try? TraceReader(path: output)
      return reader?.streams.first { $0.attributes.app == "Emitter" }?.chunks ?? []
    }
    Front.wait { chunks().count > 1 }
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    let broken = try #require(chunks().first)
    let file = open(output, O_RDWR | O_CLOEXEC)
    let place = off_t(broken.endOffset) - 9
    var byte: UInt8 = 0
    #expect(pread(file, &byte, 1, place) == 1)
    byte ^= 0x40
    #expect(pwrite(file, &byte, 1, place) == 1)
    close(file)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    _ = front.wait()
    while !adopted.livingProcesses.isEmpty { usleep(1_000) }
    _ = try adopted.stop()
    let reader = try TraceReader(path: output)
    let stream = try #require(reader.streams.first { $0.attributes.app == "Emitter" })
    #expect(stream.eventCount == 120_002)
    for chunk in stream.chunks where chunk.offset != broken.offset {
      #expect(try reader.decode(chunk).events.count == chunk.eventCount)
    }
    #expect(throws: TraceFileError.self) { try reader.decode(broken) }
  }
}
