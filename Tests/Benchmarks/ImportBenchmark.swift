// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceDeviceLog
import LifetraceInterop
import Support

/// A device log becomes streams of events: bytes of text a second, from a file in memory.
func benchmarkImport(_ size: BenchmarkSize) throws -> [BenchmarkRow] {
  let log = SampleLog(seed: 1, apps: 5, sessions: size == .small ? 2 : 12, noise: 60)
  let text = Array(log.text(.console).utf8)
  let copies = size == .small ? 1 : max(1, 128 << 20 / text.count)
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
  return [
    BenchmarkRow(
      "interop: text import, one core",
      "\(fixed(rate, 0)) MB/s",
      peer: "\(lines) lines, \(recognized * 100 / lines) % recognised",
      target: "at least 200 MB/s",
      reached: size == .small ? nil : rate >= 200
    )
  ]
}
