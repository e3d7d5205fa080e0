// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import Support
import TestThreads
import Testing
import LifetraceTrace

/// What a real process prints when it crashes, and what its main thread did when it was killed.
@Suite("Ends that explain themselves", .serialized, .waits)
struct CrashTests {
  private func played(_ steps: String, timeScale: Double = 1) throws -> Played {
    try Played("app: probe\ntime-scale: \(timeScale)\nsteps:\n- launch\n\(steps)")
  }

  @Test(
    "A trap is told with its last line and its stack, and the backtrace takes no time of the app"
  )
  func trap() throws {
    // The limit of a transition is 0.1 s here, and the stack takes longer.
    let scenario = "- tell: {trap: now}\n- wait: {until: not-running, within: 120s}"
    let played = try played(scenario, timeScale: 0.01)
    #expect(played.exits.map(\.cause) == ["signal"])
    let crash = try #require(
      played.verdicts().first { $0.rule == "SY02" && $0.outcome == .violated }
    )
    let text = crash.details.map { "\($0)" }.joined(separator: "\n")
    #expect(text.contains("Fatal error"), "\(text)")
    #expect(text.contains("trap()"), "\(text)")
    #expect(text.contains("Misbehaviour.swift:"), "\(text)")
    let others = played.violations.filter { $0.rule != "SY02" }.map(\.rule)
    #expect(others.isEmpty)
    let lines = played.events(.log).map { played.name($0[0]) }
    #expect(
      !lines.contains { $0.contains("rax") || $0.contains("Registers") },
      "memory in registers"
    )
  }

  @Test(
    "A kill says what main did",
    arguments: [
      ("{for: 1000, hang: willResignActive}", "asleep in clock_nanosleep", "ProbeDelegate.hang"),
      ("{spin-in: willResignActive}", "computing", "Misbehaviour.spin"),
    ]
  )
  func main(word: String, what: String, caller: String) throws {
    let played = try played("- tell: \(word)\n- home", timeScale: 0.05)
    let exit = try #require(played.events(.processExit).first)
    let main = Payload.ProcessExit(exit).main.map { played.names[$0] } ?? ""
    #expect(main.hasPrefix(what), "\(main)")
    #expect(main.contains(caller), "\(main)")
  }

  @Test("A kill says which other thread main may have waited for")
  func holder() throws {
    let played = try played("- tell: {wait-in: willResignActive}\n- home", timeScale: 0.05)
    let exit = try #require(played.events(.processExit).first)
    let main = Payload.ProcessExit(exit).main.map { played.names[$0] } ?? ""
    #expect(main.hasPrefix("asleep in futex"), "\(main)")
    let threads = main.split(separator: "; thread ", omittingEmptySubsequences: false)
    #expect(threads.first?.contains("Misbehaviour.wait()") == true, "\(main)")
    #expect(threads.dropFirst().contains { $0.contains("asleep in poll, called by") }, "\(main)")
    #expect(threads.dropFirst().contains { $0.contains("Misbehaviour.hold(") }, "\(main)")
  }
}
