// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What arrives is handled before the app is suspended, or ends.
///
///     Unhandled { scene, message, isSure in Story("… was not handled …", …) }
///
/// A message that arrives within work or a callback is handled when that is over, or in its last
/// lines, behind the end of the task that covered it; else with the next thing that the app reports.
/// An end that comes from outside, to an app that may run on, is nothing that it could have waited for.
struct Unhandled: Pattern {
  /// A message that has arrived.
  struct Arrival: Opened {
    let flow: UInt64
    let peer: NameID
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    /// The event that began what it arrived in; nil where nothing was open on its thread.
    let within: UInt64?
  }

  /// More than this at once are not followed, which is said.
  private static let arrivalsMax = 256
  let says: @Sendable (Scene, Arrival, _ isSure: Bool) -> Story
  private(set) var waiting: [Arrival] = []

  init(says: @escaping @Sendable (Scene, Arrival, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] {
    [
      EventKind.messageReceive, .messageSend, .workBegin, .workEnd, .callbackBegin, .callbackEnd,
      .turnEnd, .taskBegin, .taskEnd, .wakeCompletion, .dataDirty, .dataFlushing, .dataDurable,
      .log,
      .mark, .suspend, .transition, .purge, .processExit,
    ].map(Trigger.event)
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .messageReceive:
      handled(event, &context)
      guard context.hasRoom(waiting.count, of: Self.arrivalsMax, for: "arrival") else { return }
      let thread = event.thread
      let within = context.state.spans.values
        .filter { $0.thread == thread && Self.holders.contains($0.kind) }
        .max { $0.sequence < $1.sequence }
      waiting.append(
        Arrival(
          flow: event.identity,
          peer: Payload.MessageReceive(event).peer,
          time: event.time,
          sequence: event.sequence,
          site: event.site,
          within: within?.sequence
        )
      )
    case .suspend, .transition:
      if context.change?.suspends == true { judge(event, &context, names) }
    case .purge, .processExit:
      guard context.state.process.ending == nil, !HarnessEnd.isOne(names[event.endingCause])
      else { return }
      judge(event, &context, names)
    default: handled(event, &context)
    }
  }

  /// What a message may arrive in.
  private static let holders: [EventKind] = [.workBegin, .callbackBegin]

  /// The app reports something: what arrived in nothing is handled by it, and what arrived in what
  /// ends now by that.
  private mutating func handled(_ event: borrowing Event, _ context: inout RuleContext) {
    guard !waiting.isEmpty else { return }
    // A callback that the host reports is over with the host's word; what arrived in nothing waits for the
    // app's own.
    let (over, isOwn) = (context.closing?.sequence, event.observer == .own)
    let before = waiting.count
    waiting.removeAll { $0.within.map { $0 == over } ?? isOwn }
    for _ in waiting.count..<before { context.held() }
  }

  private mutating func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let isOutside = isTakenAway(event, context, names)
    for arrival in waiting {
      var doubt: Sentence?
      switch isOutside ? .within : lastLines(of: arrival, event, context) {
      case .within:
        context.held()
        continue
      case .over: break
      case .unclear(let reason): doubt = reason
      }
      for family in Self.families where doubt == nil {
        // Of what arrived in nothing, as it seems, the begin of what it arrived in may be missing.
        let since = arrival.within == nil ? HostTime(rawValue: .min) : arrival.time
        doubt = context.unseen(family, since: since).map {
          "what came of it may be missing: \($0)"
        }
      }
      // What keeps the app running may have begun long before.
      if doubt == nil, event.isEnd { doubt = context.doubtLuck(since: HostTime(rawValue: .min)) }
      context.say(.broken(unless: doubt), event, names) { says($0, arrival, doubt == nil) }
    }
    waiting.removeAll()
  }

  /// What shows that a message is handled.
  private static let families: [EventFamily] = [
    .work, .callback, .task, .wake, .data, .message, .meta,
  ]

  /// Whether what it arrived in has ended its task since, and was in its last lines then.
  ///
  /// The system suspends the app as soon as that is ended, and a thread may be slow to go on.
  private func lastLines(
    of arrival: Arrival,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> RuleContext.Comparison {
    guard let within = arrival.within,
      let span = context.state.spans.values.first(where: { $0.sequence == within }),
      case .ended(let release, let tail) = context.cover(of: span, at: event.time),
      release.sequence > arrival.sequence
    else { return .over }
    return context.isCutShort(span, by: release, tail)
  }

  /// Whether an app that was in front, or that something kept running, is ended by the user or the
  /// system without a fault of its own.
  private func isTakenAway(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    guard event.isEnd else { return false }
    switch TerminationCause(rawValue: names[event.endingCause]) {
    case .system, .user, .purge, .reboot, .powerLoss: break
    default: return false
    }
    switch context.state.appState {
    case .active, .inactive: return true
    case .background:
      if context.assertions > 0 { return true }
      return context.isServed(since: event.time, names)
    default: return false
    }
  }
}

extension Event {
  fileprivate var isEnd: Bool { kind == .purge || kind == .processExit }
}
