// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// The last callback in which an app could have done what it did not do.
struct LastChance {
  /// `applicationDidEnterBackground, which ran for 3 ms (notes#1:8 to 9)`.
  let words: Sentence
  let witness: Witness
}

extension Scene {
  /// The last of `callbacks` that had not returned at `time`; nil where none ran since, or none is known.
  func lastChance(in callbacks: [Callback], since time: HostTime) -> LastChance? {
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
}
