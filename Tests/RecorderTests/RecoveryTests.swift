// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// What a successor brings in beside the events of apps, and what it keeps to.
@Suite(.serialized, .waits) struct RecoveryTests {
  /// A recording of `sh -c SCRIPT` whose recorder is killed once its file holds a chunk.
  private func killed(
    _ script: String,
    _ options: [String] = [],
    in directory: String
  ) throws -> (front: Front, output: String) {
    let output = directory + "/run.lifetrace"
    let front = try Front(
      ["-o", output] + options + ["--", "sh", "-c", script],
      sessionsIn: directory
    )
    Front.wait { SmallFile.bytesIfReadable(output, bytesMax: 64 << 20)?.isEmpty == false }
    let recorder = try #require(front.recorder)
    #expect(kill(recorder, SIGKILL) == 0)
    front.waitUntilRecorderIsGone(recorder)
    return (front, output)
  }

  private func bystander(_ trace: ReadTrace) throws -> ReadTrace.Stream {
    try #require(
      trace.streams.first {
        $0.stream.attributes.role == .bystander
          && trace.names[NameID(rawValue: UInt32($0.events[0].arguments.1))] != "sleep"
      }
    )
  }

  private func cause(_ event: Event?, _ trace: ReadTrace) -> String {
    trace.names[NameID(rawValue: UInt32(event?.arguments.0 ?? 0))]
  }

  @Test func aProcessWithoutTheSDKIsFollowedToItsEnd() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let go = directory + "/go"
    #expect(mkfifo(go, 0o600) == 0)
    let (front, output) = try killed("read line < \(go); exit 3", in: directory)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    try adopted.flush()
    let end = open(go, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(front.wait() == 3)
    let summary = try adopted.stop()
    #expect(summary.bystanders == 1)
    #expect(summary.processes == 0)
    let trace = try ReadTrace(output)
    #expect(trace.problems.isEmpty, "\(trace.problems)")
    let shell = try bystander(trace)
    #expect(shell.events.map(\.kind) == [.processStart, .processExit])
  }

  @Test func aProcessThatEndedMeanwhileIsSaidToHaveEnded() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let go = directory + "/go"
    #expect(mkfifo(go, 0o600) == 0)
    let (front, output) = try killed("read line < \(go); exit 3", in: directory)
    let end = open(go, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(front.wait() == 3)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    _ = try adopted.stop()
    let trace = try ReadTrace(output)
    let shell = try bystander(trace)
    #expect(shell.events.map(\.kind) == [.processStart, .processExit])
    #expect(cause(shell.events.last, trace) == "unknown")
    // Nobody saw when: not before what was last seen of it, and no time is made up.
    let last = try #require(shell.events.last)
    #expect(last.time == shell.events[0].time)
    #expect(last.flags.contains(.inferred))
    let evidence = NameID(rawValue: UInt32(last.arguments.2))
    #expect(trace.names[evidence] == "gone at recovery")
  }

  @Test func aRecoveryIntoAnotherFileHoldsTheWholeRecording() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let go = directory + "/go"
    #expect(mkfifo(go, 0o600) == 0)
    let (front, output) = try killed("read line < \(go); exit 3", in: directory)
    let end = open(go, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(front.wait() == 3)
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let other = directory + "/other.lifetrace"
    let adopted = try Recorder(adopting: session, output: other)
    try adopted.start()
    _ = try adopted.stop()
    let trace = try ReadTrace(other)
    #expect(try bystander(trace).events.map(\.kind) == [.processStart, .processExit])
    #expect(trace.problems.isEmpty, "\(trace.problems)")
    // What the killed recorder left is a part of it, so that both together say nothing else.
    let merged = directory + "/merged.lifetrace"
    _ = try TraceCopy.make(merged, from: [output, other])
    let both = try ReadTrace(merged)
    #expect(try bystander(both).events.map(\.sequence) == bystander(trace).events.map(\.sequence))
    #expect(both.problems.allSatisfy { $0.kind == .noEnd }, "\(both.problems)")
  }

  /// Chunks that travel are neither made compact nor large, whoever records.
  @Test func aSuccessorKnowsThatChunksTravel() throws {
    let recording = try Recording {
      $0.compacts = false
      $0.chunkBytesMax = 40_000
    }
    let about = try #require(SessionAbout(in: recording.recorder.sessionDirectory))
    #expect(!about.compacts && about.chunkBytesMax == 40_000)
    // Names of 4,096 bytes each.
    #expect(try recording.run("strings", "100") == 0)
    _ = try recording.recorder.stop()
    let reader = try TraceReader(path: recording.output)
    let counts = reader.streams.flatMap(\.chunks).map(\.eventCount)
    #expect(counts.count >= 10 && counts.allSatisfy { $0 <= 12 }, "\(counts)")
  }

  @Test func theSummaryCountsTheWholeRecording() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let emitter = Recording.products + "/Emitter"
    let go = directory + "/go"
    #expect(mkfifo(go, 0o600) == 0)
    let (front, output) = try killed(
      "\(emitter) families 100; read line < \(go); \(emitter) numbers 50",
      in: directory
    )
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    let end = open(go, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(front.wait() == 0)
    let summary = try adopted.stop()
    let trace = try ReadTrace(output)
    #expect(summary.events == UInt64(trace.streams.reduce(0) { $0 + $1.events.count }))
    #expect(summary.processes == 2)
    #expect(trace.apps.count == 2)
    // The first one ended with a draft that was never saved.
    #expect(summary.unsavedObjects == 1)
    let file = try #require(SmallFile.bytesIfReadable(output, bytesMax: 64 << 20))
    #expect(summary.bytes == UInt64(file.count))
  }

  /// What was told, by the text of the journals of a session.
  private func told(_ session: String) -> Set<Int> {
    var numbers: Set<Int> = []
    for name in namesInDirectory(session) where name.hasPrefix("told-") {
      let bytes = SmallFile.bytesIfReadable(session + "/" + name, bytesMax: 64 << 20) ?? []
      let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x20 }, as: UTF8.self)
      for part in text.split(separator: "line=").dropFirst() {
        if let number = Int(part.prefix { $0.isNumber }),
          part.dropFirst("\(number)".count).first == ";"
        {
          numbers.insert(number)
        }
      }
    }
    return numbers
  }

  private func lines(_ path: String) throws -> [Int] {
    let trace = try ReadTrace(path)
    return trace.streams.flatMap(\.events).filter { $0.kind == .log }.compactMap { event in
      let text = trace.names[NameID(rawValue: UInt32(event.arguments.0))]
      return text.hasPrefix("line=") ? Int(text.dropFirst(5).dropLast()) : nil
    }
  }

  @Test func whatTheHostHasToldIsThereOnceWhenTheRecorderIsKilledAtARandomInstant() throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    var (brought, inTrace) = (0, 0)
    for round in 0..<(6 * KillTests.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      let output = directory + "/run.lifetrace"
      let script = "seq -f 'line=%.0f;' 1 60000; exec sleep 1000"
      let front = try Front(
        ["-o", output, "--capture-output", "--", "sh", "-c", script],
        sessionsIn: directory
      )
      let recorder = try #require(front.recorder)
      var session = ""
      Front.wait {
        let name = namesInDirectory(directory).first { $0.hasPrefix("lifetrace-") }
        session = name.map { directory + "/" + $0 } ?? ""
        return name != nil
      }
      Front.wait { !told(session).isEmpty }
      // Half of them when a part is in the trace already.
      if round.isMultiple(of: 2) {
        Front.wait { (try? lines(output))?.isEmpty == false }
      }
      usleep(UInt32.random(in: 0..<200_000, using: &random))
      #expect(kill(recorder, SIGKILL) == 0)
      front.waitUntilRecorderIsGone(recorder)
      let before = Set(try lines(output))
      let known = before.union(told(session))
      // Half of them are recovered by one that is killed as well.
      if Bool.random(using: &random) {
        let second = try Front(["--recover"], sessionsIn: directory)
        usleep(UInt32.random(in: 0..<200_000, using: &random))
        _ = kill(second.pid, SIGKILL)
        _ = second.wait()
      }
      // Or that was through before the kill: then nothing is left to recover.
      let isLeft = namesInDirectory(directory).contains { $0.hasPrefix("lifetrace-") }
      let adopted = isLeft ? try Recorder(adopting: session) : nil
      try adopted?.start()
      try adopted?.flush()
      _ = kill(front.pid, SIGTERM)
      _ = front.wait()
      _ = try adopted?.stop()
      let found = try lines(output)
      #expect(found.count == Set(found).count, "doubled, seed \(seed)")
      #expect(known.subtracting(found).isEmpty, "lost, seed \(seed)")
      #expect(Set(found) == Set(1...max(1, found.count)), "seed \(seed)")
      if !before.isEmpty { inTrace += 1 }
      if known.count > before.count { brought += 1 }
    }
    // How many is a matter of the machine.
    #expect(brought > 0)
    #expect(inTrace >= 3 * KillTests.scale)
  }

  @Test func secretsStaySecretAndKeepTheirNumbers() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let emitter = Recording.products + "/Emitter"
    let go = directory + "/go"
    #expect(mkfifo(go, 0o600) == 0)
    let (front, output) = try killed(
      """
      LIFETRACE_APP=xxxxxxxxx \(emitter) strings 15; read line < \(go); \(emitter) strings 15
      """,
      ["--redact", "/x{8,}/"],
      in: directory
    )
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    let end = open(go, O_WRONLY | O_CLOEXEC)
    #expect(write(end, "\n", 1) == 1)
    close(end)
    #expect(front.wait() == 0)
    _ = try adopted.stop()
    let trace = try ReadTrace(output)
    #expect(trace.apps.count == 2)
    #expect(!trace.names.strings.contains { $0.contains("xxxxxxxx") })
    let texts = trace.apps.map { app in
      app.events.filter { $0.kind == .log }.map {
        trace.names[NameID(rawValue: UInt32($0.arguments.0))]
      }
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].first == "0-[redacted 2]")
    #expect(texts[0].last == "14-[redacted 3]")
  }

  @Test func aSignalAtAnyInstantLeavesNothingBehind() throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    for _ in 0..<(20 * KillTests.scale) {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      let output = directory + "/run.lifetrace"
      // By its length it is told from what other tests start at the same time.
      let length = "1000.2771"
      let front = try Front(["-o", output, "--", "sleep", length], sessionsIn: directory)
      usleep(UInt32.random(in: 0..<60_000, using: &random))
      #expect(kill(front.pid, SIGTERM) == 0)
      #expect(front.wait() == 128 + SIGTERM)
      // Had the front gone first, its recorder would go on with the command.
      #expect(!namesInDirectory(directory).contains { $0.hasPrefix("lifetrace-") })
      let left = ProcFS.children(of: getpid()).compactMap {
        SmallFile.bytesIfReadable("/proc/\($0)/cmdline")
      }
      #expect(left.allSatisfy { !String(decoding: $0, as: UTF8.self).contains(length) })
    }
  }

  private func recover(_ arguments: [String], in directory: String) throws -> (Int32, String) {
    let said = directory + "/said"
    let errors = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let front = try Front(["--recover"] + arguments, sessionsIn: directory, errors: errors)
    let code = front.wait()
    return (code, String(decoding: try TestFile.read(said), as: UTF8.self))
  }

  /// A recorder that is killed while it removes its session leaves nothing to bring in.
  @Test func ofARecordingThatHasEndedNothingIsBroughtIn() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (front, _) = try killed("sleep 2.5", in: directory)
    _ = front.wait()
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    #expect(rename(session + "/session", session + "/session.tmp") == 0)
    #expect(unlink(session + "/about") == 0)
    #expect(SessionDirectory.orphans(in: [directory]).isEmpty)
    // Without a name only where it is no session that is being made just now.
    SessionDirectory.removeHusks(in: [directory])
    #expect(access(session, F_OK) == 0)
    let (code, said) = try recover([session], in: directory)
    #expect(code == 0 && said.contains("no recording was left in it"), "\(said)")
    #expect(access(session, F_OK) != 0)
    #expect(mkdir(session, 0o700) == 0)
    var times = [timespec(), timespec()]
    #expect(utimensat(AT_FDCWD, session, &times, 0) == 0)
    SessionDirectory.removeHusks(in: [directory])
    #expect(access(session, F_OK) != 0)
  }

  /// What was begun with another runtime directory is brought in where it is named, and only there.
  @Test func sessionsOfOtherSurroundingsAreLeftAlone() throws {
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let (front, output) = try killed("sleep 2.5", in: directory)
    _ = front.wait()
    let session = try #require(SessionDirectory.orphans(in: [directory]).first)
    let about = String(decoding: try TestFile.read(session + "/about"), as: UTF8.self)
    #expect(about.contains("runtime \(directory)\n"))
    try TestFile.write(
      about.replacing("runtime \(directory)\n", with: "runtime /run/user/4711\n"),
      to: session + "/about"
    )
    let (left, said) = try recover([], in: directory)
    #expect(left == 0 && said.contains("lifetrace record --recover \(session)"), "\(said)")
    #expect(access(session, F_OK) == 0)
    let (code, _) = try recover([session], in: directory)
    #expect(code == 0)
    #expect(access(session, F_OK) != 0)
    #expect(try ReadTrace(output).hasEnd)
  }
}
