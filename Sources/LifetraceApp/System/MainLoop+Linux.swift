// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
import Dispatch
@preconcurrency import Glibc
import LifetraceAppProtocol

/// The main run loop of a process on Linux: the host's events and the main queue, on the main thread.
///
/// `dispatchMain()` would hand the main queue to a worker thread and leave the
/// main thread behind as a husk, in which a stop cannot be seen. So the loop
/// serves the main queue itself, by the two entry points that libdispatch
/// keeps for CoreFoundation: a descriptor that becomes readable when the queue
/// has work, and a function that drains it. `@MainActor` code runs as usual.
@MainActor
enum MainLoop {
  static func run(_ application: Application, _ surroundings: ProcessSurroundings) -> Never {
    let queue = mainQueueHandle()
    for line in surroundings.received() { serve(line, application, surroundings) }
    while true {
      var descriptors = [
        pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: surroundings.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&descriptors, nfds_t(surroundings.descriptor < 0 ? 1 : 2), -1)
      if ready < 0 && errno != EINTR { surroundings.endProcess() }
      guard ready > 0 else { continue }
      if descriptors[0].revents != 0 {
        var count: UInt64 = 0
        _ = read(queue, &count, 8)
        AppTrace.turn("main queue", id: application.nextIdentity()) {
          drainMainQueue(nil)
          application.drawViews()
        }
        fflush(stdout)
      }
      if descriptors[1].revents != 0 {
        for line in surroundings.receive() { serve(line, application, surroundings) }
      }
    }
  }

  private static func serve(
    _ line: HostLine,
    _ application: Application,
    _ surroundings: ProcessSurroundings
  ) {
    guard case .event(let number, let event) = line else { return }
    let reply = application.handle(event)
    // A line that has begun would be lost with an app that is purged: its buffer goes with it.
    fflush(stdout)
    surroundings.send(.done(number: number, reply: reply))
    if event == .terminate { surroundings.endProcess() }
  }
}

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private func drainMainQueue(_ message: UnsafeMutableRawPointer?)
#endif
