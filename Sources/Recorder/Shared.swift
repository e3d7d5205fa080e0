// SPDX-License-Identifier: Apache-2.0

import CSystem
import Dispatch
import Synchronization
import Trace

/// What other threads hand to the recorder's thread, and what it tells them.
final class Shared: Sendable {
  /// An event on its way, with the time of its handing over.
  struct Post: Sendable {
    var subject: Subject
    var event: RecordedEvent
    var time: HostTime
  }

  /// Whose stream an event belongs into.
  enum Subject: Sendable {
    case writer(WriterID)
    /// The process of that number, also when it has not joined yet.
    case process(Int32)
  }

  /// Who wants to hear of events, and of which kinds.
  struct Watch: Sendable {
    var kinds: Set<EventKind>
    var tell: @Sendable ([Sighting]) -> Void
  }

  /// Something for the recorder's thread to do.
  enum Command: Sendable {
    case launched(pid: Int32, group: Int32)
    case flush(DispatchSemaphore)
    case drained(DispatchSemaphore)
    case snapshot(DispatchSemaphore)
    case deviceReboot
    case stop(DispatchSemaphore)
  }

  struct State: Sendable {
    var clock: HostClock
    var posts: [Post] = []
    var commands: [Command] = []
    var writerOfPID: [Int32: WriterID] = [:]
    var joinWaits: [Int32: [DispatchSemaphore]] = [:]
    var deaths: [Int32: Death] = [:]
    /// Why a process will exit by itself, where it was asked to.
    var expectedExits: [Int32: String] = [:]
    var suspended: Set<Int32> = []
    var exitBodies: [@Sendable (ProcessExit) -> Void] = []
    var watch: Watch?
    var result: Result<RecordingSummary, RecorderError>?
  }

  let state: Mutex<State>
  let exits = ExitBoard()
  let wakeUp: Int32

  init(clock: HostClock) {
    state = Mutex(State(clock: clock))
    wakeUp = csystem_event_fd()
  }

  /// Times are taken under the lock, so that what is posted before the recorder takes T has a time before T.
  func post(_ event: RecordedEvent, about subject: Subject) -> HostTime {
    state.withLock { state in
      let time = event.time ?? state.clock.fit.time(of: state.clock.tick)
      state.posts.append(Post(subject: subject, event: event, time: time))
      return time
    }
  }

  func command(_ command: Command) {
    state.withLock { $0.commands.append(command) }
    csystem_event_post(wakeUp)
  }

  func now() -> HostTime { state.withLock { $0.clock.fit.time(of: $0.clock.tick) } }
}
