// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family NQ: notifications that waited for a suspended app.

/// After a suspension there is at most one delivery of a type and key.
struct NQ01: Rule {
  static let info = RuleInfo(
    "NQ01",
    "A change that was queued while the app was suspended is delivered once.",
    source: "App Programming Guide: a single notification of each relevant type",
    severity: .error,
    fix: "Suspect the system, or a simulator that does not net its queue."
  )
  static let attention = Attention.kinds([
    .notificationPosted, .notificationDelivered, .suspend, .transition,
  ])
  /// Delivered since the last resume and not posted again since.
  private var delivered = FlatTable<NotificationKey, HostTime>()
  private var hasSlept = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .suspend, .transition:
      guard context.change?.suspends == true else { return }
      hasSlept = true
      delivered.removeAll()
    case .notificationPosted:
      let posted = Payload.NotificationPosted(event)
      let key = NotificationKey(posted.type, posted.key)
      if hasSlept, let place = delivered.place(of: key) { delivered.remove(at: place) }
    default:
      guard hasSlept else { return }
      let now = Payload.NotificationDelivered(event)
      let key = NotificationKey(now.type, now.key)
      guard let before = delivered[key] else {
        let waited = context.state.notifications[key]?.whileSuspended ?? false
        guard waited, delivered.count < LifeState.openMax else { return }
        delivered.insert(event.time, for: key)
        return context.held()
      }
      let (type, about) = (names[key.type], names[key.key])
      let witness = context.witness("delivered again", event, names)
      let which: Sentence = about.isEmpty ? "" : " (\(name: about))"
      let title: Sentence =
        "\(name: type)\(which) was delivered twice after one suspension"
      if let doubt = context.doubt(.notification, since: before) {
        return context.undecidable(
          "a post may be missing: \(doubt)",
          at: event.sequence,
          event.time
        ) { _ in .init(title: title, witnesses: [witness]) }
      }
      let again = event.time - before
      context.violated(at: event.sequence, event.time) { context in
        .init(
          title: title,
          details: ["The first delivery was \(context.words(again)) before."],
          witnesses: [witness]
        )
      }
    }
  }
}

/// Nothing is delivered to an app that cannot run.
struct NQ06: Rule {
  static let info = RuleInfo(
    "NQ06",
    "No notification is delivered while the app is suspended.",
    source: "App Programming Guide: queued events are delivered when the app resumes",
    severity: .error,
    fix: "Suspect the system that delivers, or the clock that stamps the resume."
  )
  static let attention = Attention.kinds([.notificationDelivered])
  private var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let state = context.state.appState
    guard state == .suspended || state == .unknown else {
      if !hasHeld { context.held() }
      hasHeld = true
      return
    }
    let type = names[event.identityName]
    let witnesses = [context.suspendedWitness(names), context.witness("delivered", event, names)]
    if state == .unknown {
      let reason = context.unknownState
      return context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(
          title: "\(name: type) was delivered in a state that is not known",
          witnesses: witnesses
        )
      }
    }
    guard event.time > context.state.stateSince else { return }
    context.violated(at: event.sequence, event.time) { _ in
      .init(
        title: "\(name: type) was delivered while the app was suspended",
        witnesses: witnesses
      )
    }
  }
}
