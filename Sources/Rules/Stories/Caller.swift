// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

extension Scene {
  /// The work or callback on its thread that the event happened in, where that is recorded: for calls of
  /// the system's functions, which have no source place of their own.
  var caller: OpenSpan? {
    let thread = event.thread
    return state.spans.values
      .filter { $0.thread == thread && ($0.kind == .workBegin || $0.kind == .callbackBegin) }
      .max { $0.sequence < $1.sequence }
  }

  /// ` in work "events" at UrlSession.swift:14, begun 2 s before (hunt#1:17)`, or empty.
  var calledIn: Sentence {
    caller.map { " in \(title($0))\(at($0.site)), begun \(before($0))" } ?? ""
  }

  /// The begin of that.
  var callerWitness: [Witness] { caller.map { [witness("called in", $0)] } ?? [] }

  /// The work that is open where the event ends the process: a sentence and the begin of each, the last
  /// few; none where a missing event may have ended it.
  var openWork: [(words: Sentence, witness: Witness)] {
    guard doubt(.work) == nil else { return [] }
    let open = state.spans.values.filter { $0.kind == .workBegin }.sorted {
      $0.sequence < $1.sequence
    }
    return open.suffix(Self.shownMax).map { span in
      let words: Sentence =
        "\(title(span).capitalised)\(at(span.site)) was under way when \(endClause), begun "
        + "\(before(span))."
      return (words, witness("under way", span))
    }
  }

  /// Only the last of it is of interest.
  private static var shownMax: Int { 2 }
}
