// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceTesting
import LifetraceTrace
import Testing

/// A simulated app has a folder for its data as a process has: its own, and of this run.
@Suite("The data folder of simulated apps")
@MainActor
struct DataDirectoryTests {
  private func found(_ head: String) throws -> [UInt64] {
    let text = "\(head)\nsteps: [launch, home, suspend, purge, relaunch]\n"
    let scenario = try Scenario(parsing: text, file: "data.yml")
    let life = try Simulator(scenario) { Keeper() }.play()
    #expect(life.violations.isEmpty, "\(life.violations)")
    return life.events(.dataRestored).map { Payload.DataRestored($0).version }
  }

  @Test("A run begins without files, and a launch finds those of the one before")
  func isFresh() throws {
    for _ in 1...2 { #expect(try found("app: keeper") == [0, 1]) }
  }

  @Test("`data: keep` gives none")
  func isKept() throws {
    #expect(try found("app: keeper\ndata: keep").isEmpty)
  }
}

@MainActor
private final class Keeper: ApplicationDelegate {
  private let list = Lifetrace.Object("list")

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    guard let folder = application.dataDirectory else { return true }
    let path = folder + "/list"
    guard let found = try? Lifetrace.restore(list, from: path) else { return save(to: path) }
    return !found.bytes.isEmpty
  }

  private func save(to path: String) -> Bool {
    list.dirty(bytes: 1)
    try? Lifetrace.save(list, to: path) { [1] }
    return true
  }
}
