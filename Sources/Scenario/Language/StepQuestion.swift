// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
import LifetraceTrace

// Expressions of the language of questions in scenarios:
//
//     - wait: {until: data("draft.txt").unsaved == 0, within: 5s}
//     - expect: count tasks == 0

extension Question {
  /// Reads a condition that a scenario may ask of the app that a step is about.
  package init(ofStep text: String) throws(QueryError) {
    let question = try Question(condition: text)
    guard !question.moves else {
      throw QueryError(
        whole: text,
        "age and left move with time, and a step looks when an event is seen",
        advice: "wait for the event, or for the time: `wait: 5s`"
      )
    }
    self = question
  }
}

extension Scenario.Step {
  /// The expression that it waits for, or that must hold.
  package var question: Question? {
    switch name {
    case .wait:
      guard let text = self["until"], AppState(word: text) == nil else { return nil }
      return try? Question(ofStep: text)
    case .expect:
      guard case .holds(let question, _) = self["that"].flatMap(Expectation.init) else {
        return nil
      }
      return question
    default: return nil
    }
  }
}

extension [Scenario.Step] {
  /// The expressions of all of them.
  package var questions: [Question] {
    var all: [Question] = []
    collect(into: &all)
    return all
  }

  private func collect(into all: inout [Question]) {
    for step in self {
      if let question = step.question { all.append(question) }
      step.steps.collect(into: &all)
    }
  }
}
