// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Two threads of a process, each of which has the lock for which the other one waits.
struct Deadlock {
  /// Who waits, for what, and the lock that it has meanwhile.
  let thread: ThreadID
  let waited: NameID
  let own: NameID
  /// Who has what it waits for, and waits for its lock.
  let other: ThreadID

  func words(_ names: borrowing Names) -> Sentence {
    let (first, second) = (Wording.thread(thread), Wording.thread(other))
    let (own, waited): (Sentence, Sentence) = ("\(name: names[own])", "\(name: names[waited])")
    let one: Sentence = "\(first) has \(own) and waits for \(waited)"
    return "\(one.capitalised), \(second) has \(waited) and waits for \(own): a deadlock."
  }

  /// What to do about it.
  static let advice: Sentence =
    "Take the two locks in the same order everywhere, or give one back before you wait for the other."
}

extension CauseGraph {
  /// The deadlock in which a wait stood when the event at `until` ended it, or the process; nil for none.
  func deadlock(_ wait: EventPlace, until: Int) -> Deadlock? {
    guard let (waited, hold) = lastHold(wait, until: until) else { return nil }
    let spans = player.state(of: wait.stream, after: until).spans.values
    let waits = spans.filter { $0.kind == .waitBegin && $0.thread == hold.thread }
    guard let inner = waits.max(by: { $0.sequence < $1.sequence }),
      let place = place(inner.sequence, in: wait.stream),
      let (own, back) = lastHold(place, until: until),
      back.thread == timeline.event(at: wait).thread
    else { return nil }
    return Deadlock(thread: back.thread, waited: waited, own: own, other: hold.thread)
  }

  /// Who had the lock of a wait when that ended.
  private func lastHold(_ wait: EventPlace, until: Int) -> (lock: NameID, hold: Hold)? {
    let event = timeline.event(at: wait)
    let on = Payload.WaitBegin(event).on
    guard on != .empty else { return nil }
    let scene = CauseScene(player: player, node: CauseNode(place: wait, until: until), event: event)
    return holds(on, scene).last { $0.until == until }.map { (on, $0) }
  }
}
