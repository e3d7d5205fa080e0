// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceLifecycle
import LifetraceScenario
import LifetraceTesting
import LifetraceTrace
import Synchronization
import Testing

/// A background task is refused when no time is left, which is recorded; and granted while there is
/// some, and on the way to the screen.
@MainActor
struct RefusedTaskTests {
  private final class Uploads: ApplicationDelegate {
    let granted = Mutex<[Bool]>([])
    private var sync = BackgroundTaskIdentifier.invalid

    private func ask(_ application: Application) {
      let task = application.beginBackgroundTask(withName: "upload") {}
      granted.withLock { $0.append(task != .invalid) }
      if task != .invalid { application.endBackgroundTask(task) }
    }

    func applicationDidEnterBackground(_ application: Application) {
      sync = application.beginBackgroundTask(withName: "sync") { [self] in
        while application.backgroundTimeRemaining > 0 { application.pass(seconds: 0.5) }
        ask(application)
        application.endBackgroundTask(sync)
      }
    }

    func applicationWillEnterForeground(_ application: Application) { ask(application) }
  }

  @Test func aRefusalIsAnEvent() throws {
    let steps = "[launch, home, {wait: 40s}, open, {wait: 1s}]"
    let scenario = try Scenario(parsing: "app: uploads\nsteps: \(steps)\n", file: "uploads.yml")
    let app = Uploads()
    let life = try Simulator(scenario) { app }.play()
    #expect(app.granted.withLock { $0 } == [false, true])
    let begun = life.streams.flatMap(\.events).filter { $0.kind == .taskBegin }
      .map { Payload.TaskBegin($0) }
    #expect(begun.map(\.isRefused) == [false, true, false])
    #expect(begun.map { life.names[$0.name] } == ["sync", "upload", "upload"])
    // Neither is it open, nor is the task on the way to the screen begun too late.
    #expect(
      life.violations.allSatisfy { !["BT01", "BT04"].contains($0.rule) },
      "\(life.violations)"
    )
  }
}
