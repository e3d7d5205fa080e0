// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// States as people write them who do not know the form: `state is active`, `until suspended`.
enum StateWords {
  private static let around: Set<String> = [
    "app", "be", "becomes", "equals", "is", "state", "the", "to", "until", "=", "==", ":",
  ]

  /// The word of the state that such a text means; nil where it says anything else.
  static func meant(by text: String) -> String? {
    let words = text.lowercased().split { " \t\"'=:".contains($0) }.map(String.init)
    guard let last = words.last, words.dropLast().allSatisfy(around.contains),
      let state = AppState(word: last), state != .unknown
    else { return nil }
    return state.word
  }
}
