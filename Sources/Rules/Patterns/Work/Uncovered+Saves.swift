// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// Saves that come through by luck where no work tells of what runs them: what is put off to the main
// queue, a `Task`, a thread.

extension Uncovered {
  /// A save ends behind didEnterBackground, and began in it or later.
  mutating func noteSave(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let save = Payload.DataDurable(event)
    guard let flush = context.saved(by: event, names),
      let object = context.state.data[names.known(save.object)],
      let entering = context.returnFromEnteringInOrder,
      flush.sequence > entering.beginSequence
    else { return }
    let span = OpenSpan(flush)
    guard context.assertions == 0, case .none = context.cover(of: span, at: event.time),
      !context.isServed(since: span.time, names),
      !entering.isAround(event),
      // Nothing hung on it where the version was there already.
      object.durable[.kernel] < save.version
    else { return context.heldOnce(&hasHeld) }
    guard lucky == nil, isOnItsOwn(flush, context, names) else { return }
    let ran = context.running(span, until: event.time)
    lucky = (
      Work(span: span, cover: .none, end: event.time, ran: ran, holding: .save(object.name, flush)),
      context.doubtLuck(since: span.time), entering.end
    )
  }

  /// Whether neither the system nor a piece of work runs the save.
  ///
  /// The system waits for what it calls on the main thread, and for the whole turn of the run loop;
  /// work is judged when it ends itself.
  private func isOnItsOwn(
    _ flush: DataObject.Flush,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    var isPutOff = flush.thread != .main
    for span in context.state.spans.values where span.thread == flush.thread {
      switch span.kind {
      case .workBegin: return false
      case .callbackBegin where flush.thread == .main: return false
      case .turnBegin where flush.thread == .main:
        guard ["main queue", "timer"].contains(names[names[span.site].name]) else { return false }
        isPutOff = true
      default: continue
      }
    }
    return isPutOff
  }
}
