// SPDX-License-Identifier: Apache-2.0
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

  /// What other threads were in the middle of when the system killed the process: where main waits,
  /// for one of them as a rule.
  var otherThreads: [Sentence] {
    let locks = state.resources.values.filter { $0.resourceClass == .lock && $0.thread != .main }
    let open = state.spans.values
      .filter { $0.thread != .main && ($0.kind == .workBegin || $0.kind == .waitBegin) }
      .sorted { $0.sequence < $1.sequence }
    let parts: [Sentence] =
      locks.map { "the lock on \(name: names[$0.name])\(at($0.site)), taken \(before($0))" }
      + open.map { "\(title($0))\(at($0.site)), begun \(before($0))" }
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
