// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// The call for which the system woke the app is reported in time, and before the wake is completed.
///
///     CallReport { scene, call in Story("no call was reported …", …) }
///
/// An app that is only seen from outside may not know how to say that it reports: for its wakes the
/// completion counts as the report, until it has said so once.
struct CallReport: Pattern {
  /// A wake for a call, and what became of it.
  struct Call: Sendable {
    let wake: Wake
    let outcome: Outcome
    /// Nanoseconds from the wake on.
    let length: Int64
  }

  enum Outcome: Sendable {
    case late
    /// The wake was completed without a report.
    case completed
    /// Nothing had been reported when the process or the recording ended.
    case unreported
    case killed
    case unclear
  }

  /// A wake for a call that is not answered yet.
  struct Wake: Opened {
    let id: UInt64
    let time: HostTime
    let sequence: UInt64
    let isSeenFromOutside: Bool
    var site: SiteID { .none }
  }

  /// More wakes at once are not followed.
  private static let wakesMax = 64
  let says: @Sendable (Scene, Call) -> Story
  private(set) var waiting: [Wake] = []
  /// Whose completion was taken for the report.
  private(set) var assumed: [Wake] = []
  /// The verdict on the last wake that was completed without a report, by its place among the rule's.
  private var blamed: Int?
  /// Whether a report was seen from outside: the app says when it makes one.
  private var saysReports = false

  init(says: @escaping @Sendable (Scene, Call) -> Story) { self.says = says }

  var attention: [Trigger] {
    [EventKind.wakeBegin, .wakeReported, .wakeCompletion].map(Trigger.event) + Trigger.endings
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .wakeBegin:
      guard names[Payload.WakeBegin(event).reason] == "voip",
        context.hasRoom(waiting.count, of: Self.wakesMax, for: "wake")
      else { return }
      let observer = event.observer
      waiting.append(
        Wake(
          id: event.identity,
          time: event.time,
          sequence: event.sequence,
          isSeenFromOutside: observer != .own
        )
      )
    case .purge, .processExit:
      guard context.state.process.ending == nil else { return }
      let isKilled = context.isKill(event, code: TerminationCode.badCall, names)
      if isKilled, waiting.isEmpty { tellKill(event, &context) }
      for call in waiting { judge(call, isKilled ? .killed : .unreported, event, &context, names) }
      waiting = []
    default:
      let id = event.identity
      if event.kind == .wakeReported { saysReports = true }
      guard let place = waiting.firstIndex(where: { $0.id == id }) else {
        guard event.kind == .wakeReported, let place = assumed.firstIndex(where: { $0.id == id })
        else { return }
        return judge(assumed.remove(at: place), .late, event, &context, names)
      }
      let call = waiting.remove(at: place)
      let isAssumed = event.kind != .wakeReported && call.isSeenFromOutside && !saysReports
      let isReport = event.kind == .wakeReported || isAssumed
      if isAssumed, assumed.count < Self.wakesMax { assumed.append(call) }
      judge(call, isReport ? .late : .completed, event, &context, names)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    for call in waiting { judge(call, .unreported, last, &context, names) }
  }

  /// The system kills for a call that was completed without a report: that verdict stands already.
  private mutating func tellKill(_ event: borrowing Event, _ context: inout RuleContext) {
    guard let place = blamed else { return }
    let (stream, sequence, time) = (context.stream, event.sequence, event.time)
    let name = EventName(writer: context.label, sequence: sequence)
    context.tallies.amend(
      context.current,
      place,
      "The system killed the app for it (\(event: name, of: stream)).",
      Witness(label: "killed", stream: stream, sequence: sequence, time: time)
    )
    blamed = nil
  }

  private mutating func judge(
    _ wake: Wake,
    _ outcome: Outcome,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let length = event.time - wake.time
    let limit = context.profile.voipReport
    let doubt: Sentence? =
      context.unseen(.wake, since: wake.time).map { "the report may be missing: \($0)" }
    var finding = Finding.broken()
    switch outcome {
    case .killed: break
    case .completed: finding = .broken(unless: doubt)
    case .late, .unreported, .unclear:
      let error = context.uncertainty(wake.time, event.time, flags: event.flags)
      // Behind a report that is missing a completion in its place is no late one.
      let missing = event.kind == .wakeReported ? nil : doubt
      let comparison = context.compare(
        length,
        limit.warn,
        error: error,
        since: wake.sequence,
        kill: (wake.time, limit.kill),
        doubt: missing
      )
      switch comparison {
      case .within where outcome == .late: finding = .held
      // What would have become of it is not known.
      case .within: return
      case .unclear(let reason): finding = .unclear(reason)
      case .over: finding = .broken(length > context.surely(limit.kill) ? .error : .warning)
      }
    }
    var told = outcome
    if case .unclear = finding { told = .unclear }
    let call = Call(wake: wake, outcome: told, length: length)
    let place = context.say(finding, event, names) { says($0, call) }
    if outcome == .completed { blamed = place }
  }
}
