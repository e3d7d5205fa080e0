// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What arrives is handled before the app is suspended, or ends.
///
///     Unhandled { scene, message, isSure in Story("… was not handled …", …) }
///
/// A message that arrives within work or a callback is handled when that is over; else with the next
/// thing that the app reports.
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

  /// More than this at once are not followed.
  private static let arrivalsMax = 256
  let says: @Sendable (Scene, Arrival, _ isSure: Bool) -> Story
  private(set) var waiting: [Arrival] = []

  init(says: @escaping @Sendable (Scene, Arrival, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] {
    [
      EventKind.messageReceive, .messageSend, .workBegin, .workEnd, .callbackBegin, .callbackEnd,
      .turnEnd, .dataDirty, .log, .mark, .suspend, .transition, .purge, .processExit,
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
      guard waiting.count < Self.arrivalsMax else { return }
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
    guard !waiting.isEmpty, event.observer == .own else { return }
    let over = context.closing?.sequence
    let before = waiting.count
    waiting.removeAll { $0.within == nil || $0.within == over }
    for _ in waiting.count..<before { context.held() }
  }

  private mutating func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for arrival in waiting {
      var doubt: Sentence?
      for family in [EventFamily.work, .callback, .data, .message, .meta] where doubt == nil {
        doubt = context.unseen(family, since: arrival.time)
      }
      let reason: Sentence? = doubt.map { "what came of it may be missing: \($0)" }
      context.say(.broken(unless: reason), event, names) { says($0, arrival, doubt == nil) }
    }
    waiting.removeAll()
  }
}
