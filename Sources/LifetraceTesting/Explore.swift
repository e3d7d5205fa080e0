// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp
import CLifetracePlatform
package import LifetraceExplore
import LifetraceJudging
import LifetraceLifecycle
public import LifetraceScenario
import LifetraceTrace
import LifetraceWords

/// What takes an app away, in ``explore(_:ends:within:configuration:file:delegate:)``.
public enum AppEnd: String, Sendable, CaseIterable {
  /// The system takes its memory, without a word to it.
  case purge
  /// The user throws it out of the switcher.
  case kill
  /// It crashes.
  case crash
  /// The device restarts, and what was not synced is gone.
  case reboot
}

/// What became of ending an app at every point of a life.
///
/// Its description is the report: what was played, in which situations, and each kind of failure with
/// the smallest scenario that has it.
public struct ExploredLife: Sendable, CustomStringConvertible {
  /// One kind of failure.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The id of a rule; `claim` for data that was reported saved and is not there, `bytes`
    /// where its file does not hold it, `relaunch` for a
    /// launch that does not come up, `again` for a second launch that finds something else, `ledger`
    /// for a loss that is none.
    public let rule: String
    /// The data object, callback or task that it is about; may be empty.
    public let object: String
    /// Where in the source, such as `Editor.swift:41`; may be empty.
    public let site: String
    /// One sentence.
    public let description: String
    /// At how many ends it was found.
    public let count: Int
    /// The smallest scenario that fails so, as a file; nil where none was found.
    public let smallestScenario: String?
    /// The number of its steps.
    public let stepCount: Int?
  }

  /// The kinds of failure, by rule, object and place.
  public let failures: [Failure]
  /// How many ends there are: points, each as often as something can end the app there.
  public let endCount: Int
  /// How many of them were played.
  public let playedCount: Int
  /// How many different situations the points are in, and how many of them were played.
  public let situations: (all: Int, played: Int)
  /// The report.
  public let description: String

  package let exploration: Exploration

  init(_ exploration: Exploration) {
    self.exploration = exploration
    failures = exploration.failures.map { failure in
      Failure(
        rule: failure.kind.rule,
        object: failure.kind.object,
        site: failure.kind.site,
        description: "\(failure.kind.rule): \(failure.first.title)",
        count: failure.cases.count,
        smallestScenario: failure.yaml(),
        stepCount: failure.smallest?.steps.count
      )
    }
    endCount = exploration.cases.count
    playedCount = exploration.playedCount
    situations = exploration.situations
    let files = failures.map { failure in
      failure.smallestScenario.map {
        ["The smallest scenario:"]
          + $0.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "  \($0)" }
      } ?? []
    }
    description = exploration.lines(Paint(isOn: false), files: files).joined(separator: "\n")
  }
}

/// Ends an app at every point of a life, in virtual time, and looks what its next launch finds.
///
///     @MainActor @Test func survivesEverything() throws {
///       let scenario = try Scenario(contentsOf: "scenario.yml")
///       let found = try explore(scenario) { YourAppDelegate() }
///       #expect(found.failures.isEmpty, "\(found)")
///     }
///
/// The scenario is played once undisturbed, and then once for each event of the app in it: right
/// behind that event the process ends, and the app is launched again, twice. It is a failure where a
/// rule is broken by that, where data that was reported saved is not there with the same bytes, where
/// a launch does not come up, or a second one finds something else.
///
/// The app keeps its data in `application.dataDirectory`, which each play has for itself: there its
/// files are as the end has left them, although its code has run on to the end of its call. It costs
/// a play of the scenario for each end, some milliseconds; `budget` bounds it, and the report says
/// what was left out.
///
/// - Throws: `HostError` where the scenario cannot be played or the package's `lifetrace.yml` has a
///   mistake, and an error that names the event where
///   two plays were not the same.
@MainActor
public func explore(
  _ scenario: Scenario,
  ends: [AppEnd] = [.purge],
  within budget: Duration? = nil,
  configuration: Application.Configuration? = nil,
  file: String = #filePath,
  delegate: @escaping @MainActor @Sendable () -> any ApplicationDelegate
) throws -> ExploredLife {
  let makers = scenario.apps.map {
    VirtualWorld.Maker(
      configuration: configuration ?? .init(bundleIdentifier: $0.name),
      delegate: delegate
    )
  }
  let project = try ProjectRules(scenario, profile: nil, above: file)
  var options = ExploreOptions()
  options.acts = ends.compactMap { ScriptedEnd.Act(rawValue: $0.rawValue) }
  options.budget = budget.map {
    $0.components.seconds * 1_000_000_000 + $0.components.attoseconds / 1_000_000_000
  }
  options.judgement = project.judgement
  var explorer = Explorer(
    VirtualStage(makers: makers, project: project),
    now: cplatform_monotonic
  )
  let words = CrashWords()
  defer { words.stop() }
  explorer.onEnd = { point, end in
    MainActor.assumeIsolated { words.say(point.crashWords(end)) }
  }
  return ExploredLife(try explorer.explore(scenario, options))
}
