// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Extent: Pattern {
  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .purge, .processExit: cut(event, &context, names)
    case .transition where pause != nil:
      guard context.change?.to == pause else { return }
      for thing in ledger.open(&context, names) { judge(thing, .paused, event, &context, names) }
    default:
      guard let thing = ledger.ended(event, context, names) else { return }
      judge(thing, .ended, event, &context, names)
    }
  }

  /// Judges what the end of the process cuts short.
  private func cut(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    var open = ledger.open(&context, names)
    var killed: Set<UInt64> = []
    for thing in open where isKilled?(thing, event, context, names) == true {
      killed.insert(thing.sequence)
    }
    if killsOldest,
      let oldest = open.filter({ killed.contains($0.sequence) }).min(by: {
        $0.time < $1.time
      })
    {
      killed = [oldest.sequence]
      open = [oldest] + open.filter { $0.sequence != oldest.sequence }
    }
    for thing in open {
      let isKilled = killed.contains(thing.sequence)
      let isDue = isOver(thing, event, context, names)
      guard isKilled || cut == .all || isDue else { continue }
      judge(thing, .processEnded, event, isKilled: isKilled, &context, names)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    for thing in ledger.open(&context, names) {
      guard let clock = clock(thing, last.time, context, names) else { continue }
      let isSure = clock.isOwn || context.doubt(ledger.family, since: thing.time) == nil
      if isSure, isOver(thing, last, context, names) {
        judge(thing, .recordingEnded, last, &context, names)
        continue
      }
      if !isOccasionWhileOpen { continue }
      let late = Late(
        outcome: .open,
        stop: .recordingEnded,
        length: clock.length,
        limit: clock.limit,
        isKilled: false
      )
      let says = says
      context.say(.unclear(), at: (thing.sequence, thing.time), last, names) {
        says($0, thing, late)
      }
    }
  }

  private func isOver(
    _ thing: Thing,
    _ end: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    guard let clock = clock(thing, end.time, context, names) else { return false }
    let limit = clock.limit.warn
    if clock.isOwn { return clock.length > limit }
    return clock.length > context.scaled(limit)
  }

  private func judge(
    _ thing: Thing,
    _ stop: Stop,
    _ event: borrowing Event,
    isKilled: Bool = false,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let clock = clock(thing, event.time, context, names) else { return }
    let limit = clock.limit
    var stop = stop
    let finding: Finding
    if stop == .ended, let cpu = context.unjudgedTime(event), cpu > limit.warn {
      stop = .endedUntimed
      finding = .unclear(RuleContext.realTimeReason(cpu))
    } else if let unknown = unknown(context) {
      finding = .unclear(unknown)
    } else {
      let verdict = context.compare(
        clock.length,
        limit.warn,
        error: clock.isOwn
          ? 0
          : context.uncertainty(thing.time, event.time, flags: event.flags),
        isKilled: isKilled,
        isScaled: !clock.isOwn,
        // While the app sleeps, no time passes on a clock that leaves that out.
        since: clock.isRunning && context.state.appState == .suspended ? nil : thing.sequence,
        kill: self.isKilled == nil ? nil : (clock.since ?? thing.time, limit.kill - clock.lead),
        doubt: clock.doubt ?? doubt(thing, clock, isEnded: stop == .ended, context)
      )
      switch verdict {
      case .within: finding = .held
      case .unclear(let reason): finding = .unclear(reason)
      case .over:
        let isDeadly = isKilled || clock.length > context.surely(limit.kill)
        finding = .broken(isGraded ? (isDeadly ? .error : .warning) : nil)
      }
    }
    if case .held = finding { return context.held() }
    var outcome = Outcome.unclear
    if case .broken = finding { outcome = .over }
    let late = Late(
      outcome: outcome,
      stop: stop,
      length: clock.length,
      limit: limit,
      isKilled: isKilled
    )
    context.say(finding, event, names) { says($0, thing, late) }
  }

  /// Why it may have ended earlier, or stood still.
  private func doubt(
    _ thing: Thing,
    _ clock: Clock,
    isEnded: Bool,
    _ context: borrowing RuleContext
  ) -> Sentence? {
    if let earlier = earlierEnd(thing, context) { return earlier }
    if !isEnded, let doubt = context.doubt(ledger.family, since: thing.time) {
      return "\(ledger.missing) may be missing: \(doubt)"
    }
    guard clock.isRunning else { return nil }
    return context.doubt(.state, since: thing.time).map { "a suspension may be missing: \($0)" }
  }
}
