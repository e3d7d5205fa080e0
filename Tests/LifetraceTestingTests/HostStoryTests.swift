// SPDX-License-Identifier: Apache-2.0
import LifetraceHost
import LifetraceInterop
import LifetraceApp
import LifetraceTesting
import NotesCore
import ProbeCore
import LifetraceRules
import Support
import Testing
import LifetraceTrace

/// Every scenario in `Traces/host-*`: the life that the host makes of it, and what `check` says.
///
/// The life is the golden; it leaves out the turns of the run loop and the ends of callbacks,
/// which double its length and say little.
@Suite("Stories that the host makes")
@MainActor
struct HostStoryTests {
  nonisolated static let stories = Golden.stories(with: "scenario.yml")

  @Test("The life and the verdicts are the golden ones", arguments: stories)
  func golden(_ folder: String) throws {
    let scratch = try TestFolder()
    let text = try #require(Golden.text("\(folder)/scenario.yml"))
      .replacing("GROUP", with: scratch.path)
    let scenario = try Scenario(parsing: text, file: "scenario.yml")
    let life = try Self.simulator(scenario, scratch.path).play()
    #expect(life.report.failures.isEmpty)
    let (made, report) = Self.texts(life)
    let story = made.replacing(scratch.path, with: "GROUP")
    #expect(Golden.difference(story, "\(folder)/life.txt") == nil)
    #expect(Golden.difference(report, "\(folder)/check.txt") == nil)
  }

  /// The app that a scenario names.
  private static func simulator(_ scenario: Scenario, _ directory: String) -> Simulator {
    guard let probe = ProbeApp(rawValue: scenario.apps[0].name) else {
      var options = NotesDelegate.Options()
      options.directory = directory
      return Simulator(scenario) { [options] in NotesDelegate(options: options) }
    }
    return Simulator(scenario, configuration: probe.configuration) { probe.delegate() }
  }

  private static func texts(_ life: SimulatedLife) -> (story: String, report: String) {
    let hidden: Set<EventKind> = [.turnBegin, .turnEnd, .callbackEnd]
    let writer = StoryWriter()
    let labels = life.labels
    var lines: [String] = []
    for (index, stream) in life.streams.enumerated() {
      for event in stream.events where !hidden.contains(event.kind) {
        lines.append(writer.line(for: event, names: life.names, label: labels[index]))
      }
    }
    let report = CheckReport(
      life.checker,
      labels: labels,
      epochs: life.streams.map { _ in HostTime(rawValue: 0) }
    )
    // Which rules were kept is for the stories of the rules: a new rule changes nothing here.
    let verdicts = report.text(file: "trace.lifetrace").split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    .filter { !$0.hasPrefix("kept:") && !$0.hasPrefix("no occasion:") }
    return (lines.joined(separator: "\n") + "\n", verdicts.joined(separator: "\n"))
  }
}
