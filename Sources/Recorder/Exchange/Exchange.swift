// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import Dispatch
import LifetraceLifecycle
import LifetraceTrace
import Synchronization

/// What other threads and the recorder's thread have to say to each other.
///
/// Under one lock, because times are taken under it as well: an event submitted before the recorder
/// takes T has a time before T.
final class Exchange: Sendable {
  struct State: Sendable {
    var clock: HostClock
    var mailbox = Mailbox()
    var registry = ProcessRegistry()
    var listeners = Listeners()

    /// It is known now where these belong.
    mutating func put(_ printed: [Submission], into writer: WriterID) {
      for var submission in printed {
        submission.subject = .writer(writer)
        mailbox.put(submission)
      }
    }
  }

  let state: Mutex<State>
  let exits = ExitBoard()
  let journal: SubmissionJournal
  let wakeUp: Int32
  /// Signalled to end the wait for room at the end.
  let holdEnd = DispatchSemaphore(value: 0)

  init(clock: HostClock, journal: SubmissionJournal) {
    self.journal = journal
    state = Mutex(State(clock: clock))
    wakeUp = cplatform_event_fd()
  }

  /// Submits an event and returns its time.
  func submit(_ event: RecordedEvent, about subject: Submission.Subject) -> HostTime {
    state.withLock { state in
      let submission = kept(event, about: subject, &state.clock)
      state.mailbox.put(submission)
      return submission.time
    }
  }

  /// Text printed by a process that may join yet; if it never joins, the text goes into `device`.
  ///
  /// Returns how many events the recorder has not taken yet.
  func submit(_ event: RecordedEvent, printedBy pid: Int32, device: WriterID) -> Int {
    state.withLock { state in
      if let writer = state.registry.stream(printedTo: pid, device: device) {
        state.mailbox.put(kept(event, about: .writer(writer), &state.clock))
      } else {
        state.registry.keepEarly(kept(event, about: .printer(pid), &state.clock), of: pid)
      }
      return state.mailbox.submissions.count
    }
  }

  /// With its time, and with its record in the journal: from here on a kill does not take it.
  private func kept(
    _ event: RecordedEvent,
    about subject: Submission.Subject,
    _ clock: inout HostClock
  ) -> Submission {
    var submission = Submission(
      subject: subject,
      event: event,
      time: event.time ?? clock.now()
    )
    submission.place = journal.keep(submission)
    return submission
  }

  /// A process is about to be started.
  func beginLaunch() { state.withLock { $0.mailbox.beginLaunch() } }

  /// It runs under that number; nil where it could not be started.
  func endLaunch(_ pid: Int32?) {
    state.withLock { $0.mailbox.endLaunch(pid) }
    if pid != nil { command(.launched) }
  }

  func command(_ command: RecorderCommand) {
    let result = state.withLock { $0.mailbox.put(command) }
    guard let result else { return cplatform_event_post(wakeUp) }
    command.answer?.give(result.problem)
  }

  /// The end, answered to all that wait, also to those too late for the recorder's thread.
  func end(
    _ result: Result<RecordingSummary, RecorderError>,
    for waiting: [RecorderCommand.Answer]
  ) {
    let late = state.withLock { $0.mailbox.end(result) }
    for answer in waiting + late { answer.give(result.problem) }
  }

  func now() -> HostTime { state.withLock { $0.clock.now() } }
}

extension Result where Failure == RecorderError {
  fileprivate var problem: RecorderError? {
    if case .failure(let problem) = self { problem } else { nil }
  }
}
