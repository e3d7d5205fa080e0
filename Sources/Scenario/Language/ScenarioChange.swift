// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// A change of one thing in a scenario, as `rerun --with` takes it.
///
///     try scenario.change("purge +300ms")       // so much later
///     try scenario.change("purge = reboot")     // another step in its place
///     try scenario.change("no lock")            // without it
///     try scenario.change("suspend +300ms")     // the system suspends an app later than it would
///     try scenario.change("profile ios7")
package struct ScenarioChange: Sendable, Hashable {
  /// What is wrong with a change, and which there are.
  package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String
  }

  private enum What: Hashable {
    case profile(String)
    case timeScale(String)
    case seed(String)
    case suspension(later: Int64)
    case delay(StepPlace, String)
    case replacement(StepPlace, by: String)
    case removal(StepPlace)
  }

  /// Which step: of that name, the `number`-th; without a name, of all.
  private struct StepPlace: Hashable {
    var name: StepName?
    var number: Int
  }

  /// As it was typed.
  package let text: String
  private let what: What

  /// The changes that there are, a line each, for messages and the manual.
  package static let forms = [
    ("STEP +300ms", "so much time more before it"),
    ("STEP = STEP", "another step in its place, as a scenario has it: reboot, {wait: 2s}"),
    ("no STEP", "without it"),
    ("suspend +300ms", "the system suspends an app so much later, or sooner with -"),
    ("profile NAME", "another generation of the system"),
    ("time-scale N", "real time for one unit of nominal time"),
    ("seed N", "another choice of `choose`"),
  ]

  /// What the text means; whether the scenario has that step is seen when it is changed.
  package init(_ text: String) throws(Problem) {
    self.text = text.split(separator: " ").joined(separator: " ")
    let words = text.split(separator: " ").map(String.init)
    guard words.count > 1 else { throw Self.misunderstood(text) }
    switch words[0] {
    case "profile": what = .profile(words[1])
    case "time-scale": what = .timeScale(words[1])
    case "seed": what = .seed(words[1])
    case "no": what = .removal(try Self.place(words.dropFirst(), of: text))
    case "suspend" where words.count == 2 && "+-".contains(words[1].prefix(1)):
      guard let time = Scenario.nanoseconds(String(words[1].dropFirst())) else {
        throw Self.misunderstood(text)
      }
      what = .suspension(later: words[1].hasPrefix("-") ? -time : time)
    default:
      if let equals = words.firstIndex(of: "="), equals + 1 < words.count {
        let step = words[(equals + 1)...].joined(separator: " ")
        what = .replacement(try Self.place(words[..<equals], of: text), by: step)
      } else if let delay = words.last, delay.hasPrefix("+"),
        Scenario.nanoseconds(String(delay.dropFirst())) != nil
      {
        what = .delay(try Self.place(words.dropLast(), of: text), String(delay.dropFirst()))
      } else {
        throw Self.misunderstood(text)
      }
    }
  }

  private static func misunderstood(_ text: String) -> Problem {
    let width = forms.map(\.0.count).max() ?? 0
    let lines = forms.map { form, means in
      "\n    " + form + String(repeating: " ", count: width + 2 - form.count) + means
    }
    return Problem(
      description: "`\(text)` is no change of a scenario. There are\(lines.joined())\n"
        + "  STEP is a name (home), the second of that name (tell 2), or a number (step 4)."
    )
  }

  private static func place(_ words: ArraySlice<String>, of text: String) throws(Problem)
    -> StepPlace
  {
    let number = words.count > 1 ? words.last.flatMap { Int($0) } : 1
    guard let word = words.first, words.count <= 2, let number, number > 0 else {
      throw misunderstood(text)
    }
    if word == "step" { return StepPlace(name: nil, number: number) }
    guard let name = StepName(rawValue: word) else {
      let near = nearest(to: word, among: StepName.allCases.map(\.rawValue))
      throw Problem(
        description: "`\(word)` is no step" + (near.map { "; did you mean `\($0)`?" } ?? ".")
      )
    }
    return StepPlace(name: name, number: number)
  }
}

extension Scenario {
  /// Changes the scenario, which is flat if a step is changed: what repeats is written out.
  package mutating func change(_ change: ScenarioChange) throws(ScenarioChange.Problem) {
    var changed = try change.changed(self)
    // What is written down is what the parser would take.
    let places = changed.places
    do throws(ScenarioProblem) {
      changed = try Scenario(parsing: changed.yaml(), file: file)
      // What it records stands where the file has it, not where this text would.
      changed.setPlaces(places)
    } catch {
      let advice = error.advice.isEmpty ? "" : " (\(error.advice))"
      throw ScenarioChange.Problem(description: "`\(change.text)`: \(error.message)\(advice)")
    }
    self = changed
  }
}

extension ScenarioChange {
  fileprivate func changed(_ scenario: Scenario) throws(Problem) -> Scenario {
    var out = scenario
    switch what {
    case .profile(let name): out.profile = name
    case .timeScale(let text):
      guard let scale = Double(text) else { throw Self.misunderstood(self.text) }
      out.timeScale = scale
    case .seed(let text):
      guard let seed = UInt64(text) else { throw Self.misunderstood(self.text) }
      out.seed = seed
    case .suspension(let later): out.suspendAfter = max(0, out.suspendAfter + later)
    case .delay(let place, let time):
      out = out.flattened
      let index = try index(of: place, in: out)
      out.steps.insert(Self.wait(time, at: out.steps[index].place), at: index)
    case .removal(let place):
      out = out.flattened
      out.steps.remove(at: try index(of: place, in: out))
    case .replacement(let place, let text):
      out = out.flattened
      let index = try index(of: place, in: out)
      let place = out.steps[index].place
      out.steps[index] = try step(text, out)
      out.steps[index].place = place
    }
    return out
  }

  private static func wait(_ time: String, at place: ScenarioPlace) -> Scenario.Step {
    Scenario.Step(
      name: .wait,
      arguments: [Scenario.Argument(name: "for", value: time)],
      steps: [],
      place: place
    )
  }

  /// The step that `text` is.
  private func step(_ text: String, _ scenario: Scenario) throws(Problem) -> Scenario.Step {
    var alone = scenario
    alone.steps = []
    do throws(ScenarioProblem) {
      let read = try Scenario(parsing: alone.yaml() + "  - \(text)\n", file: scenario.file)
      if let step = read.steps.first { return step }
    } catch {
      throw Problem(
        description: "`\(text)`: \(error.message)"
          + (error.advice.isEmpty ? "" : " (\(error.advice))")
      )
    }
    throw Problem(description: "`\(text)` is no step")
  }

  private func index(of place: StepPlace, in scenario: Scenario) throws(Problem) -> Int {
    let candidates = scenario.steps.indices.filter {
      place.name == nil || scenario.steps[$0].name == place.name
    }
    if candidates.indices.contains(place.number - 1) { return candidates[place.number - 1] }
    let shown = scenario.steps.prefix(Self.stepsShownMax)
    let lines = shown.enumerated().map { "\n    step \($0 + 1)  \(scenario.line(of: $1))" }
    let rest = scenario.steps.count - shown.count
    let which =
      place.name.map {
        "step `\($0.rawValue)`" + (place.number > 1 ? " number \(place.number)" : "")
      }
      ?? "step \(place.number)"
    throw Problem(
      description: "`\(text)`: there is no \(which). The scenario has" + lines.joined()
        + (rest > 0 ? "\n    and \(rest) more" : "")
    )
  }

  /// More steps are not listed.
  private static let stepsShownMax = 40
}
