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
