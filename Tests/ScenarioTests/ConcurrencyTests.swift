// SPDX-License-Identifier: Apache-2.0
import ConcurrentCore
import Glibc
import LifetraceScenario
import LifetraceRules
import LifetraceTesting
import Support
import TestThreads
import Testing

/// An app that saves in tasks, on queues and in threads is judged in virtual time as it is as a process.
///
/// `LIFETRACE_TEST_SCALE` above 1 plays each form 200 times in virtual time.
@Suite("Concurrency is judged alike in both worlds", .waits)
struct ConcurrencyTests {
  private static let steps = "[launch, home, suspend, purge, relaunch]"

  private static let times =
    (getenv("LIFETRACE_TEST_SCALE").flatMap { Int(String(cString: $0)) } ?? 1) > 1 ? 200 : 5

  /// What is said of the data and of background tasks, rule by rule.
  ///
  /// But for BT11: whether a save that nothing covers ends before the callback returns or behind it is
  /// luck in both worlds, which is what that rule is about.
  private static func said(_ verdicts: [Verdict]) -> Set<String> {
    Set(
      verdicts.compactMap { verdict in
        guard verdict.rule.hasPrefix("DS") || verdict.rule.hasPrefix("BT"), verdict.rule != "BT11"
        else { return nil }
        switch verdict.outcome {
        case .violated: return "\(verdict.rule) violated"
        case .undecidable(let reason): return "\(verdict.rule) undecidable: \(reason)"
        default: return nil
        }
      }
    )
  }

  @Test("Each form, with a background task and without", arguments: ConcurrentSave.followed)
  func form(_ form: ConcurrentSave) async throws {
    for usesTask in [true, false] {
      let played = try Self.play(form, usesTask: usesTask)
      let real = Self.said(played.verdicts())
      #expect(real.contains("DS02 violated") == (ConcurrentSave.isLong.contains(form) && !usesTask))
      for _ in 1...(ConcurrentSave.sleeps.contains(form) ? 1 : Self.times) {
        let (virtual, failures) = try await Self.simulated(form, usesTask)
        #expect(virtual == real, "\(form), \(usesTask)")
        #expect(failures.isEmpty)
      }
    }
  }

  @Test(
    "Timers and blocks of the main run loop run in a process",
    arguments: ConcurrentSave.onRunLoop
  )
  func runLoop(_ form: ConcurrentSave) throws {
    let played = try Self.play(form, usesTask: true)
    #expect(Self.said(played.verdicts()).isEmpty)
    #expect(!played.events(.dataDurable).isEmpty)
  }

  private static func play(_ form: ConcurrentSave, usesTask: Bool) throws -> Played {
    let folder = try TestFolder()
    let path = folder.path + "/list.json"
    let task = usesTask ? ["task"] : []
    let command = ["\(TestProgram.products)/Concurrent", form.rawValue, path] + task
    return try Played(try scenario, command: command) { try $0.play() }
  }

  private static var scenario: Scenario {
    get throws {
      // The system suspends the app 0.4 s after its callback, which is enough for a short save.
      try Scenario(
        parsing: "app: concurrent\ntime-scale: 4\nsteps: \(steps)\n",
        file: "concurrent.yml"
      )
    }
  }

  @MainActor
  private static func simulated(
    _ form: ConcurrentSave,
    _ usesTask: Bool
  ) throws -> (Set<String>, [ScenarioProblem]) {
    let folder = try TestFolder()
    let life = try Simulator(try scenario) {
      ConcurrentDelegate(form: form, path: folder.path + "/list.json", usesTask: usesTask)
    }.play()
    return (said(life.verdicts), life.report.failures)
  }
}
