// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceLifecycle
import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace

/// What rules would say of a recording under another profile, as far as that decides it.
///
///     let other = try Rejudgement(timeline, by: judgement, under: .ios7)
///     other.news.map(\.rule)           // what would be broken, and is not
///     other.act?.place                 // up to here: there the system would have done otherwise
///
/// Another system judges otherwise, and does otherwise: it ends an app sooner, or lets it live on. From
/// the first such act on the app would have lived another life, so what is broken behind it is neither
/// here nor there: it is counted, and nothing is said of it.
package struct Rejudgement: Sendable {
  /// Where the other system would have done otherwise.
  package struct Act: Sendable {
    /// What it would have done.
    package enum What: Sendable, Equatable {
      /// It would have ended the app, for what that rule is about.
      case kills(rule: String)
      /// It would not have ended the app, as the recorded one did.
      case spares(rule: String)
      /// It would have given a background task more time, or less.
      case grants
      /// It moves an app otherwise at a lock, a launch in the background or a kill by the user.
      case moves
    }

    package var what: What
    package var stream: StreamID
    /// When, on the axis of the recording.
    package var time: TraceTime
    /// The last event before it; nil at the start.
    package var place: EventPlace?
  }

  /// The first of them; nil where the recording may stand as it is.
  package let act: Act?
  /// Broken under the other profile before the act, and not as it was judged.
  package let news: [Finding]
  /// Broken as it was judged before the act, and not under the other profile.
  package let gone: [Finding]
  /// How many are broken under both before the act.
  package let sameCount: Int
  /// How many verdicts of the judgement stand behind the act: nothing is said of them.
  package let struckCount: Int

  /// Judges twice; `progress` hears how many events are judged of twice as many.
  package init(
    _ timeline: Timeline,
    by judgement: Judgement,
    under profile: Profile,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) {
    var other = judgement
    other.profile = profile
    let before = try Findings(
      timeline,
      by: judgement,
      isInterrupted: isInterrupted,
      progress: progress
    ).violations
    let count = timeline.count
    let after = try Findings(timeline, by: other, isInterrupted: isInterrupted) {
      progress(count + $0)
    }.violations
    let acts = try Self.acts(timeline, other, judgement, profile, isInterrupted)
    let act = acts.min { $0.time < $1.time }
    func stands(_ finding: Finding) -> Bool {
      if Self.isOfTheSystem(finding) { return false }
      guard let act else { return true }
      return finding.time.map { $0 < act.time } ?? false
    }
    let (old, new) = (before.filter(stands), after.filter(stands))
    let (oldKeys, newKeys) = (Set(old.map(Key.init)), Set(new.map(Key.init)))
    self.act = act
    news = new.filter { !oldKeys.contains(Key($0)) }
    gone = old.filter { !newKeys.contains(Key($0)) }
    sameCount = old.count - gone.count
    struckCount = before.count { !Self.isOfTheSystem($0) } - old.count
  }

  /// Whether it is about the system, which was the recorded one.
  static func isOfTheSystem(_ finding: Finding) -> Bool { finding.rule.hasPrefix("SY") }

  /// What makes two findings of two checks the same one.
  private struct Key: Hashable {
    var rule: String
    var stream: StreamID
    var sequence: UInt64
    var object: String
    var severity: Severity

    init(_ finding: Finding) {
      (rule, stream, sequence) = (finding.rule, finding.stream, finding.sequence)
      (object, severity) = (finding.object, finding.severity)
    }
  }

  // MARK: Acts

  private static func acts(
    _ timeline: Timeline,
    _ other: Judgement,
    _ judgement: Judgement,
    _ profile: Profile,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> [Act] {
    let ids = other.table.infos.map(\.id)
    // What the recorded system let pass, the other one may let pass too.
    let recorded = try margins(timeline, other.table, nil, isInterrupted)
    let passed = Set(recorded.map(Passed.init))
    var acts: [Act] = []
    for margin in try margins(timeline, other.table, profile, isInterrupted) {
      guard let kill = margin.kill, !passed.contains(Passed(margin)) else { continue }
      let place = timeline.place(of: margin.stream, sequence: margin.sequence)
      if margin.isKilled, margin.length <= kill.above {
        guard let place else { continue }
        let time = timeline.time(of: timeline.event(at: place))
        acts.append(Act(what: .spares(rule: ids[margin.rule]), margin.stream, time, timeline))
      } else if margin.length > kill.above {
        let time = timeline.alignment.traceTime(
          kill.since.advanced(by: kill.above),
          of: margin.stream
        )
        let isExpiry = ids[margin.rule] == "DL05"
        let what = isExpiry ? Act.What.grants : .kills(rule: ids[margin.rule])
        acts.append(Act(what: what, margin.stream, time, timeline))
      }
    }
    return acts + (try habits(timeline, judgement, profile, isInterrupted))
  }

  /// For what a system acts, whichever rules are asked for; `profile` nil is the recorded one.
  private static func margins(
    _ timeline: Timeline,
    _ table: RuleSet,
    _ profile: Profile?,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> [Margin] {
    var checker = Judgement(profile: profile, of: table).checker
    checker.measureNearest()
    try timeline.tellMessages(to: &checker, isInterrupted: isInterrupted)
    var judge = Judge(timeline, checker)
    try judge.judge(timeline.lives) { _, step throws(SearchInterrupted) in
      if step.events != nil, isInterrupted() { throw SearchInterrupted() }
      return true
    }
    return judge.checker.acts
  }

  /// A length of time, and from when on the system acts for it.
  private struct Passed: Hashable {
    var rule: Int
    var stream: StreamID
    var sequence: UInt64
    var begin: UInt64?
    var above: Int64?

    init(_ margin: Margin) {
      (rule, stream, sequence) = (margin.rule, margin.stream, margin.sequence)
      (begin, above) = (margin.begin, margin.kill?.above)
    }
  }

  /// Where the habits of the two systems differ, the first occasion of each stream.
  private static func habits(
    _ timeline: Timeline,
    _ judgement: Judgement,
    _ profile: Profile,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> [Act] {
    var acts: [Act] = []
    for (number, stream) in timeline.streams.enumerated() {
      let recorded =
        Profile.named(stream.attributes.profile) ?? judgement.profile ?? .standard
      let habits = Habits(recorded, profile)
      guard habits.differ else { continue }
      var found: Act?
      var isStopped = false
      timeline.pass(0..<stream.count, of: number) { events, names in
        isStopped = isInterrupted()
        for index in events.indices where found == nil && !isStopped {
          guard let what = habits.act(at: events[index], names) else { continue }
          let time = timeline.time(of: events[index])
          found = Act(what: what, stream.id, time, timeline)
        }
        return found == nil && !isStopped
      }
      if isStopped { throw SearchInterrupted() }
      if let found { acts.append(found) }
    }
    return acts
  }
}

extension Rejudgement.Act {
  fileprivate init(what: What, _ stream: StreamID, _ time: TraceTime, _ timeline: Timeline) {
    (self.what, self.stream, self.time) = (what, stream, time)
    place = timeline.eventBefore(timeline.position(at: time))
  }
}

/// In what two systems differ besides the deadlines of what an app does.
private struct Habits {
  let grants: Bool
  let locks: Bool
  let userKills: Bool
  let backgroundLaunches: Bool

  init(_ one: Profile, _ other: Profile) {
    grants =
      one.backgroundTask != other.backgroundTask || one.processingTask != other.processingTask
    locks =
      one.lockEndsIn != other.lockEndsIn || one.queuesProtectedData != other.queuesProtectedData
    userKills = one.terminateOnUserKill != other.terminateOnUserKill
    backgroundLaunches = one.backgroundLaunchIsEntering != other.backgroundLaunchIsEntering
  }

  var differ: Bool { grants || locks || userKills || backgroundLaunches }

  /// What the other system does there that the recorded one did not; nil for nothing.
  func act(at event: Event, _ names: Names) -> Rejudgement.Act.What? {
    switch event.kind {
    case .taskExpire: return grants ? .grants : nil
    case .device where locks:
      return ["lock", "unlock"].contains(names[Payload.Device(event).what]) ? .moves : nil
    case .processExit where userKills:
      let cause = names[Payload.ProcessExit(event).cause]
      return cause == TerminationCause.user.rawValue ? .moves : nil
    case .transition where backgroundLaunches:
      let change = Payload.Transition(event)
      return change.from.value == .notRunning && change.to.value == .background ? .moves : nil
    default: return nil
    }
  }
}
