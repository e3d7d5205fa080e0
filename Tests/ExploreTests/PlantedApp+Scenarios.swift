// SPDX-License-Identifier: Apache-2.0
import LifetraceExplore
import LifetraceScenario

@testable import LifetraceTesting

// The lives that ``PlantedApp`` is given.

extension PlantedApp {
  static let saves = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - wait: 100ms
      - tell: {save: "two, which is longer than the one before"}
      - tell: {tidy: up}
      - home
      - suspend
      - open
      - tell: {save: "three"}
      - home
      - suspend
    """

  static let twoSaves = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - tell: {save: "two"}
      - home
      - suspend
    """

  /// A life of many saves, in the middle of which it is told once to tidy up.
  static func manySaves(_ count: Int) -> String {
    var steps = (0..<count).map { "  - tell: {save: \"text number \($0)\"}" }
    steps.insert("  - tell: {tidy: up}", at: count / 2)
    steps.insert("  - home", at: count / 3)
    steps.insert("  - open", at: count / 3 + 1)
    return (["app: planted", "steps:", "  - launch"] + steps).joined(separator: "\n")
  }

  /// Two processes by themselves, so that what the second one has left of the first is foretold too.
  static let twoLives = """
    app: planted
    steps:
      - launch
      - tell: {save: "one"}
      - home
      - suspend
      - purge
      - relaunch
      - tell: {save: "two"}
      - wait: 100ms
      - tell: {save: "three"}
      - home
      - suspend
    """

  /// Plays a life of an app with this mistake in virtual time, where nothing passes between two plays.
  static func explorer(_ mistake: Mistake, _ scenario: Scenario) throws -> Explorer<VirtualStage> {
    Explorer(try stage(mistake, scenario), now: { 0 })
  }

  /// The world of a life of an app with this mistake.
  static func stage(_ mistake: Mistake, _ scenario: Scenario) throws -> VirtualStage {
    let maker = VirtualWorld.Maker(configuration: .init(bundleIdentifier: "planted")) {
      PlantedApp(mistake)
    }
    let project = try ProjectRules(scenario, profile: nil, above: #filePath)
    return VirtualStage(makers: [maker], project: project)
  }
}
