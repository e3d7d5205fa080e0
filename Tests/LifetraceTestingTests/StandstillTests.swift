// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Lifetrace
import LifetraceApp
import LifetraceLifecycle
import LifetraceScenario
import LifetraceTesting
import TestThreads
import Testing

/// A callback that waits for what never comes ends the test, with its name; one that waits for longer
/// than a moment does not, and is judged no further.
@Suite("What stands still", .waits)
struct StandstillTests {
  @MainActor
  private static func play(_ wait: @escaping @MainActor @Sendable () -> Void) throws
    -> SimulatedLife
  {
    let scenario = try Scenario(
      parsing: "app: notes\nsteps: [launch, home, suspend, purge]\n",
      file: "wait.yml"
    )
    return try Simulator(scenario) { Waiting(wait) }.play()
  }

  @Test("A wait that nothing ends", arguments: ["semaphore", "main queue", "condition", "file"])
  func neverEnds(form: String) async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGABRT),
      observing: [\.standardErrorContent]
    ) { [form] in
      setenv("LIFETRACE_STANDSTILL", "1.5", 1)
      _ = try await Self.play {
        switch form {
        case "semaphore": DispatchSemaphore(value: 0).wait()
        case "condition":
          let condition = NSCondition()
          condition.lock()
          condition.wait()
        case "file":
          var ends: [Int32] = [0, 0]
          var byte: UInt8 = 0
          _ = pipe(&ends)
          _ = read(ends[0], &byte, 1)
        default:
          let queue = DispatchQueue(label: "saving")
          queue.async { DispatchQueue.main.sync {} }
          queue.sync {}
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let what = [
      "semaphore": "a semaphore (dispatch_semaphore_wait)",
      "main queue": "its turn on a queue (dispatch_sync)",
      "condition": "a condition (pthread_cond_wait)", "file": "something outside virtual time",
    ]
    let said = "notes waits in applicationDidEnterBackground for \(what[form] ?? "")"
    #expect(text.contains(said), "\(text)")
    #expect(text.contains("LIFETRACE_STANDSTILL"), "\(text)")
  }

  @Test("A wait for something outside is not judged")
  @MainActor
  func isOutside() throws {
    let outside = DispatchSemaphore(value: 0)
    // Nobody follows this queue: it was there before the app.
    DispatchQueue.global().asyncAfter(deadline: .now() + 2.5) { outside.signal() }
    let life = try Self.play { outside.wait() }
    #expect(life.violations.isEmpty, "\(life.violations)")
    let reasons = life.undecided.map { "\($0.outcome)" }
    #expect(reasons.contains { $0.contains("a wait of main") }, "\(reasons)")
  }
}

/// An app that waits in one callback.
@MainActor
private final class Waiting: ApplicationDelegate {
  private let wait: @MainActor @Sendable () -> Void
  private let draft = Lifetrace.Object("draft")

  init(_ wait: @escaping @MainActor @Sendable () -> Void) { self.wait = wait }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    draft.dirty(bytes: 8)
    return true
  }

  func applicationDidEnterBackground(_ application: Application) { wait() }
}
