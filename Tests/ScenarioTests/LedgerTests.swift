// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import LifetraceRecorder
import LifetracePlatform
import Support
import TestThreads
import Testing
import LifetraceTrace
import LifetraceTraceFile

/// The ledger equals the disk, whenever an app is killed: apps that edit and save at random are purged
/// or lose their power at random moments, and the next launch finds what the recording says.
///
/// Some 550 lives; with `LIFETRACE_TEST_SCALE` up to twenty times as many.
@Suite("The ledger is what stands on the disk", .serialized, .waits)
struct LedgerTests {
  private static let scale = min(
    20,
    environment("LIFETRACE_TEST_SCALE").flatMap { Int($0) } ?? 1
  )
  private static let keeper = "\(TestProgram.products)/Keeper"

  private func expect(_ check: LedgerCheck, seed: UInt64, lives: Int) {
    print("seed \(seed): \(check.text)")
    #expect(check.mistakes.isEmpty, "\(check.mistakes.prefix(5).joined(separator: "\n"))")
    // An app that is killed before it has looked at its data has no part in this.
    #expect(check.lives > lives / 2)
    #expect(check.safe > check.lives / 10)
    #expect(check.lost > 0)
  }

  // MARK: Purges

  @Test("After a purge at any moment")
  func purges() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    var check = LedgerCheck()
    for round in 0..<(8 * Self.scale) { try purge(&check, &random, round) }
    expect(check, seed: SeededRandom.seed, lives: 384 * Self.scale)
  }

  /// Four apps, of which each lives thirteen times: more losses of an app DS02 would not keep.
  private func purge(_ check: inout LedgerCheck, _ random: inout SeededRandom, _ round: Int) throws
  {
    // In memory, where saves are fast, and on what the machine has.
    let parent =
      round % 2 == 0 && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : TestProgram.temporary
    var template = Array("\(parent)/lifetrace-ledger-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw HostTestError("mkdtemp: \(errno)") }
    let folder = String(cString: made)
    defer { Played.remove(folder) }
    let recorder = try Recorder(RecorderOptions(output: folder + "/run.lifetrace"))
    try recorder.start()
    for app in 0..<4 { mkdir("\(folder)/store\(app)", 0o700) }
    // Two and two take turns at a file.
    for pair in 0..<2 { mkdir("\(folder)/\(LedgerCheck.shared)\(pair)", 0o700) }
    var previous: [WriterID?] = [nil, nil, nil, nil]
    for _ in 0..<13 {
      var children: [ChildProcess] = []
      for app in 0..<4 {
        var options = LaunchOptions()
        options.environment = [
          (name: "LIFETRACE_APP", value: "keeper\(app)"),
          (name: "LIFETRACE_PREVIOUS", value: previous[app].map(\.text) ?? ""),
        ]
        let seed = "\(UInt32.random(in: 0 ... .max, using: &random))"
        children.append(
          try recorder.launch(
            [
              Self.keeper, seed, "\(folder)/store\(app)",
              "\(folder)/\(LedgerCheck.shared)\(app / 2)",
            ],
            options
          )
        )
      }
      for app in 0..<4 {
        let writer = recorder.waitForWriter(ofPID: children[app].pid, nanoseconds: 30_000_000_000)
        previous[app] = writer ?? previous[app]
      }
      usleep(UInt32.random(in: 0..<8_000, using: &random))
      for child in children {
        usleep(UInt32.random(in: 0..<2_000, using: &random))
        try recorder.kill(pid: child.pid, Death(cause: "purge", isPurge: true))
        #expect(child.wait(nanoseconds: 30_000_000_000) == .signal(SIGKILL))
      }
    }
    _ = try recorder.stop()
    let reader = try TraceReader(path: folder + "/run.lifetrace")
    var streams: [Played.Stream] = []
    for stream in reader.streams {
      var events: [Event] = []
      for chunk in stream.chunks { events += try reader.decode(chunk).events }
      streams.append(
        Played.Stream(writer: stream.writer, attributes: stream.attributes, events: events)
      )
    }
    check.add(streams, names: reader.names)
    // Two threads save at once, so that two saves of an object can be killed at once; no kill adds to it.
    let left = TestProgram.shell("find \(folder) -name '*.saving-*'").said.split(separator: "\n")
    #expect(left.allSatisfy { $0.hasSuffix("-0") || $0.hasSuffix("-1") }, "\(left)")
  }

  // MARK: Power cuts

  @Test(
    "After a power cut at any moment",
    .needs(Machine.mounts, Machine.mountsAdvice)
  )
  func powerCuts() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    var check = LedgerCheck()
    let apps = (0..<6).map { "k\($0)" }
    for _ in 0..<(2 * Self.scale) {
      // All with the same command, so that the trace has the names given here.
      let seed = UInt32.random(in: 0 ... .max, using: &random)
      var text = "disk: 16MiB\napps: [\(apps.joined(separator: ", "))]\nsteps:\n"
      for _ in 0..<13 {
        for app in apps { text += "- launch: {app: \(app)}\n" }
        text += "- wait: \(Int.random(in: 0..<40, using: &random))ms\n- reboot\n"
      }
      let scenario = try Scenario(parsing: text, file: "power-cuts.yml")
      let played = try Played(
        scenario,
        command: [Self.keeper, "\(seed)"],
        profile: Played.patient(scenario)
      ) {
        try $0.play()
      }
      #expect(played.report.failures.isEmpty, "\(played.report.failures)")
      check.add(played.streams, names: played.names)
      #expect(played.leftBehind == 0)
    }
    expect(check, seed: SeededRandom.seed, lives: 144 * Self.scale)
  }

  // MARK: The sample app

  @Test("The sample app, with its bug and without, purged and rebooted")
  func notes() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    var check = LedgerCheck()
    for round in 0..<(2 * Self.scale) {
      let isCut = Machine.mounts && round % 2 == 0
      var text = "app: notes\ntime-scale: 0.05\n" + (isCut ? "disk: 8MiB\n" : "") + "steps:\n"
      for _ in 0..<16 {
        text += "- launch\n"
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          // Few texts, so that an edit is often taken back.
          text += "- tell: {edit: \(["a", "b", "ab"].randomElement(using: &random) ?? "a")}\n"
          text += "- wait: \(Int.random(in: 0..<3_000, using: &random))ms\n"
        }
        if Bool.random(using: &random) { text += "- home\n" }
        text += isCut && Bool.random(using: &random) ? "- reboot\n" : "- home\n- purge\n"
      }
      text += "- launch\n"
      let scenario = try Scenario(parsing: text, file: "notes.yml")
      let command = ["\(TestProgram.products)/notes"] + (round % 4 == 3 ? ["--fixed"] : [])
      let played = try Played(scenario, command: command, profile: Played.patient(scenario)) {
        try $0.play()
      }
      #expect(played.report.failures.isEmpty, "\(played.report.failures)")
      check.add(played.streams, names: played.names)
    }
    expect(check, seed: SeededRandom.seed, lives: 32 * Self.scale)
  }
}
