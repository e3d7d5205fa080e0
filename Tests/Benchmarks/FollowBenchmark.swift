// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDebugger
import LifetraceRecorder
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile

/// The prompt on a recording that is being made: how soon it shows an event, and how soon it answers.
func benchmarkFollow(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let milliseconds: UInt64 = size == .small ? 1_000 : 60_000
  let followed = try FollowedRecording(rate: 100_000, milliseconds)
  let delays = followed.delays.sorted()
  let answers = followed.answers.sorted()
  guard let last = delays.last, let slowest = answers.last else {
    // On a busy machine a second may pass before anybody has looked.
    guard size == .large else { return [BenchmarkRow("followed", "no event in a second")] }
    throw BenchmarkFailure(text: "nothing was shown while it was recorded")
  }
  let (p50, p99) = (delays[delays.count / 2], delays[delays.count * 99 / 100])
  let rate = Double(followed.events) / Double(milliseconds)
  let answer = answers[answers.count * 99 / 100]
  return [
    BenchmarkRow(
      "followed: emitted until shown, p99",
      "\(fixed(p99)) ms",
      peer: "p50 \(fixed(p50)), most \(fixed(last)) ms",
      target: "500 ms at 100,000 events/s",
      reached: size == .small ? nil : p99 <= 500 && rate > 99 && followed.losses == 0
    ),
    BenchmarkRow(
      "followed: answer of the prompt, p99 of \(answers.count)",
      "\(fixed(answer, 2)) ms",
      peer: "most \(fixed(slowest, 2)) ms",
      target: "20 ms",
      reached: size == .small ? nil : answer <= 20
    ),
    BenchmarkRow(
      "followed: recorded meanwhile",
      "\(fixed(rate)) k events/s",
      peer: "\(followed.losses) lost"
    ),
  ]
}

/// A recording of this program as an app that emits at a steady rate, and a prompt that follows it.
private struct FollowedRecording {
  /// Milliseconds from an event's own time until its number was there, of some events of each look.
  private(set) var delays: [Double] = []
  /// Milliseconds of each command.
  private(set) var answers: [Double] = []
  private(set) var events: UInt64 = 0
  private(set) var losses: UInt64 = 0

  /// As often as the prompt looks while nobody types.
  private static let interval: UInt32 = 100_000
  /// Of what came since the last look.
  private static let samples = 200
  /// What does not search, and so is to be answered at once, wherever one stands.
  private static let commands = [
    "goto end", "when", "state", "list -", "goto 50%", "info event", "back 10", "spans",
    "print count spans", "step", "ps",
  ]

  init(rate: UInt64, _ milliseconds: UInt64) throws {
    let path = "/var/tmp/lifetrace-bench-\(getpid()).lifetrace"
    defer { unlink(path) }
    var options = RecorderOptions(output: path)
    options.overwrite = true
    options.settles = true
    let recorder = try Recorder(options)
    try recorder.start()
    var launch = LaunchOptions()
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    launch.output = null
    let command = ["/proc/self/exe", PacedChild.flag, "\(rate)", "\(milliseconds)"]
    let child = try recorder.launch(command, launch)
    _ = recorder.waitForWriter(ofPID: child.pid, nanoseconds: 5_000_000_000)
    let source = try Self.follow(path)
    let player = Player(Timeline(source))
    var prompt = DebuggerOptions(title: path)
    prompt.follow = {
      guard (try? source.look()) != nil else { return .lost("it cannot be read") }
      return source.reader.isBeingWritten ? .live : .ended
    }
    let debugger = Debugger(player, options: prompt) { _ in }
    var turn = 0
    let end = now() + milliseconds * 1_000_000
    while now() < end {
      let count = player.timeline.count
      debugger.runAll(["when"])
      let there = recorder.now().rawValue
      look(at: player.timeline, from: count, there)
      for _ in 0..<3 {
        let start = now()
        debugger.runAll([Self.commands[turn % Self.commands.count]])
        answers.append(Double(now() - start) / 1e6)
        turn += 1
      }
      usleep(Self.interval)
    }
    _ = child.wait()
    let summary = try recorder.stop()
    (events, losses) = (summary.events, summary.losses)
  }

  private mutating func look(at timeline: Timeline, from count: Int, _ now: Int64) {
    let new = timeline.count - count
    guard count > 0, new > 0 else { return }
    for sample in 0..<min(new, Self.samples) {
      let number = count + 1 + sample * new / min(new, Self.samples)
      guard let place = timeline.place(ofEvent: number) else { continue }
      delays.append(Double(now - timeline.event(at: place).time.rawValue) / 1e6)
    }
  }

  private static func follow(_ path: String) throws -> FileSource {
    while true {
      if let reader = try? TraceReader(path: path), reader.settledBytes > 0 {
        return FileSource(reader, isFollowing: true)
      }
      usleep(1_000)
    }
  }
}
