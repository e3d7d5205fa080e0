// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Scene {
  /// `The main thread was asleep in fsync.`, of a process that the system killed; empty where nobody
  /// looked.
  var mainDetails: [Sentence] {
    guard event.kind == .processExit, let main = Payload.ProcessExit(event).main,
      !names[main].isEmpty
    else { return [] }
    return ["The main thread was \(name: names[main])."]
  }

  /// What other threads were in the middle of when the system killed the process.
  ///
  /// Main waits for one of them as a rule. Of each thread the innermost is named, and since when it was
  /// in the outermost; what computes comes before what waits itself.
  var otherThreads: [Sentence] {
    let locks = state.everyHold.filter { $0.resourceClass == .lock && $0.thread != .main }
    var threads: [ThreadID: (outer: OpenSpan, inner: OpenSpan)] = [:]
    for span in state.spans.values
    where span.thread != .main && (span.kind == .workBegin || span.kind == .waitBegin) {
      let known = threads[span.thread] ?? (span, span)
      threads[span.thread] = (
        outer: span.sequence < known.outer.sequence ? span : known.outer,
        inner: span.sequence > known.inner.sequence ? span : known.inner
      )
    }
    let open = threads.values.sorted {
      ($0.inner.kind == .workBegin ? 0 : 1, $0.outer.sequence)
        < ($1.inner.kind == .workBegin ? 0 : 1, $1.outer.sequence)
    }
    // What waits is waited for no less; but it is the one that does not that decides.
    let isAlone = open.count > 1 && open.count(where: { $0.inner.kind == .workBegin }) == 1
    let parts: [Sentence] =
      locks.map { "the lock on \(name: names[$0.name])\(at($0.site)), taken \(before($0))" }
      + open.map { thread in
        let alone: Sentence =
          isAlone && thread.inner.kind == .workBegin ? ", the only one that was not waiting" : ""
        let around: Sentence =
          thread.outer.sequence == thread.inner.sequence
          ? ""
          : ", inside of \(title(thread.outer))\(at(thread.outer.site)), begun \(before(thread.outer))"
        return
          "\(title(thread.inner))\(at(thread.inner.site)), begun \(before(thread.inner))\(around)\(alone)"
      }
    guard !parts.isEmpty else { return [] }
    let shown = parts.prefix(Self.othersMax)
    let more = parts.count - shown.count
    let rest: Sentence = more > 0 ? " and \(more) more" : ""
    return ["Open on other threads by then: \(shown.joined(separator: "; "))\(rest)."]
  }

  /// More things of other threads are counted.
  private static var othersMax: Int { 3 }

  /// What the process printed before it crashed, and the stack that its runtime printed.
  var lastWords: (details: [Sentence], witnesses: [Witness]) {
    let words = context.history.lastWords
    var details: [Sentence] = []
    if let last = words.lines.last {
      details.append(
        "The last that it printed: \"\(name: names[last.text])\" (\(event(last.sequence)))."
      )
    }
    let placed = words.frames.filter { SourcePlace($0.site, names) != nil }
    let shown = (placed.isEmpty ? words.frames : placed).prefix(Self.framesMax)
    guard !shown.isEmpty else { return (details, []) }
    let parts: [Sentence] = shown.map { "\(name($0.site, or: "a function"))\(at($0.site))" }
    details.append("Its stack: \(parts.joined(separator: ", called by ")).")
    return (details, shown.prefix(1).map { witness("crash", $0) })
  }

  /// More functions of a stack are not named.
  private static var framesMax: Int { 3 }
}
