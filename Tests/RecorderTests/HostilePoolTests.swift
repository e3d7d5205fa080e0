// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// Files in the session's directory that no app of ours has made: the recorder says what it does not
/// read, and the data of the others is there to the last event.
@Suite(.waits) struct HostilePoolTests {
  private static let blockBytes = UInt64(HostilePool.blockBytes)

  /// A recording whose pools are small enough to be copied.
  private func recording() throws -> Recording {
    try Recording {
      $0.poolBytesMax = 4 * Self.blockBytes
      $0.onFull = .block(nanoseconds: 60_000_000_000)
    }
  }

  /// The pool of an app that emits until it is killed.
  private func sample(_ recording: Recording) throws -> (child: ChildProcess, pool: HostilePool) {
    let path = recording.directory + "/progress"
    let child = try recording.launch("progress", path, "2", "0", "50")
    _ = recording.recorder.waitForWriter(ofPID: child.pid, nanoseconds: 30_000_000_000)
    KillTests.waitForAnEmit(path)
    return (child, try HostilePool(in: recording.recorder.sessionDirectory))
  }

  /// Whether every number of an honest app is there, in order.
  private func isWhole(_ events: [Event]) -> Bool {
    events.filter { $0.kind == .workBegin }.map(\.arguments.0) == Array(0..<20_000)
  }

