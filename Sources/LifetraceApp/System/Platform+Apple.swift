// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
import Dispatch
package import LifetraceAppProtocol

// Untested: nothing here has been compiled or run on an Apple platform. There the system itself
// plays the life cycle and UIKit is the runtime; an app core that imports this module gets real
// queues and no host, and its delegate is called by a UIApplicationDelegate that forwards to it.

/// The world of an app on an Apple platform: real time, real queues, and no host to report to.
package final class ProcessSurroundings: Surroundings {
  package let system = HostLine.Welcome()

  init(_ configuration: Application.Configuration) {}

  package var now: Int64 { Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC)) }
  package var dataDirectory: String? { nil }
  package func send(_ message: AppMessage) {}
  package func pause(nanoseconds: Int64) { usleep(UInt32(clamping: nanoseconds / 1000)) }
  package func endProcess() {}

  package func enqueue(
    _ work: @escaping @Sendable () -> Void,
    on queue: WorkQueue,
    after delay: Int64
  ) {
    queue.dispatch?.asyncAfter(deadline: .now() + .nanoseconds(Int(delay)), execute: work)
  }
}

extension Application {
  /// Makes the application object; call it in `application(_:didFinishLaunchingWithOptions:)`.
  public static func attach(
    configuration: Configuration,
    delegate makeDelegate: @autoclosure () -> any ApplicationDelegate
  ) {
    let application = Application(
      configuration: configuration,
      surroundings: ProcessSurroundings(configuration)
    )
    current.withLock { $0 = application }
    application.start(makeDelegate())
  }
}
#endif
