// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// The last callback in which an app could have done what it did not do.
struct LastChance {
  /// `applicationDidEnterBackground, which ran for 3 ms (notes#1:8 to 9)`.
  let words: Sentence
  let witness: Witness
}

extension Callback {
  /// Those that are made for saving: behind them an app may be gone without another word.
  package static let forSaving: [Callback] = [
    .willResignActive, .didEnterBackground, .willTerminate,
  ]
}

extension Scene {
  /// The last of `callbacks` that had not returned at `time`; nil where none ran since, or none is known.
  ///
  /// One that is still open is it: those that have returned came before it, or ran within it.
  func lastChance(in callbacks: [Callback], since time: HostTime) -> LastChance? {
    if let open = open(of: callbacks) {
      let name = name(open.site, or: "a callback")
      let ran = context.running(open, until: event.time)
      let length: Sentence = ran > 0 ? " for \(words(ran))" : ""
      return LastChance(
        words: "\(name), which ran\(length) and never returned (from \(event(open.sequence)) on)",
        witness: witness("last chance", open)
      )
    }
    let runs = context.history.runs
    guard let last = runs.last(where: { callbacks.contains($0.callback) && $0.end >= time }) else {
      return nil
    }
    let name = name(last.site, or: "\(name: last.callback.rawValue)")
    // In virtual time a callback takes none.
    let ran: Sentence = last.end > last.begin ? " for \(words(last.end - last.begin))" : ""
    return LastChance(
      words: "\(name), which ran\(ran) (\(event(last.beginSequence)) to \(last.endSequence))",
      witness: witness("last chance", last.beginSequence, last.begin, last.site)
    )
  }

  /// The one of `callbacks` that was entered last and is known not to have returned; a log does not say
  /// when callbacks return.
  private func open(of callbacks: [Callback]) -> OpenSpan? {
    guard context.attributes.evidence != .log else { return nil }
    let open = state.spans.values.filter { span in
      guard span.kind == .callbackBegin, context.doubtless(span) else { return false }
      return context.history.callbackSeen(at: span.site, names).map(callbacks.contains) ?? false
    }
    return open.max { $0.sequence < $1.sequence }
  }
}
