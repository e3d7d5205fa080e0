// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceExplore
import LifetraceScenario
import Testing

@testable import LifetraceTesting

/// The fewest steps in which a failure that was found is there for the reason that was found.
@Suite @MainActor struct SmallestScenarioTests {
  @Test("A mistake at one point of some five hundred is found, and told in four steps")
  func needle() throws {
    let scenario = try Scenario(parsing: PlantedApp.manySaves(50), file: "many.yml")
    let found = try explore(scenario) { PlantedApp(.tidies) }
    #expect(found.endCount > 450)
    #expect(found.failures.count == 1 && found.failures.first?.count == 1, "\(found)")
    #expect(found.failures.first?.rule == "DS12")
    #expect(found.failures.first?.stepCount ?? .max <= 4, "\(found)")
    // What it says fails again.
    let text = try #require(found.failures.first?.smallestScenario)
    let smallest = try Scenario(parsing: text, file: "smallest.yml")
    let life = try Simulator(smallest) { PlantedApp(.tidies) }.play()
    #expect(life.violations.map(\.rule) == ["DS12"])
    // What a rule says is not said again as a promise.
    #expect(life.brokenPromises.isEmpty)
    let mended = try Simulator(smallest) { PlantedApp(nil) }.play()
    #expect(mended.violations.isEmpty && mended.brokenPromises.isEmpty)
  }

  /// It saves when it goes to the background; one that takes a text of the same length for the same
  /// text does not save that.
  private final class ComparingApp: ApplicationDelegate {
    private let comparesLengths: Bool
    private let text = Lifetrace.Object("text")
    private var (current, saved) = ("", "")
    private var path = ""

    init(comparesLengths: Bool) { self.comparesLengths = comparesLengths }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      path = (application.dataDirectory ?? ".") + "/text"
      return true
    }

    func application(_ application: Application, told word: String, _ value: String) {
      current = value
      text.dirty { value.utf8 }
    }

    func applicationDidEnterBackground(_ application: Application) {
      guard comparesLengths ? current.count != saved.count : current != saved else { return }
      saved = current
      _ = try? Lifetrace.save(text, to: path) { current.utf8 }
    }
  }

  @Test(
    "The smallest scenario loses its edit for the reason that was found, and not one that is easier"
  )
  func sameExplanation() throws {
    let text = """
      app: comparing
      steps:
        - launch
        - tell: {say: "one"}
        - home
        - open
        - tell: {say: "longer"}
        - home
        - open
        - tell: {say: "second"}
        - home
        - suspend
      """
    let scenario = try Scenario(parsing: text, file: "comparing.yml")
    let found = try explore(scenario) { ComparingApp(comparesLengths: true) }
    #expect(found.failures.map(\.rule) == ["DS02"], "\(found)")
    // The edit behind `home` alone is lost in fewer steps, and by every app.
    let smallest = try #require(found.failures.first?.smallestScenario)
    #expect(
      smallest.split(separator: "\n").filter { $0.hasPrefix("  - ") } == [
        "  - open", "  - tell: {say: longer}", "  - home", "  - open", "  - tell: {say: second}",
        "  - purge",
      ],
      "\(smallest)"
    )
    let least = try Scenario(parsing: smallest, file: "smallest.yml")
    let life = try Simulator(least) { ComparingApp(comparesLengths: true) }.play()
    #expect(life.violations.map(\.rule).contains("DS02"))
    let mended = try Simulator(least) { ComparingApp(comparesLengths: false) }.play()
    #expect(mended.violations.isEmpty, "\(mended.violations)")
  }

  @Test("A promise that no rule knows of is told of one life, and not of the mended one")
  func brokenPromise() throws {
    let text = """
      app: planted
      steps:
        - launch
        - tell: {save: "one"}
        - purge
        - relaunch
        - purge
        - relaunch
      """
    let scenario = try Scenario(parsing: text, file: "taken.yml")
    let life = try Simulator(scenario) { PlantedApp(.takesOut) }.play()
    #expect(
      life.brokenPromises == [
        "text: the next launch found version 1 and saved nothing, and the one behind it found version 0"
      ]
    )
    let mended = try Simulator(scenario) { PlantedApp(nil) }.play()
    #expect(mended.brokenPromises.isEmpty, "\(mended.brokenPromises)")
  }
}
