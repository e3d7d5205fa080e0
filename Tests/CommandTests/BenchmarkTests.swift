// SPDX-License-Identifier: Apache-2.0
import TestThreads
import Testing

/// Every benchmark runs at its small size, so that none can rot.
///
/// Figures are not looked at: a debug build on a busy machine says nothing of speed.
@Suite(.waits) struct BenchmarkTests {
  @Test func everyBenchmarkRuns() {
    let program = BuiltBinary.path.dropLast("lifetrace".count) + "Benchmarks"
    let quoted = TerminalSession.quoted(String(program))
    let names = TerminalSession.shell("\(quoted) --list").output.split(separator: "\n")
    #expect(names.contains("emit") && names.contains("replay"))
    for name in names {
      let (status, output) = TerminalSession.shell("\(quoted) --small \(name) 2>&1")
      #expect(status == 0, "\(name): \(output)")
      #expect(output.split(separator: "\n").count > 1, "\(name) printed no row: \(output)")
    }
  }
}