  /// The same, but for what the app had no room for and has counted, as a busy recorder is slow.
  private func isWholeOrCounted(_ events: [Event]) -> Bool {
    let numbers = events.filter { $0.kind == .workBegin }.map(\.arguments.0)
    let lost = events.filter { $0.kind == .loss }.reduce(0) { $0 + $1.arguments.1 }
    return UInt64(numbers.count) + lost == 20_000
      && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// What is written about the recording itself.
  private func notes(_ trace: ReadTrace) -> [String] {
    let device = trace.streams.first { $0.stream.attributes.app == "device" }
    return device?.events.filter { $0.kind == .log }.map {
      trace.names[NameID(rawValue: UInt32($0.arguments.0))]
    } ?? []
  }

  @Test func whatIsNoPoolIsRefusedAndSaid() throws {
    let other = try recording()
    let (child, real) = try sample(other)
    #expect(kill(child.pid, SIGKILL) == 0)
    var random = SeededRandom(seed: 7)
    let recording = try recording()
    let session = recording.recorder.sessionDirectory
    var refused = 0
    func put(_ change: (inout HostilePool) -> Void) {
      var pool = real
      pool.rename(&random)
      change(&pool)
      pool.place(in: session)
      refused += 1
    }
    typealias Offset = HostilePool.Offset
    put { $0.bytes[0] ^= 1 }
    put { $0.put(99, 4, at: Offset.layoutVersion) }
    put { $0.put(0, 4, at: Offset.headerBytes) }
    put { $0.put(0xFFFF_FFC0, 4, at: Offset.headerBytes) }
    put { $0[at: Offset.tablesBytes] = .max }
    put { $0[at: Offset.tablesBytes] = 1 << 63 }
    put { $0.put(0, 4, at: Offset.blockBytes) }
    put { $0.put(0xFFFF_FFFF, 4, at: Offset.blocksMax) }
    put { $0.put(0, 4, at: Offset.blocksMax) }
    put { $0.put(5, 4, at: Offset.blocksMax) }
    put { $0.put(0, 4, at: Offset.pid) }
    put { $0.put(0xFFFF_FFFF, 4, at: Offset.pid) }
    put { $0.bytes.removeLast(HostilePool.blockBytes) }
    put { $0.bytes.removeLast($0.bytes.count - 100) }
    put { $0.bytes += [UInt8](repeating: 0, count: 64 << 20) }
    // Under the name of another writer.
    real.place(in: session, as: "pool-00000000000000000000000000000000")
    let noise = (0..<8_192).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var garbage = real
    garbage.bytes = noise
    garbage.place(in: session, as: "pool-garbage")
    garbage.bytes = []
    garbage.place(in: session, as: "pool-empty")
    #expect(mkdir(session + "/d.tmp", 0o700) == 0)
    #expect(rename(session + "/d.tmp", session + "/pool-directory") == 0)
    #expect(mkfifo(session + "/f.tmp", 0o600) == 0)
    #expect(rename(session + "/f.tmp", session + "/pool-pipe") == 0)
    for target in ["/etc/passwd", "/dev/zero", "pool-link", "/nowhere/lifetrace-pool-link", ""] {
      #expect(symlink(target.isEmpty ? session : target, session + "/l.tmp") == 0)
      #expect(rename(session + "/l.tmp", session + "/pool-link\(refused)") == 0)
      refused += 1
    }
    refused += 5
    if getuid() == 0 {
      var foreign = real
      foreign.rename(&random)
      foreign.place(in: session, as: "foreign")
      #expect(chown(session + "/foreign", 65_534, 65_534) == 0)
      #expect(rename(session + "/foreign", session + "/" + foreign.name) == 0)
      refused += 1
    }

    #expect(try recording.run("numbers", "20000") == 0)
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(summary.poolsRefused == refused)
    let notes = notes(trace)
    #expect(notes.count == refused, "\(notes)")
    #expect(notes.allSatisfy { $0.hasPrefix("pool-") && $0.contains("is not read: ") })
    #expect(trace.apps.count == 1)
    #expect(isWhole(try #require(trace.apps.first).events))
    #expect(access("/etc/passwd", F_OK) == 0)
    #expect(access(session, F_OK) != 0)
  }

  @Test func aPoolIsFoundBehindALinkOnlyWhereItsNameSaysSo() throws {
    let recording = try recording()
    let (child, real) = try sample(recording)
    #expect(kill(child.pid, SIGKILL) == 0)
    #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    let session = recording.recorder.sessionDirectory
    var random = SeededRandom(seed: 8)
    var (elsewhere, victim) = (real, real)
    elsewhere.rename(&random)
    victim.rename(&random)
    let good = recording.directory + "/lifetrace-" + elsewhere.name
    let bad = recording.directory + "/precious"
    elsewhere.place(in: recording.directory, as: "lifetrace-" + elsewhere.name)
    victim.place(in: recording.directory, as: "precious")
    for (target, name) in [(good, elsewhere.name), (bad, victim.name)] {
      #expect(symlink(target, session + "/l.tmp") == 0)
      #expect(rename(session + "/l.tmp", session + "/" + name) == 0)
    }
    let summary = try recording.recorder.stop()
    #expect(summary.poolsRefused == 1)
    #expect(try ReadTrace(recording.output).apps.count == 2)
    #expect(access(good, F_OK) != 0)
    #expect(access(bad, F_OK) == 0)
  }

  /// As where the disk fails for a moment.
  @Test(arguments: [false, true]) func aPoolThatCannotBeOpenedIsTriedAgain(lasts: Bool) throws {
    let other = try recording()
    let (child, real) = try sample(other)
    #expect(kill(child.pid, SIGKILL) == 0)
    #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    let recording = try recording()
    let session = recording.recorder.sessionDirectory
    real.place(in: session, as: "held")
    let held = try HeldFile(session + "/held")
    #expect(rename(session + "/held", session + "/" + real.name) == 0)
    try held.waitForWhoOpensIt()
    recording.recorder.catchUp()
    if !lasts { held.letGo() }
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(summary.isAsAsked != lasts && summary.poolsRefused == 0)
    #expect(trace.apps.count == (lasts ? 0 : 1))
    #expect(access(session, F_OK) == (lasts ? 0 : -1))
    guard lasts else { return }
    #expect(summary.poolsLeft == 1)
    #expect(summary.remarks.contains { $0.contains("--recover \(session)") }, "\(summary.remarks)")
    #expect(notes(trace).contains { $0.contains(real.name) && $0.contains("is not recorded") })
    // By this it is known that it is there, once it is.
    let device = try #require(trace.streams.first { $0.stream.attributes.app == "device" })
    let writer = real[at: HostilePool.Offset.writer + 8]
    #expect(device.events.contains { $0.kind == .log && $0.identity == writer })
    held.letGo()
    let adopted = try Recorder(adopting: session)
    try adopted.start()
    #expect(try adopted.stop().isAsAsked)
    #expect(try ReadTrace(recording.output).apps.count == 1)
    #expect(access(session, F_OK) != 0)
  }

  @Test func aPoolThatIsCutShortEndsNobodyElsesRecording() throws {
    let recording = try recording()
    let session = recording.recorder.sessionDirectory
    let (victim, _) = try sample(recording)
    #expect(kill(victim.pid, SIGSTOP) == 0)
    while !ProcFS.isWhollyStopped(victim.pid) { usleep(1_000) }
    let name = try #require(namesInDirectory(session).first { HostilePool.isPool($0) })
    let child = try recording.launch("numbers", "20000")
    // Then the header itself.
    for bytes in [HostilePool.Offset.blocks + 5_000, 4_096 + 100, 0] {
      #expect(truncate(session + "/" + name, off_t(bytes)) == 0)
      try recording.recorder.flush()
      usleep(5_000)
    }
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    #expect(kill(victim.pid, SIGKILL) == 0)
    #expect(victim.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    let summary = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    #expect(trace.problems.isEmpty)
    #expect(summary.poolsRefused == 1)
    #expect(notes(trace).contains { $0.contains(name) && $0.contains("cut short") })
    #expect(isWhole(trace.apps.flatMap(\.events)))
  }

  @Test func nobodyEndsTheStreamOfAnother() throws {
    let recording = try recording()
    let session = recording.recorder.sessionDirectory
    let (child, real) = try sample(recording)
    var random = SeededRandom(seed: 9)
    // One says that it is the process, another that it is one of its number.
    var (same, number) = (real, real)
    same.rename(&random)
    number.rename(&random)
    number[at: HostilePool.Offset.processStart] = 1
    number.place(in: session)
    same.place(in: session)
    try recording.recorder.flush()
    usleep(400_000)
    #expect(child.status == nil)
    let progress = recording.directory + "/progress"
    #expect(kill(child.pid, SIGKILL) == 0)
    #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let writer = WriterID(
      high: real[at: HostilePool.Offset.writer],
      low: real[at: HostilePool.Offset.writer + 8]
    )
    let app = try #require(trace.apps.first { $0.stream.writer == writer })
    KillTests.check(app, try KillTests.progress(progress, threads: 2))
    #expect(app.events.last?.kind == .processExit)
    #expect(trace.names[NameID(rawValue: UInt32(app.events.last?.arguments.0 ?? 0))] == "signal")
    #expect(notes(trace).contains { $0.contains("process \(child.pid) writes to another one") })
    #expect(trace.apps.count == 2)
  }

