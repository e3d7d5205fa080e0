// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle

extension Scenario {
  /// The same life as one list of steps: what repeats is written out, and what is chosen is chosen.
  ///
  /// Each step has a number, which names it, and the place of the step in the file that it comes from.
  package var flattened: Scenario {
    var flat = self
    var generator = SplitMix64(seed: seed)
    flat.steps = Self.flatten(steps, &generator)
    flat.numberSteps()
    return flat
  }

  private static func flatten(_ steps: [Step], _ generator: inout SplitMix64) -> [Step] {
    steps.flatMap { step -> [Step] in
      switch step.name {
      case .repeated:
        return (0..<(Int(step["times"] ?? "") ?? 0)).flatMap { _ in
          flatten(step.steps, &generator)
        }
      case .choose:
        return (0..<(Int(step["times"] ?? "1") ?? 1)).flatMap { _ -> [Step] in
          guard let chosen = step.steps.randomElement(using: &generator) else { return [] }
          return flatten([chosen], &generator)
        }
      default: return [step]
      }
    }
  }

  /// Numbers the steps of a flat life, from 0.
  package mutating func numberSteps() {
    for index in steps.indices { steps[index].number = index }
  }

  /// The places of all steps, each before those inside of it.
  var places: [ScenarioPlace] { Self.places(of: steps) }

  private static func places(of steps: [Step]) -> [ScenarioPlace] {
    steps.flatMap { [$0.place] + places(of: $0.steps) }
  }

  /// Gives the steps those places, in that order; leaves all as they are where their number is another.
  mutating func setPlaces(_ places: [ScenarioPlace]) {
    guard places.count == self.places.count else { return }
    var rest = places[...]
    Self.setPlaces(of: &steps, &rest)
  }

  private static func setPlaces(of steps: inout [Step], _ places: inout ArraySlice<ScenarioPlace>) {
    for index in steps.indices {
      steps[index].place = places.removeFirst()
      setPlaces(of: &steps[index].steps, &places)
    }
  }
}
