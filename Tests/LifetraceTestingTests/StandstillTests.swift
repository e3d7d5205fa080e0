// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Lifetrace
import LifetraceApp
import LifetraceLifecycle
import LifetraceScenario
import LifetraceTesting
import Support
import TestThreads
import Testing

/// A callback that waits for what never comes ends the test, with its name; one that waits for longer
/// than a moment does not, and is judged no further.
@Suite("What stands still", .waits)
struct StandstillTests {
  @Test(
    "A wait that nothing ends",
    arguments: [
      ("semaphore", "a semaphore (dispatch_semaphore_wait)"),
      ("mainQueue", "its turn on a queue (dispatch_sync)"),
      ("condition", "a condition (pthread_cond_wait)"), ("file", "something outside virtual time"),
    ]
  )
  func neverEnds(form: String, what: String) {
    let run = TestProgram.runAlone("EndlessWaits/\(form)")
    #expect(run.code == 128 + SIGABRT, "\(run)")
    #expect(run.said.contains("notes waits in applicationDidEnterBackground for \(what)"), "\(run)")
    #expect(run.said.contains("LIFETRACE_STANDSTILL"), "\(run)")
  }

  @Test(
    "A wait for a thread on which other tests compute is waited for",
    arguments: ["mine", "others"]
  )
  func begins(form: String) {
    let run = TestProgram.runAlone("FullPools/\(form)")
    #expect(run.code == TestProgram.allWell, "\(run)")
  }

  @Test("A wait for work that sleeps ends with it, however long that is, and is judged")
  func sleeps() {
    let run = TestProgram.runAlone("EndlessWaits/sleeps")
    #expect(run.code == TestProgram.allWell, "\(run)")
  }

  @Test(
    "Work behind work that sleeps, on a queue that serves one at a time, is waited for and judged"
  )
  @MainActor
  func isBehind() throws {
    let life = try playWaiting {
      let queue = DispatchQueue(label: "saving")
      for _ in 0..<3 { queue.async { usleep(30_000) } }
    }
    #expect(life.undecided.isEmpty, "\(life.undecided)")
  }

  @Test("A wait for something outside is not judged")
  @MainActor
  func isOutside() throws {
    let outside = DispatchSemaphore(value: 0)
    // Nobody follows this thread: it was there before the app.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 2.5)
      outside.signal()
    }
    let life = try playWaiting { outside.wait() }
    #expect(life.violations.isEmpty, "\(life.violations)")
    let reasons = life.undecided.map { "\($0.outcome)" }
    #expect(reasons.contains { $0.contains("a wait of main") }, "\(reasons)")
  }
}

/// Waits that end the process in which they are tried.
@Suite(.enabled(if: TestProgram.isAlone))
@MainActor
struct EndlessWaits {
  init() { setenv("LIFETRACE_STANDSTILL", "1.5", 1) }

  @Test func semaphore() throws { _ = try playWaiting { DispatchSemaphore(value: 0).wait() } }

  @Test func mainQueue() throws {
    _ = try playWaiting {
      let queue = DispatchQueue(label: "saving")
      queue.async { DispatchQueue.main.sync {} }
      queue.sync {}
    }
  }

  @Test func condition() throws {
    _ = try playWaiting {
      let condition = NSCondition()
      condition.lock()
      condition.wait()
    }
  }

  /// This one has an end, behind a sleep for longer than a wait may last.
  @Test func sleeps() throws {
    let life = try playWaiting {
      let isSaved = DispatchSemaphore(value: 0)
      DispatchQueue(label: "saving").async {
        sleep(3)
        isSaved.signal()
      }
      isSaved.wait()
    }
    try #require(life.undecided.isEmpty, "\(life.undecided)")
    exit(TestProgram.allWell)
  }

  @Test func file() throws {
    _ = try playWaiting {
      var ends: [Int32] = [0, 0]
      var byte: UInt8 = 0
      _ = pipe(&ends)
      // A backtrace holds all threads by a signal, behind which the read would return.
      while read(ends[0], &byte, 1) < 0, errno == EINTR {}
    }
  }
}

/// Lives on a machine whose threads for work have other things to do, for longer than a wait may last.
@Suite(.enabled(if: TestProgram.isAlone))
@MainActor
struct FullPools {
  private static let seconds = 2.2

  init() {
    setenv("LIFETRACE_STANDSTILL", "1.5", 1)
    let end = DispatchTime.now() + Self.seconds
    for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      DispatchQueue.global().async { while DispatchTime.now() < end {} }
    }
  }

  /// The app's own work ends the wait, and is followed.
  @Test func mine() throws {
    let life = try playWaiting {
      let isSaved = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { isSaved.signal() }
      isSaved.wait()
    }
    try #require(life.undecided.isEmpty, "\(life.undecided)")
    exit(TestProgram.allWell)
  }

  /// What ends it is nobody's whom the simulation knows.
  @Test func others() throws {
    let outside = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { outside.signal() }
    _ = try playWaiting { outside.wait() }
    exit(TestProgram.allWell)
  }
}

/// Plays an app that waits on its way to the background.
@MainActor
private func playWaiting(_ wait: @escaping @MainActor @Sendable () -> Void) throws -> SimulatedLife
{
  let scenario = try Scenario(
    parsing: "app: notes\nsteps: [launch, home, suspend, purge]\n",
    file: "wait.yml"
  )
  return try Simulator(scenario) { Waiting(wait) }.play()
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
