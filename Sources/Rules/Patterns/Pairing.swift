// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What begins is ended.
///
///     Pairing(ledger: .tasks, begin: .taskBegin, fate: { … }) { scene, task, fate in Story("…", …) }
struct Pairing<Thing: Opened>: Pattern {
  /// What becomes of one that has no end.
  enum Fate: Sendable {
    /// It never gets one, and why.
    case lost(Sentence)
    /// The same, but that its end may be missing.
    case mayBeLost
    /// It might still have got one: why.
    case left(Sentence)
  }

  /// What cut it short.
  enum Cut: Sendable {
    case begunAgain
    /// The process ended, for a cause.
    case processEnded(String)
    case recordingEnded
  }

  let ledger: Ledger<Thing>
  /// The kind of event that begins one.
  let begin: EventKind
  /// What becomes of one that is cut short at a time.
  let fate: @Sendable (Thing, Cut, HostTime, borrowing RuleContext) -> Fate
  let says: @Sendable (Scene, Thing, Cut, Fate) -> Story

  var attention: [Trigger] { [.event(begin)] + ledger.ends + Trigger.endings }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case begin:
      guard let first = ledger.ended(event, context, names) else { return }
      judge(first, .begunAgain, event, &context, names)
    case .purge, .processExit:
      let cause = event.kind == .purge ? "purge" : names[Payload.ProcessExit(event).cause]
      judgeOpen(.processEnded(cause), event, &context, names)
    default:
      if ledger.ended(event, context, names) != nil { context.held() }
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { judgeOpen(.recordingEnded, last, &context, names) }

  private func judgeOpen(
    _ cut: Cut,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    for thing in ledger.open(&context, names) { judge(thing, cut, event, &context, names) }
  }

  private func judge(
    _ thing: Thing,
    _ cut: Cut,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var fate = fate(thing, cut, event.time, context)
    var finding = Finding.broken()
    if case .left(let reason) = fate { finding = .unclear(reason) }
    if case .lost = fate, let doubt = context.doubt(ledger.family, since: thing.time) {
      finding = .unclear("\(ledger.missing) may be missing: \(doubt)")
      fate = .mayBeLost
    }
    context.say(finding, event, names) { says($0, thing, cut, fate) }
  }
}

/// Only open things are ended: no end comes twice, or without a begin.
///
///     Unopened(ledger: .tasks) { scene, earlier in Story("… was ended a second time", …) }
struct Unopened<Thing: Opened>: Pattern {
  /// An earlier end of the same thing.
  struct Earlier: Opened {
    let id: UInt64
    /// What was ended.
    let thing: Thing
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// More ends than this are forgotten, oldest first.
  private static var endsMax: Int { 256 }
  let ledger: Ledger<Thing>
  /// Whether an end without a begin is judged too, or the second end of a thing alone.
  var judgesUnbegun = true
  let says: @Sendable (Scene, Earlier?) -> Story
  private(set) var ends: [Earlier] = []
  private(set) var hasForgotten = false

  var attention: [Trigger] { ledger.ends }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let id = event.identity
    if let thing = ledger.ended(event, context, names) {
      if ends.count == Self.endsMax {
        ends.removeFirst()
        hasForgotten = true
      }
      ends.append(
        Earlier(
          id: id,
          thing: thing,
          time: event.time,
          sequence: event.sequence,
          site: event.site
        )
      )
      return context.held()
    }
    let earlier = ends.last { $0.id == id }
    guard judgesUnbegun || earlier != nil else {
      // It may be the second end of one that is forgotten.
      if hasForgotten { _ = context.hasRoom(ends.count, of: Self.endsMax, for: "end") }
      return
    }
    let doubt =
      earlier.map { context.doubtAbsence(ledger.family, since: $0.time) }
      ?? context.doubt(ledger.family)
    let missing: Sentence? = doubt.map { "its begin may be missing: \($0)" }
    context.say(.broken(unless: missing), event, names) { says($0, earlier) }
  }
}
