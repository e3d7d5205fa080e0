// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceScenario
import LifetraceInterop
import LifetraceApp
import LifetraceTesting
import NotesCore
import ProbeCore
import LifetraceReports
import LifetraceRules
import Support
import Testing
import LifetraceTrace

/// Every scenario in `Traces/host-*`: the life that the host makes of it, and what `check` says.
///
/// The life is the golden, a story that `replay` opens; it leaves out the turns of the run loop,
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
    // So that `lifetrace replay Traces/host-home/life.txt` opens it and says the same.
    let read = try Story.parse(made)
    #expect(read.writers.map(\.label) == life.labels)
    #expect(Self.broken(Self.verdicts(read)) == Self.broken(life.verdicts))
  }

  /// Which rules are broken, and when; what is blamed may be a turn of the run loop, which is not printed.
  private static func broken(_ verdicts: [Verdict]) -> [String] {
    verdicts.filter { $0.outcome == .violated }.map { "\($0.rule) \($0.time)" }
  }

  private static func verdicts(_ story: Story) -> [Verdict] {
    Judgement().checker(of: story.source).finish()
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
    let hidden: Set<EventKind> = [.turnBegin, .turnEnd]
    let writer = StoryWriter()
    let labels = life.labels
    let labelOf = Dictionary(uniqueKeysWithValues: zip(life.streams.map(\.writer), labels))
    var lines = life.streams.enumerated().map { index, stream in
      let header = writer.header(
        for: stream.writer,
        stream.attributes,
        label: labels[index],
        previous: stream.attributes.previous.flatMap { labelOf[$0] }
      )
      // The ids of writers are random.
      return header.replacing(" id=\(stream.writer.text)", with: "")
    }
    for (index, stream) in life.streams.enumerated() {
      for event in stream.events where !hidden.contains(event.kind) {
        lines.append(writer.line(for: event, names: life.names, label: labels[index]))
      }
    }
    let report = CheckFacts(
      life.checker,
      named: "trace.lifetrace",
      writers: labels.map { .init($0) }
    )
    // How many rules were kept is for the stories of the rules: a new rule changes nothing here.
    let verdicts = report.text().split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    .filter { !$0.hasSuffix(" kept.") && !$0.hasSuffix(" not exercised.") }
    return (lines.joined(separator: "\n") + "\n", verdicts.joined(separator: "\n"))
  }
}
