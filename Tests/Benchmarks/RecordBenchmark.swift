// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import Recorder

/// What recording costs and bears, with the recorder in this process and the app in another.
///
/// The trace goes to a file below /var/tmp, which is on disk.
func benchmarkRecord(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let small = size == .small
  let rate = small ? 500_000 : 5_000_000
  let seconds = small ? 0.2 : 10
  let busy = try recordChild("paced:\(rate):\(seconds)")
  let asked = busy.results["asked"] ?? .nan
  let calm = try recordChild("paced:10000:\(small ? 0.2 : 5)")
  let idle = try recordChild("paced:0:\(small ? 0.2 : 5)")
  let singles = try recordChild("singles:\(small ? 1000 : 100_000)")
  let tail = singles.results["p999"] ?? .nan
  return [
    BenchmarkRow(
      "drop-free into a file, one busy thread",
      "\(busy.summary.losses) lost",
      peer: "\(fixed(asked / 1e6)) M events, \(fixed(asked / 1e6 / (busy.seconds)))/s",
      target: "5 M events/s for 10 s",
      reached: busy.summary.losses == 0 && (busy.results["rate"] ?? 0) >= 0.99 * Double(rate)
    ),
    BenchmarkRow(
      "bytes an event there",
      fixed(Double(busy.summary.bytes) / Double(busy.summary.events), 2),
      peer: "\(busy.summary.events) events"
    ),
    BenchmarkRow(
      "recorder's CPU at that rate",
      "\(fixed(busy.cpu * 100)) % of a core"
    ),
    BenchmarkRow(
      "recorder's CPU at 10,000 events/s",
      "\(fixed(calm.cpu * 100, 2)) % of a core",
      target: "at most 3 %",
      reached: calm.cpu <= 0.03
    ),
    BenchmarkRow(
      "recorder's CPU when idle",
      "\(fixed(idle.cpu * 100, 2)) % of a core",
      target: "at most 0.3 %",
      reached: idle.cpu <= 0.003
    ),
    BenchmarkRow(
      "emit, 8 threads, p99.9, recorder draining",
      "\(fixed(tail)) ns",
      peer: "p50 \(fixed(singles.results["p50"] ?? .nan)) ns",
      target: "under 1000 ns",
      reached: tail < 1000
    ),
  ]
}

/// One recording of this program as the app (``EmitChild``), and what it cost this process.
private func recordChild(_ story: String) throws -> (
  results: [String: Double], summary: RecordingSummary, cpu: Double, seconds: Double
) {
  let directory = "/var/tmp/lifetrace-bench-\(getpid())"
  let output = "\(directory)/run.lifetrace"
  mkdir(directory, 0o700)
  defer {
    unlink(output)
    rmdir(directory)
  }
  let recorder = try Recorder(RecorderOptions(output: output))
  try recorder.start()
  let program = try executablePath()
  let (cpu, start) = (processCPU(), now())
  let (child, pipe) = try spawnEmitChild(
    program,
    story,
    environment: ["LIFETRACE_SESSION=\(recorder.sessionDirectory)"]
  )
  let results = parseResults(readAll(pipe))
  var status: Int32 = 0
  waitpid(child, &status, 0)
  let seconds = Double(now() - start) / 1e9
  let used = Double(processCPU() - cpu) / 1e9
  let summary = try recorder.stop()
  guard status == 0 else { throw EmitError(what: "the child ended with \(status)") }
  return (results, summary, used / seconds, seconds)
}

private func executablePath() throws -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
  guard count > 0 else { throw EmitError(what: "no /proc/self/exe") }
  return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

private func processCPU() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
