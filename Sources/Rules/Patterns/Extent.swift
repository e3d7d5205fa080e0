// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What begins ends within a limit: judged where its clock stops.
///
///     Extent(ledger: .tasks, clock: { … }) { scene, task, late in Story("… was held for \(late.length) …", …) }
///
/// Its clock stops at its end, at the end of the process, or at that of the recording. A thing that
/// has no end then, and is not too long already, is undecidable.
struct Extent<Thing: Opened>: Sendable {
  /// How long something took, or has taken so far, and how long it may.
  struct Clock {
    /// Nanoseconds on the clock of the recording.
    var length: Int64
    /// From `warn` on it is too long, from `kill` on the system acts; nominal nanoseconds.
    var limit: Profile.Limit
    /// Since when it runs, where that is later than the begin of the thing.
    var since: HostTime?
    /// So long before its end the system acts first; nominal nanoseconds.
    var lead = Int64(0)
    /// Whether suspensions are taken out, so that one that was lost makes it doubtful.
    var isRunning = false
    /// Whether the limit is the app's own: exact, and never scaled.
    var isOwn = false
    /// Why it cannot be called over.
    var doubt: Sentence?
  }

  /// What stops a clock.
  enum Stop: Sendable {
    /// The thing's own end.
    case ended
    /// Its end, at a time that virtual time does not show.
    case endedUntimed
    /// A state in which the clock does not run.
    case paused
    case processEnded
    case recordingEnded
  }

  /// The story of the breach.
  enum Outcome: Sendable {
    case over
    /// It may be over.
    case unclear
    /// It has no end, and is not over.
    case open
  }

  /// The story of one of them.
  struct Late: Sendable {
    let outcome: Outcome
    let stop: Stop
    /// Nanoseconds on the clock of the recording.
    let length: Int64
    let limit: Profile.Limit
    /// Whether the system has killed the process for it.
    let isKilled: Bool
  }

  /// What is judged of those that the end of the process cuts short.
  enum Cut: Sendable {
    /// Each: in time so far is in time.
    case all
    /// Those that are over the limit already; what would have become of the others is unknown.
    case over
  }

  let ledger: Ledger<Thing>
  /// Its clock at a time; nil where none runs.
  let clock: @Sendable (Thing, HostTime, borrowing RuleContext, borrowing Names) -> Clock?
  /// The state of the app that stops the clock of all that are open, if one does.
  var pause: AppState?
  /// Whether the end of the process is a kill for it; nil where none is.
  var isKilled:
    (@Sendable (Thing, borrowing Event, borrowing RuleContext, borrowing Names) -> Bool)?
  /// Whether such a kill is for the oldest alone: its time was up first.
  var killsOldest = false
  var cut = Cut.all
  /// Whether one that is open at the end of the recording, and in time so far, is an occasion; it is
  /// none where nothing has to end it.
  var isOccasionWhileOpen = true
  /// Whether a breach is a warning up to the limit at which the system acts.
  var isGraded = false
  /// Why its clock cannot be read at all.
  var unknown: @Sendable (borrowing RuleContext) -> Sentence? = { _ in nil }
  /// What may hide an end before the one that was seen; nothing where identities tie the two.
  var earlierEnd: @Sendable (Thing, borrowing RuleContext) -> Sentence? = { _, _ in nil }
  let says: @Sendable (Scene, Thing, Late) -> Story

  var attention: [Trigger] {
    ledger.ends + Trigger.endings + (pause == nil ? [] : [.event(.transition)])
  }
}

extension Extent.Late {
  /// The story of `thing`, with its begin and what stopped its clock as witnesses.
  ///
  /// `reason` is why nothing can be said of one that has no end.
  func story(
    _ scene: Scene,
    _ thing: Thing,
    from begin: String = "begin",
    to end: String,
    open: Sentence,
    because reason: Sentence,
    unclear: Sentence,
    over: Sentence,
    _ details: [Sentence]
  ) -> Story {
    let first = scene.witness(begin, thing)
    switch outcome {
    case .open: return Story(open, [], [first], because: reason)
    case .unclear where stop == .endedUntimed: return Story(unclear, [], [first])
    case .unclear: return Story(unclear, [], [first, scene.here(end)])
    case .over:
      let inside = isKilled ? scene.mainDetails + scene.otherThreads : []
      return Story(over, details + inside, [first, scene.here(end)])
    }
  }
}

extension Profile.Limit {
  /// One limit for both.
  init(nanoseconds: Int64) {
    self.init(0)
    (warn, kill) = (nanoseconds, nanoseconds)
  }
}
