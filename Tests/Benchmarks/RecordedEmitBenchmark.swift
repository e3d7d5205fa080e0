// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceRecorder

/// What single calls cost while the real recorder drains, in this process, into a file on disk.
func benchmarkRecordedEmit(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let (results, summary) = try recordChild("singles:\(size == .small ? 1000 : 100_000)")
  let tail = results["p999"] ?? .nan
  return [
    BenchmarkRow(
      "emit, 8 threads, p99.9, recorder draining",
      "\(fixed(tail)) ns",
      peer: "p50 \(fixed(results["p50"] ?? .nan)) ns, \(summary.losses) lost",
      target: "under 1000 ns",
      reached: tail < 1000
    )
  ]
}

/// One recording of this program as the app (``EmitChild``).
private func recordChild(_ story: String) throws -> (
  results: [String: Double], summary: RecordingSummary
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
  let (child, pipe) = try spawnEmitChild(
    program,
    story,
    environment: ["LIFETRACE_SESSION=\(recorder.sessionDirectory)"]
  )
  let results = parseResults(readAll(pipe))
  var status: Int32 = 0
  waitpid(child, &status, 0)
  let summary = try recorder.stop()
  guard status == 0 else { throw EmitError(what: "the child ended with \(status)") }
  return (results, summary)
}

private func executablePath() throws -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
  guard count > 0 else { throw EmitError(what: "no /proc/self/exe") }
  return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
