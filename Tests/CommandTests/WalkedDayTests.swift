// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceJSON
import LifetraceTraceFile
import Support
import TestThreads
import Testing

/// A day of app life, which breaks rules as it goes: `continue` stops at as many places as `check` counts.
///
/// LIFETRACE_TEST_SCALE multiplies its events; from 10 on rules are broken more often than their
/// words are kept.
@Suite(.waits) struct WalkedDayTests {
  static let scale = getenv("LIFETRACE_TEST_SCALE").flatMap { Double(String(cString: $0)) } ?? 1

  @Test func aWalkStopsAtAllThatIsCounted() throws {
    let folder = try TestFolder()
    let writer = try TraceWriter(path: folder.file("day"), options: .create)
    var day = DayTrace(seed: 1) { try writer.append($0) }
    try day.run(events: Int(50_000 * Self.scale))
    try writer.finish(end: true)

    let counted = shell("lifetrace check day --format jsonl", in: folder).output
    let summary = try #require(
      try counted.split(separator: "\n").last.map { try JSON(parsing: $0.utf8) }
    )
    let (errors, warnings) = (summary["errors"]?.int ?? 0, summary["warnings"]?.int ?? 0)
    try #require(errors + warnings > 0, "\(counted)")
    let steps = String(repeating: "continue\n", count: Int(errors + warnings))
    try folder.write("goto start\n" + steps, to: "forward")
    try folder.write(
      "goto end\n" + steps.replacing("continue", with: "reverse-continue"),
      to: "backward"
    )
    func walk(_ script: String) -> [String] {
      let walked = shell("lifetrace replay day -q --batch -x \(script)", in: folder)
      #expect(walked.status == 0, "\(walked.output.suffix(300))")
      return walked.output.split(separator: "\n").filter { $0.hasPrefix("Violation #") }
        .map { String($0) }
    }
    let forward = walk("forward")
    #expect(forward.count == Int(errors + warnings))
    #expect(forward.count { $0.contains(" (error): ") } == Int(errors))
    for (index, line) in forward.enumerated() {
      #expect(line.hasPrefix("Violation #\(index + 1), "), "\(line)")
    }
    #expect(walk("backward") == forward.reversed())
  }
}
