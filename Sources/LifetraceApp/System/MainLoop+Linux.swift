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
/// has work, and a function that drains it. `@MainActor` code runs as usual. Where the app links
/// Foundation, timers and sources of the main run loop are served too.
@MainActor
enum MainLoop {
  /// Milliseconds after which the run loop is asked what other threads have given it: nobody says so.
  private static let runLoopInterval: Int32 = 50

  static func run(_ application: Application, _ surroundings: ProcessSurroundings) -> Never {
    let queue = mainQueueHandle()
    let runLoop = ThreadRunLoop()
    for line in surroundings.received() { serve(line, application, surroundings) }
    while true {
      var descriptors = [
        pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: surroundings.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let limit = runLoop.map { min($0.untilNextTimer ?? runLoopInterval, runLoopInterval) } ?? -1
      let ready = poll(&descriptors, nfds_t(surroundings.descriptor < 0 ? 1 : 2), limit)
      if ready < 0 && errno != EINTR { surroundings.endProcess() }
      if let runLoop { serve(runLoop, application, isIdle: ready == 0) }
      guard ready > 0 else { continue }
      if descriptors[0].revents != 0 {
        var count: UInt64 = 0
        _ = read(queue, &count, 8)
        application.serveMainQueue { drainMainQueue(nil) }
        fflush(stdout)
      }
      if descriptors[1].revents != 0 {
        for line in surroundings.receive() { serve(line, application, surroundings) }
      }
    }
  }

  /// A timer that fires is a turn; what else there may be is looked for when nothing else is to do.
  private static func serve(
    _ runLoop: ThreadRunLoop,
    _ application: Application,
    isIdle: Bool
  ) {
    if runLoop.untilNextTimer == 0 {
      AppTrace.turn("timer", id: application.nextIdentity()) {
        runLoop.serve()
        application.drawViews()
      }
    } else if isIdle {
      runLoop.serve()
      application.drawViews()
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
