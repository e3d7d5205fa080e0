// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import CLifetracePlatform
import Glibc
import LifetraceRecorder

/// An app that emits at a steady rate: this program once more, as `--paced RATE MILLISECONDS`.
enum PacedChild {
  static let flag = "--paced"

  static func run(rate: UInt64, milliseconds: UInt64) {
    let site = lt_site("paced", "RecorderBenchmark.swift", 1, "")
    let start = now()
    let end = start + milliseconds * 1_000_000
    var emitted: UInt64 = 0
    while true {
      let time = now()
      if time >= end { break }
      let due = (time - start) * rate / 1_000_000_000
      if due <= emitted {
        // The slower the rate, the longer the sleep: an app that is mostly idle.
        if rate < 1_000_000 { usleep(500) }
        continue
      }
      let burst = min(due - emitted, 64)
      for _ in 0..<burst {
        lt_emit(UInt8(LT_KIND_WORK_BEGIN.rawValue), site, emitted & 1023, 2, emitted, 7, 0, 0)
        emitted += 1
      }
    }
    print(emitted)
  }
}

/// What the recorder keeps up with, and what it costs while it does.
func benchmarkRecorder(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let milliseconds: UInt64 = size == .small ? 200 : 10_000
  let busy = try record(rate: 5_000_000, milliseconds)
  let light = try record(rate: 10_000, milliseconds)
  let idle = try record(rate: 1, milliseconds)
  let reached = Double(busy.events) / Double(milliseconds) / 1_000
  return [
    BenchmarkRow(
      "drop-free into a file on disk, one busy thread",
      "\(fixed(reached, 2)) M events/s",
      peer: "\(busy.losses) lost, \(fixed(busy.cpu * 100, 0)) % of a core",
      target: "5 M events/s for 10 s",
      reached: busy.losses == 0 && reached > 4.95
    ),
    BenchmarkRow(
      "recorder CPU at 10,000 events/s",
      "\(fixed(light.cpu * 100, 2)) % of a core",
      target: "at most 3 %",
      reached: light.cpu <= 0.03
    ),
    BenchmarkRow(
      "recorder CPU, idle",
      "\(fixed(idle.cpu * 100, 2)) % of a core",
      target: "at most 0.3 %",
      reached: idle.cpu <= 0.003
    ),
  ]
}

private func record(rate: UInt64, _ milliseconds: UInt64) throws
  -> (events: UInt64, losses: UInt64, cpu: Double)
{
  let path = "/var/tmp/lifetrace-bench-\(getpid()).lifetrace"
  defer { unlink(path) }
  var options = RecorderOptions(output: path)
  options.overwrite = true
  let recorder = try Recorder(options)
  try recorder.start()
  var launch = LaunchOptions()
  let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
  defer { close(null) }
  launch.output = null
  let command = ["/proc/self/exe", PacedChild.flag, "\(rate)", "\(milliseconds)"]
  let child = try recorder.launch(command, launch)
  _ = recorder.waitForWriter(ofPID: child.pid, nanoseconds: 5_000_000_000)
  let cpu = clock()
  let begin = now()
  _ = child.wait()
  // POSIX counts a million a second.
  let used = Double(clock() - cpu) * 1_000 / Double(now() - begin)
  let summary = try recorder.stop()
  return (summary.events, summary.losses, used)
}
