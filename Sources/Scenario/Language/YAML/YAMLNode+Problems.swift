// SPDX-License-Identifier: Apache-2.0
import LifetraceQuery
import LifetraceRules
import LifetraceWords

// What is wrong with a value of a scenario, and where it stands.

extension YAMLNode {
  func unknownRule(_ id: String, _ own: [OwnRule] = []) -> ScenarioProblem {
    problem("there is no rule `\(id)`", advice: RuleSet(own: own).advice(for: id))
  }

  package func problem(_ message: String, advice: String = "") -> ScenarioProblem {
    ScenarioProblem(place: place, message: message, advice: advice)
  }

  /// What is wrong with an expression of the language of questions, with a caret below it.
  func problem(_ error: QueryError, in text: String) -> ScenarioProblem {
    var place = place
    if let margin { place.column += margin + error.range.lowerBound }
    return ScenarioProblem(
      place: place,
      message: error.message,
      advice: error.advice,
      marked: error.marked(in: text)
    )
  }

  package func unknown(_ what: String, among known: [String]) -> ScenarioProblem {
    let word = scalar ?? "?"
    // Among system versions a near spelling is as wrong as any other.
    let near =
      what == "profile" ? nil : nearest(to: word, among: known).map { "did you mean `\($0)`?" }
    return problem(
      "there is no \(what) `\(word)`",
      advice: near ?? "there is: " + known.joined(separator: ", ")
    )
  }

  package func text(for key: String) throws(ScenarioProblem) -> String {
    guard let text = scalar else {
      throw problem("`\(key)` takes one value, not a list or mapping")
    }
    return text
  }

  package func choice(_ known: [String], for key: String) throws(ScenarioProblem) -> String {
    let text = try text(for: key)
    guard known.contains(text) else { throw unknown(key, among: known) }
    return text
  }

  func check(_ text: String, _ parameter: Parameter) throws(ScenarioProblem) {
    switch parameter.type {
    case .text, .steps: break
    case .duration:
      guard Scenario.nanoseconds(text) != nil else {
        throw problem(
          "`\(text)` is no duration",
          advice: "a number and a unit, such as 500ms, 2s, 3min"
        )
      }
    case .integer:
      guard let number = Int(text), (0...1_000_000).contains(number) else {
        throw problem("`\(parameter.name)` is a whole number up to 1,000,000")
      }
    case .flag:
      guard ["true", "false"].contains(text) else {
        throw problem("`\(parameter.name)` is true or false")
      }
    case .choice(let known): _ = try choice(known, for: parameter.name)
    case .condition(let words):
      if words.contains(text) { return }
      if let meant = StateWords.meant(by: text), (try? Question(ofStep: text)) == nil {
        throw problem("`\(text)` is no condition", advice: "a state is one word: `until: \(meant)`")
      }
      // One word is a state that is misspelt, or a kind of event.
      let isWord = text.allSatisfy { $0.isLetter || $0 == "-" }
      do throws(QueryError) { _ = try Question(ofStep: text) } catch {
        if isWord { throw unknown(parameter.name, among: words) }
        throw problem(error, in: text)
      }
    }
  }
}
