// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceApp
import LifetracePlatform
import LifetraceScenario
import LifetraceTesting
import Support
import Synchronization
import Testing

/// No simulation leaves a folder behind, whatever its apps were in the middle of.
@Suite("What is left of the folders of simulations")
@MainActor
struct SimulatedFolderTests {
  /// What holds an app when its simulation is over.
  enum Form: String, CaseIterable {
    case nothing, sleepingTask, delayedWork, plannedEnd
  }

  @Test("A folder goes with its simulation", arguments: Form.allCases)
  func goes(_ form: Form) throws {
    let found = FoundFolder()
    let launch = form == .plannedEnd ? "{launch: {ends: purge, after: 1000000}}" : "launch"
    let text = "app: held\nsteps: [\(launch), home, suspend, purge]\n"
    let scenario = try Scenario(parsing: text, file: "held.yml")
    _ = try Simulator(scenario) { HeldApp(form, found) }.play()
    let path = try #require(found.path)
    #expect(access(path, F_OK) != 0, "\(path)")
  }

  @Test("The rest goes with the process, or with the next one where it was killed")
  func goesWithProcess() throws {
    let folder = try TestFolder()
    func simulate(_ form: String) -> TestProgram.Outcome {
      TestProgram.shell(
        """
        LIFETRACE_ALONE=1 TMPDIR='\(folder.path)' '\(TestProgram.executable)' \
        --testing-library swift-testing --filter 'EndingSimulations/\(form)' 2>&1
        """
      )
    }
    let killed = simulate("isKilled")
    #expect(killed.code == 128 + SIGKILL, "\(killed)")
    let left = folder.names
    #expect(left.count == 1, "\(left)")
    let ended = simulate("exits")
    #expect(ended.code == TestProgram.allWell, "\(ended)")
    #expect(folder.names.isEmpty, "\(folder.names)")
  }
}

/// Simulations that go on when their process ends.
@Suite(.enabled(if: TestProgram.isAlone))
@MainActor
struct EndingSimulations {
  private func live() throws -> Simulator {
    let found = FoundFolder()
    let scenario = try Scenario(parsing: "app: held\nsteps: [launch]\n", file: "held.yml")
    let simulator = Simulator(scenario) { HeldApp(.nothing, found) }
    _ = try simulator.play()
    let path = try #require(found.path)
    #expect(access(path, F_OK) == 0)
    return simulator
  }

  @Test func isKilled() throws {
    let simulator = try live()
    withExtendedLifetime(simulator) { _ = kill(getpid(), SIGKILL) }
  }

  @Test func exits() throws {
    let simulator = try live()
    withExtendedLifetime(simulator) { exit(TestProgram.allWell) }
  }
}

/// The folder that an app was given.
private final class FoundFolder: Sendable {
  private let found = Mutex<String?>(nil)
  var path: String? { found.withLock { $0 } }
  func note(_ path: String?) { found.withLock { $0 = path } }
}

@MainActor
private final class HeldApp: ApplicationDelegate {
  private let form: SimulatedFolderTests.Form
  private let found: FoundFolder
  private var count = 0

  init(_ form: SimulatedFolderTests.Form, _ found: FoundFolder) {
    (self.form, self.found) = (form, found)
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    found.note(application.dataDirectory)
    switch form {
    case .nothing, .plannedEnd: break
    case .sleepingTask:
      Task { @MainActor in
        try? await Task.sleep(for: .seconds(3600))
        self.touch(application)
      }
    case .delayedWork:
      WorkQueue.main.asyncAfter(seconds: 3600) {
        MainActor.assumeIsolated { self.touch(application) }
      }
    }
    return true
  }

  private func touch(_ application: Application) {
    count += 1
    found.note(application.dataDirectory)
  }
}
