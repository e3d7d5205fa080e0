// SPDX-License-Identifier: Apache-2.0
import Lifetrace
package import LifetraceScenario
package import LifetraceApp
import LifetracePlatform
import Synchronization
import LifetraceTraceFile

/// The simulations of one test, until it is known whether their traces are worth keeping.
///
/// It knows no test library: the trait and the XCTest helper say how the test went.
package final class PlayedLives: Sendable {
  @TaskLocal static var current: PlayedLives?

  let test: String
  /// The module of the test: names of tests are not unique among packages.
  private let module: String
  private let suite: String
  let scenario: Scenario
  /// The source file of the test.
  private let file: String
  private let simulators = Mutex<[Simulator]>([])
  /// Distinguishes the traces of one process, whichever test they belong to.
  private static let lastNumber = Atomic<Int>(0)

  package init(test: String, suite: String, module: String, file: String, scenario: Scenario) {
    self.test = test
    self.suite = suite
    self.module = module
    self.file = file
    self.scenario = scenario
  }

  /// A simulator of the scenario, with the beginning of the test in its device's stream.
  @MainActor
  package func simulator(
    configuration: Application.Configuration?,
    delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
  ) -> Simulator {
    let simulator = Simulator(
      scenario,
      configuration: configuration,
      file: file,
      delegate: delegate
    )
    simulator.beginTest(named: test, of: suite)
    simulators.withLock { $0.append(simulator) }
    return simulator
  }

  /// Writes the traces of a test that failed, or whose scenario did, and says how to look at them.
  ///
  /// - Parameters:
  ///   - outcome: How the test failed; nil when it did not.
  ///   - fail: Makes the test fail for a step of the scenario.
  /// - Returns: Whether there was such a failure.
  @MainActor
  package func keep(outcome: String?, fail: (String) -> Void) -> Bool {
    var isFailed = false
    for simulator in simulators.withLock({ $0 }) {
      let failures = simulator.life.report.failures
      for failure in failures { fail(failure.text(file: scenario.file)) }
      guard let outcome = outcome ?? (failures.isEmpty ? nil : "failed") else { continue }
      isFailed = true
      simulator.endTest(outcome: outcome)
      let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
      let words = [Self.word(module), Self.word(test), "\(getpid())", "\(number)"]
      let path = Self.directory + "/" + words.joined(separator: "-") + ".lifetrace"
      do {
        try simulator.life.write(to: path)
        print("kept the trace: lifetrace replay \(path)")
        if !simulator.life.checker.hasData {
          print("no data object was declared: nothing about losses was judged")
        }
      } catch {
        print("could not keep the trace at \(path): \(error)")
      }
    }
    return isFailed
  }

  /// How the test ended, for the recording around it, which is told what nobody has asked for:
  /// `passed; its life broke DL02`.
  @MainActor
  package func outcome(isFailed: Bool) -> String {
    if isFailed { return "failed" }
    guard Lifetrace.isEnabled else { return "passed" }
    let broken = Set(simulators.withLock { $0 }.flatMap(\.unaskedViolations)).sorted()
    return broken.isEmpty ? "passed" : "passed; its life broke \(broken.joined(separator: ", "))"
  }

  /// `LIFETRACE_KEEP`, made where it is not there yet, else the directory for temporary files.
  private static var directory: String {
    let fallback = value(of: "TMPDIR") ?? "/tmp"
    guard let wanted = value(of: "LIFETRACE_KEEP") else { return fallback }
    guard let problem = make(wanted) else { return wanted }
    print("cannot keep traces in \(wanted) (LIFETRACE_KEEP): \(problem); they go to \(fallback)")
    return fallback
  }

  private static func value(of name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Makes a directory with those above it; returns the obstacle, or nil.
  private static func make(_ path: String) -> String? {
    var facts = stat()
    if stat(path, &facts) == 0 {
      return facts.st_mode & S_IFMT == S_IFDIR ? nil : errnoText(ENOTDIR)
    }
    let above = path.split(separator: "/").dropLast().joined(separator: "/")
    let parent = path.hasPrefix("/") ? "/" + above : above
    if !parent.isEmpty, let problem = make(parent) { return problem }
    // Another process of the same tests may have made it meanwhile.
    return mkdir(path, 0o777) == 0 || errno == EEXIST ? nil : errnoText(errno)
  }

  private static func word(_ name: String) -> String {
    let parts = name.prefix { $0 != "(" }.split { !$0.isLetter && !$0.isNumber }
    return String(parts.joined(separator: "-").prefix(64))
  }
}
