// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import Dispatch
import LifetraceLifecycle
import Synchronization
import LifetraceTrace

/// What other threads hand to the recorder's thread, and what it tells them.
final class Shared: Sendable {
  /// An event on its way, with the time of its handing over.
  struct Post: Sendable {
    var subject: Subject
    var event: RecordedEvent
    var time: HostTime
    /// Where it is kept for the case that the recorder is killed.
    var place: PostJournal.Place?
  }

  /// Whose stream an event belongs into.
  enum Subject: Sendable {
    case writer(WriterID)
    /// The process of that number, also when it has not joined yet.
    case process(Int32)
    /// The same of what a process has printed: of one that never joins it is the device's.
    case printer(Int32)
  }

  /// Who wants to hear of events, and of which kinds.
  struct Watch: Sendable {
    var kinds: Set<EventKind>
    var tell: @Sendable ([Sighting]) -> Void
  }

  /// Something for the recorder's thread to do.
  enum Command: Sendable {
    case launched
    case identified(pid: Int32, app: String, previous: WriterID?)
    case flush(Answer)
    case drained(Answer)
    case snapshot(Answer)
    case deviceReboot
    case stop(Answer)
    case discard

    /// Where somebody waits for it to be done.
    var answer: Answer? {
      switch self {
      case .flush(let answer), .drained(let answer), .snapshot(let answer), .stop(let answer):
        answer
      case .launched, .identified, .deviceReboot, .discard: nil
      }
    }
  }

  /// What the recorder's thread has to say to a command.
  final class Answer: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let problem = Mutex<RecorderError?>(nil)

    func give(_ problem: RecorderError? = nil) {
      self.problem.withLock { $0 = problem }
      done.signal()
    }

    /// Nil when it is done.
    func wait() -> RecorderError? {
      done.wait()
      return problem.withLock { $0 }
    }
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
    /// What processes have printed of which it is not known yet whether they join.
    var early: [Int32: [Post]] = [:]
    /// Those that are recorded from outside: what they print is the device's.
    var outsiders: Set<Int32> = []
    /// Of those that were launched, have joined and ended: their last words may come after them.
    var ended: [Int32: WriterID] = [:]
    var exitBodies: [@Sendable (ProcessExit) -> Void] = []
    var watch: Watch?
    var problemBodies: [@Sendable (String) -> Void] = []
    var crashBodies: [@Sendable (String) -> Void] = []
    var hasLaunched = false
    /// Launches that have begun and not come to their end: whose children some forks are is not
    /// known before.
    var launching = 0
    /// Those that were launched, until the recorder's thread knows of them.
    var launches: [Int32] = []
    /// How it has ended; the recorder's thread takes no command any more.
    var result: Result<RecordingSummary, RecorderError>?

    /// It is known now where what was said about the process belongs.
    mutating func settleEarly(_ pid: Int32, writer: WriterID) {
      for var post in early.removeValue(forKey: pid) ?? [] {
        post.subject = .writer(writer)
        posts.append(post)
      }
    }
  }

  let state: Mutex<State>
  let exits = ExitBoard()
  let journal: PostJournal
  let wakeUp: Int32
  /// Given by who ends the wait for room at the end.
  let holdEnd = DispatchSemaphore(value: 0)

  init(clock: HostClock, journal: PostJournal) {
    self.journal = journal
    state = Mutex(State(clock: clock))
    wakeUp = cplatform_event_fd()
  }

  /// Times are taken under the lock, so that what is posted before the recorder takes T has a time before T.
  func post(_ event: RecordedEvent, about subject: Subject) -> HostTime {
    state.withLock { state in
      let post = kept(event, about: subject, &state.clock)
      state.posts.append(post)
      return post.time
    }
  }

  static var earlyMax: Int { 10_000 }

  /// What a process has printed that may join yet; of one that does not it is put into `device`.
  ///
  /// Returns how many events the recorder has not taken yet.
  func post(_ event: RecordedEvent, printedBy pid: Int32, device: WriterID) -> Int {
    state.withLock { state in
      if let writer = state.writerOfPID[pid] ?? state.ended[pid] {
        let post = kept(event, about: .writer(writer), &state.clock)
        state.posts.append(post)
      } else if state.outsiders.contains(pid) || state.early[pid]?.count ?? 0 >= Self.earlyMax {
        let post = kept(event, about: .writer(device), &state.clock)
        state.posts.append(post)
      } else {
        let post = kept(event, about: .printer(pid), &state.clock)
        state.early[pid, default: []].append(post)
      }
      return state.posts.count
    }
  }

  /// With its time, and with its record in the journal: from here on a kill does not take it.
  private func kept(_ event: RecordedEvent, about subject: Subject, _ clock: inout HostClock)
    -> Post
  {
    var post = Post(
      subject: subject,
      event: event,
      time: event.time ?? clock.now()
    )
    post.place = journal.keep(post)
    return post
  }

  /// Somebody is about to start a process.
  func beginLaunch() { state.withLock { $0.launching += 1 } }

  /// It runs under that number; nil where it could not be started.
  func endLaunch(_ pid: Int32?) {
    state.withLock { state in
      state.launching -= 1
      guard let pid else { return }
      state.hasLaunched = true
      state.launches.append(pid)
    }
    if pid != nil { command(.launched) }
  }

  /// After the end nobody reads commands: then the end is the answer.
  func command(_ command: Command) {
    let result = state.withLock { state in
      if state.result == nil { state.commands.append(command) }
      return state.result
    }
    guard let result else { return cplatform_event_post(wakeUp) }
    command.answer?.give(result.problem)
  }

  /// The end, told to those who wait, also where they have come too late for the recorder's thread.
  func end(_ result: Result<RecordingSummary, RecorderError>, for waiting: [Answer]) {
    let late = state.withLock { state in
      state.result = result
      defer { state.commands = [] }
      return state.commands.compactMap(\.answer)
    }
    for answer in waiting + late { answer.give(result.problem) }
  }

  func now() -> HostTime { state.withLock { $0.clock.now() } }
}

extension Result where Failure == RecorderError {
  fileprivate var problem: RecorderError? {
    if case .failure(let problem) = self { problem } else { nil }
  }
}
