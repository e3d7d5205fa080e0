// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family RS: what is held when the system takes the app away.

/// No file or database lock in a shared directory is held at the suspension.
struct RS06: Rule {
  static let info = RuleInfo(
    "RS06",
    "No lock in a shared container is held when the app is suspended.",
    source: "Xcode documentation, termination reason 0xdead10cc",
    severity: .error,
    fix: "Release the lock in didEnterBackground, or hold a background task while it is needed.",
    roles: .all
  )
  static let attention = Attention.kinds(Attention.stateChanges + [.resourceAcquire])
  static let restsOnAllWork = true
  private var locks = 0
  /// Those that the host saw, on files of whose locks the app itself may have told nothing.
  private var seen: Set<NameID> = []

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if event.kind == .resourceAcquire {
      let acquired = Payload.ResourceAcquire(event)
      guard acquired.class.value == .lock else { return }
      locks += 1
      if event.observer == .host { seen.insert(acquired.name) }
      return
    }
    guard let change = context.change else { return }
    // Who is killed for it may never have come to be suspended.
    let code = event.kind == .processExit ? Payload.ProcessExit(event).code : 0
    let isKill = code == TerminationCode.deadLock
    guard change.suspends || isKill && change.from != .suspended else { return }
    let held = context.state.resources.values.filter { $0.resourceClass == .lock }
    // Where the app has told of its locks, the host's word adds nothing.
    let own = held.filter { !seen.contains($0.name) && names[$0.attribute] != "private" }
    var isClear = true
    for lock in own.isEmpty ? held : own {
      if !judge(lock, event, isKill: isKill, &context, names) { isClear = false }
    }
    if isClear && locks > 0 { context.held() }
  }

  /// Whether the lock may be held there.
  private func judge(
    _ lock: HeldResource,
    _ event: borrowing Event,
    isKill: Bool,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    let place = names[lock.attribute]
    guard place != "private" else { return true }
    let name = names[lock.name]
    let held = event.time - lock.time
    let isSeen = seen.contains(lock.name) || held == 0 && context.attributes.evidence == .log
    let witnesses = [
      context.witness(
        isSeen ? "lock held" : "lock taken",
        lock.sequence,
        lock.time,
        lock.site,
        names
      ),
      context.witness(isKill ? "killed" : "suspended", event, names),
    ]
    let doubt: Sentence? =
      context.doubt(.resource, since: lock.time).map { "its release may be missing: \($0)" }
      ?? (place == "shared" || isKill
        ? nil : "whether \(name: name) lies in a shared container is not recorded")
    if let doubt {
      context.undecidable(doubt, at: event.sequence, event.time) { _ in
        .init(
          title: "a lock on \(name: name) may have been held at the suspension",
          witnesses: witnesses
        )
      }
      return false
    }
    context.violated(at: event.sequence, event.time) { context in
      .init(
        title: "the lock on \(name: name) was held when the app was suspended",
        details: [
          // A log has one line for the lock and for the suspension; the host looks but then.
          isSeen
            ? "The system says so\(context.at(lock.site, names)) (\(context.event(lock.sequence)));"
              + " since when it was held is not recorded."
            : "It was taken\(context.at(lock.site, names)) \(context.words(held)) before"
              + " (\(context.event(lock.sequence))).",
          isKill
            ? "Other processes of the container would wait for it: the system killed with 0xdead10cc."
            : "Other processes of the container would wait for it, so the system kills with "
              + "0xdead10cc.",
        ],
        witnesses: witnesses
      )
    }
    return false
  }
}
