// SPDX-License-Identifier: Apache-2.0
package import LifetraceAppProtocol

/// What the runtime needs of the world: a clock, threads, and a host to report to.
///
/// There are two: the process under a host (or alone), and the simulator, where
/// time is virtual and every thread is played by one.
package protocol Surroundings: AnyObject, Sendable {
  /// What the host said when the app came.
  var system: HostLine.Welcome { get }
  /// Nanoseconds on the clock that the app lives by.
  var now: Int64 { get }
  /// The folder for the app's data; nil where the app keeps it elsewhere.
  var dataDirectory: String? { get }
  /// Sends `message` to the host.
  func send(_ message: AppMessage)
  /// Lets time pass on the calling thread.
  func pause(nanoseconds: Int64)
  /// Runs `work` on `queue` when `delay` nanoseconds have passed.
  func enqueue(
    _ work: @escaping @Sendable () -> Void,
    on queue: WorkQueue,
    after delay: Int64
  )
  /// Whether the system has ended the process while it was in a call: nothing further is called.
  ///
  /// A real process never sees that of itself.
  var isOver: Bool { get }
  /// Ends the process at once.
  func endProcess()
}

extension Surroundings {
  package var isOver: Bool { false }

  /// Nominal seconds as nanoseconds of this world: a host may play 5 s in 50 ms.
  ///
  /// A value that is no length of time is 0; one too long for a number is the longest there is.
  package func nanoseconds(_ seconds: Double) -> Int64 {
    let value = seconds * Double(system.timeScale) * 1_000_000
    guard value > 0 else { return 0 }
    return value < 9e18 ? Int64(value) : .max
  }

  /// The time that many nanoseconds from now.
  package func time(in nanoseconds: Int64) -> Int64 {
    let (time, isOver) = now.addingReportingOverflow(max(0, nanoseconds))
    return isOver ? .max : time
  }
}