  @Test func mutatedPoolsBesideAHonestApp() throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    let other = try recording()
    let (child, real) = try sample(other)
    #expect(kill(child.pid, SIGKILL) == 0)
    for _ in 0..<(4 * KillTests.scale) {
      let recording = try recording()
      let session = recording.recorder.sessionDirectory
      let app = try recording.launch("numbers", "20000")
      for _ in 0..<25 {
        var pool = real
        pool.mutate(&random)
        pool.rename(&random)
        pool.place(in: session)
      }
      #expect(app.wait(nanoseconds: 60_000_000_000) == .code(0))
      try recording.recorder.flush()
      _ = try recording.recorder.stop()
      let reader = try TraceReader(path: recording.output)
      try reader.verify()
      #expect(reader.problems.isEmpty, "\(reader.problems)")
      let trace = try ReadTrace(recording.output)
      let honest = try #require(trace.apps.first { $0.stream.attributes.pid == UInt32(app.pid) })
      let isWholeOrCounted = isWholeOrCounted(honest.events)
      #expect(isWholeOrCounted)
      // Most of them are close enough to be read.
      #expect(trace.apps.count > 10)
    }
  }

  @Test func everyMutatedPoolGivesChunksThatCanBeRead() throws {
    let seed = KillTests.seed
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    let recording = try recording()
    let (child, real) = try sample(recording)
    #expect(kill(child.pid, SIGKILL) == 0)
    let directory = try Recording.makeDirectory()
    defer { Recording.remove(directory) }
    let now = HostTime(rawValue: .max - 1)
    real.place(in: directory)
    let whole = try #require(PoolProbe.chunks(of: real.name, in: directory, now: now))
    #expect(whole.reduce(0) { $0 + $1.header.eventCount } > 0)
    var read = 0
    for _ in 0..<(300 * KillTests.scale) {
      var pool = real
      pool.mutate(&random)
      pool.place(in: directory)
      defer { unlink(directory + "/" + pool.name) }
      guard let chunks = PoolProbe.chunks(of: pool.name, in: directory, now: now) else { continue }
      read += 1
      for chunk in chunks {
        var names = Names()
        let payload = try ChunkPayload(
          header: chunk.header,
          payload: chunk.payload,
          names: &names
        )
        #expect(try payload.decode().count == chunk.header.eventCount)
      }
    }
    #expect(read > 100 * KillTests.scale)
  }

  @Test func whatIsRedactedIsNotInWhatTheProcessSaysOfItself() throws {
    let recording = try Recording {
      $0.redactions = (try? [Redaction("/s3cret[a-z]*/")]) ?? []
    }
    var options = LaunchOptions()
    options.environment = [
      ("LIFETRACE_APP", "com.s3cretcompany.app"), ("LIFETRACE_REASON", "push s3cretword"),
    ]
    let program = recording.directory + "/s3cretprogram"
    #expect(symlink(Recording.products + "/Emitter", program) == 0)
    let child = try recording.recorder.launch([program, "numbers", "10"], options)
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    #expect(app.stream.attributes.app.hasPrefix("com.[redacted "))
    #expect(app.stream.attributes.process.hasPrefix("[redacted "))
    let start = try #require(app.events.first)
    #expect(
      trace.names[NameID(rawValue: UInt32(start.arguments.0))].hasPrefix("push [redacted ")
    )
    let bytes = try #require(SmallFile.bytesIfReadable(recording.output))
    let secret = Array("s3cret".utf8)
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
    #expect(
      !(0..<1_000).contains { trace.names[NameID(rawValue: UInt32($0))].contains("s3cret") }
    )
  }

  @Test func aSecretThatWasCutInTheProcessIsNotWritten() throws {
    let recording = try Recording {
      $0.redactions = (try? [Redaction("/token=[0-9a-f]{32}/")]) ?? []
    }
    let child = try recording.launch("cut-texts")
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let app = try #require(trace.apps.first)
    func name(_ number: UInt64) -> String {
      trace.names[NameID(rawValue: UInt32(truncatingIfNeeded: number))]
    }
    let start = try #require(app.events.first)
    #expect(name(start[0]).hasPrefix("[cut text redacted "))
    #expect(name(start[2]).hasPrefix("[cut text redacted "))
    let logs = app.events.filter { $0.kind == .log }.map { name($0[0]) }
    #expect(logs.count == 2)
    #expect(logs.first?.hasPrefix("[cut text redacted ") == true)
    // The same bytes, of a string that ends there by itself: no pattern matches them.
    #expect(logs.last?.utf8.count == 4096)
    let bytes = try #require(SmallFile.bytesIfReadable(recording.output))
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: "starting with".utf8) })
  }

  @Test func whatWasCutIsShownWhereNothingIsRedacted() throws {
    let recording = try Recording()
    let child = try recording.launch("cut-texts")
    #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
    _ = try recording.recorder.stop()
    let trace = try ReadTrace(recording.output)
    let start = try #require(trace.apps.first?.events.first)
    let reason = trace.names[NameID(rawValue: UInt32(truncatingIfNeeded: start[0]))]
    #expect(reason == "starting with token=0123456789a")
  }

  @Test func anExecIsFoundInOrderHoweverLateItIsLookedFor() throws {
    for _ in 0..<8 {
      let directory = try Recording.makeDirectory()
      defer { Recording.remove(directory) }
      var options = RecorderOptions(output: directory + "/run.lifetrace")
      options.sessionParents = [directory]
      let recorder = try Recorder(options)
      let child = try recorder.launch([Recording.products + "/Emitter", "exec"])
      // Both images have come and gone before anybody looks.
      while ProcFS.status(of: child.pid)?.state != UInt8(ascii: "Z") { usleep(1_000) }
      try recorder.start()
      #expect(child.wait(nanoseconds: 60_000_000_000) == .code(0))
      _ = try recorder.stop()
      let trace = try ReadTrace(options.output)
      #expect(trace.apps.count == 2)
      let second = try #require(trace.apps.first { $0.stream.attributes.previous != nil })
      #expect(second.events.filter { $0.kind == .workBegin }.count == 20)
    }
  }
}
