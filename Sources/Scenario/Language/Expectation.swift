// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceQuery
package import LifetraceTrace

/// What an `expect` step says.
package enum Expectation: Sendable, Hashable {
  /// The app is, or comes within a time, in a state.
  case state(AppState, within: Int64)
  /// The app says so within a time, or has said so.
  case said(String, within: Int64)
  /// An expression of the language of questions holds within a time: of the state of the app, or of
  /// an event since the step before.
  case holds(Question, within: Int64)
  /// No app breaks a rule in the whole recording; judged after it.
  case noViolations
  /// Some app breaks this rule in the recording; judged after it.
  case violation(String)

  /// Reads `state == suspended within 2s`, `no violations`, `violation DS02`, `said TEXT within 2s` or
  /// an expression.
  package init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    if words == ["no", "violations"] {
      self = .noViolations
    } else if words.count == 2, words[0] == "violation" {
      self = .violation(words[1])
    } else if words.count >= 2, words[0] == "said" {
      let hasLimit = words.count >= 4 && words[words.count - 2] == "within"
      guard let limit = hasLimit ? Scenario.nanoseconds(words[words.count - 1]) : 0 else {
        return nil
      }
      self = .said(
        words.dropFirst().dropLast(hasLimit ? 2 : 0).joined(separator: " "),
        within: limit
      )
    } else if words.count >= 3, words[0] == "state", words[1] == "==",
      let state = AppState(word: words[2]), state != .unknown
    {
      if words.count == 3 {
        self = .state(state, within: 0)
      } else if words.count == 5, words[3] == "within", let limit = Scenario.nanoseconds(words[4]) {
        self = .state(state, within: limit)
      } else {
        self.init(asking: text)
      }
    } else {
      self.init(asking: text)
    }
  }

  private init?(asking text: String) {
    let (expression, limit) = Self.parts(text)
    guard let question = try? Question(ofStep: expression) else { return nil }
    self = .holds(question, within: limit)
  }

  /// An expression, and the time behind `within` at its end.
  static func parts(_ text: String) -> (expression: String, limit: Int64) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 2, words[words.count - 2] == "within",
      let limit = Scenario.nanoseconds(String(words[words.count - 1]))
    else { return (text, 0) }
    return (words.dropLast(2).joined(separator: " "), limit)
  }
}
