// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle

extension Scenario {
  /// The same life as one list of steps: what repeats is written out, and what is chosen is chosen.
  ///
  /// Each step gets a line of its own, which names it: that of its number.
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

  package mutating func numberSteps() {
    for index in steps.indices { steps[index].place = ScenarioPlace(line: index + 1, column: 1) }
  }
}
