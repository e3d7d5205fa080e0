// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
public import Testing

/// Tests that mostly wait for processes run on threads of their own.
///
///     @Suite(.waits) struct RealEndingTests {}
///
/// A test that waits would hold one of the few threads on which all others compute: there are
/// only as many as the machine has processors. A suite of them needs not be serialized for the sake of
/// the machine: no more of them run at once than there are such threads.
public struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
  /// What is in a suite waits too.
  public var isRecursive: Bool { true }

  /// Runs the test where nobody who computes has to wait for it.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }

  /// A suite as a whole does nothing: its cases are what waits.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }
}

extension Trait where Self == WaitingTrait {
  /// The test mostly waits for processes.
  public static var waits: Self { Self() }
}

/// So many jobs at once, each on a thread that may be blocked.
final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads()
  /// Enough that somebody computes while the others wait, few enough that their processes have time.
  private static let count = 4

  private let jobs = Mutex<[UnownedJob]>([])
  private let waiting = DispatchSemaphore(value: 0)

  private init() {
    for number in 1...Self.count {
      DispatchQueue(label: "waiting \(number)").async { self.run() }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    waiting.signal()
  }

  private func run() {
    while true {
      waiting.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
