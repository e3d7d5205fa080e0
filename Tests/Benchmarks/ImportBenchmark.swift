// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDeviceLog
import LifetraceInterop
import Support

/// A device log becomes streams of events: bytes of text a second, of a log in which few lines matter
/// and of one in which nearly all do.
func benchmarkImport(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let sessions = size == .small ? 2 : 12
  let sparse = SampleLog(seed: 1, apps: 5, sessions: sessions, noise: 60)
  let dense = SampleLog(seed: 1, apps: 5, sessions: size == .small ? 2 : 200, noise: 0)
  return [
    try importRow("interop: text import, one core", sparse, size, megabytes: 256, least: 200),
    try importRow("the same, nearly all lines matter", dense, size, megabytes: 64, least: 100),
  ]
}

private func importRow(
  _ name: String,
  _ log: SampleLog,
  _ size: BenchmarkSize,
  megabytes: Int,
  least: Double
) throws -> BenchmarkRow {
  let text = Array(log.text(.console).utf8)
  let copies = size == .small ? 1 : max(1, megabytes << 20 / text.count)
  let path = "/tmp/lifetrace-benchmark-\(getpid()).log"
  guard let file = fopen(path, "w") else { throw BenchmarkFailure(text: "cannot write \(path)") }
  for _ in 0..<copies { fwrite(text, 1, text.count, file) }
  fclose(file)
  defer { unlink(path) }
  var recognized = 0
  var lines = 0
  let times = interleaved(
    rounds: size == .small ? 1 : 5,
    [
      {
        guard let imported = try? LogImport(path: path) else { return }
        recognized = imported.summary.recognized
        lines = imported.summary.lines
      }
    ]
  )
  guard recognized > 0 else { throw BenchmarkFailure(text: "nothing was recognised") }
  let rate = Double(text.count * copies) / times[0] * 1_000
  return BenchmarkRow(
    name,
    "\(fixed(rate, 0)) MB/s",
    peer: "\(lines) lines, \(recognized * 100 / lines) % recognised",
    target: "at least \(fixed(least, 0)) MB/s",
    reached: size == .small ? nil : rate >= least
  )
}
