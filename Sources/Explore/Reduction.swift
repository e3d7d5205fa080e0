// SPDX-License-Identifier: Apache-2.0
import LifetraceHypotheses
import LifetraceJudging
import LifetraceLifecycle
package import LifetraceScenario

// The smallest scenario with the same failure: steps are left out as long as it still fails so.
// First it is tried whether a plain step does it (`purge` behind a step), which people read more
// easily than an end behind an event; else the event is named by what it is, as its number changes
// with every step that is left out. An edit that is lost has to be lost for the same reason all the
// way: else what is left may be one that no app could have saved.

extension Explorer {
  /// The failure with a scenario of which no step can be left out; without one where it did not come
  /// again.
  mutating func reduced(
    _ failure: Exploration.Failure,
    _ point: Point,
    _ act: ScriptedEnd.Act,
    _ scenario: Scenario,
    _ life: StagedLife,
    _ options: ExploreOptions,
    _ points: [Point]
  ) throws -> Exploration.Failure {
    let starts = life.report.starts
    var search = Search(
      kind: failure.kind,
      explanation: failure.first.explanation,
      act: act,
      states: options.states,
      around: try filesAround(point, points, scenario, starts),
      playsLeft: options.reductionPlaysMax
    )
    var out = failure
    out.smallest = try smallest(point, scenario, starts, &search)
    out.isReductionCut = search.isCut
    return out
  }

  private mutating func smallest(
    _ point: Point,
    _ scenario: Scenario,
    _ starts: [ScenarioReport.Start],
    _ search: inout Search
  ) throws -> Scenario? {
    let act = search.act
    for plain in Variant.plain(scenario, starts, point, act)
    where try outcome(plain, &search) == .fails {
      return try smallest(plain, &search)
    }
    for end in [
      ScriptedEnd(act, after: point.named.event, count: point.named.count), point.end(act),
    ] {
      guard let variant = Variant(scenario, starts, start: point.start, end: end) else {
        return nil
      }
      guard try outcome(variant.scenario, &search) == .fails else { continue }
      return try smallest(variant.scenario, &search)
    }
    return nil
  }

  /// Leaves out steps until none can be.
  private mutating func smallest(_ scenario: Scenario, _ search: inout Search) throws -> Scenario {
    var best = try smallestPart(of: scenario, count: \.steps.count) { best, range in
      var candidate = best
      candidate.steps.removeSubrange(range)
      return try failing(candidate, &search)
    }
    best.numberSteps()
    return best
  }

  /// The candidate, or one with another count of its event, if it fails as is searched for.
  private mutating func failing(_ candidate: Scenario, _ search: inout Search) throws -> Scenario? {
    guard !candidate.steps.isEmpty else { return nil }
    let first = try outcome(candidate, &search)
    if first == .fails { return candidate }
    guard let end = candidate.scriptedEnd, end.event != nil, end.count > 1 else { return nil }
    // Which of its events it may be now that steps are missing: the last where it is not met any more.
    let counts: Set<UInt64> =
      if case .lives(let met) = first { [met] } else { [end.count - 1, 1] }
    for count in counts.sorted(by: >) where 1..<end.count ~= count {
      let one = candidate.counting(count)
      if try outcome(one, &search) == .fails { return one }
    }
    return nil
  }

  private mutating func outcome(_ scenario: Scenario, _ search: inout Search) throws -> Outcome {
    search.isCut = search.isCut || isOver() || search.playsLeft == 0
    guard !search.isCut else { return .differs }
    search.playsLeft -= 1
    var scenario = scenario
    scenario.numberSteps()
    guard let life = try whole(scenario) else {
      search.isCut = true
      return .differs
    }
    let other = life.outcome(of: scenario.scriptedEnd)
    guard let start = life.ended(by: search.act) else { return other }
    let trial = life.trial(ofStart: start, search.act, by: checker, in: search.states)
    // With steps left out the app may be somewhere else when it ends.
    guard search.states?.contains(trial.stateWord) != false else { return other }
    var found = trial.found
    if let around = search.around {
      found += life.torn(around, ofApp: life.report.starts[start].app, start: start, "")
    }
    found += life.missingBytes(trial, ofStart: start, files)
    let isSame = found.contains {
      $0.kind == search.kind && $0.explanation == search.explanation
    }
    let isWhole = search.kind.rule == Oracle.whole.rawValue
    guard isSame, try !isWhole || wasThere(scenario, life, start, search) else { return other }
    return .fails
  }
}

extension Explorer {
  /// Whether the file was there before the save that was cut: a first save has nothing to lose.
  private mutating func wasThere(
    _ scenario: Scenario,
    _ life: StagedLife,
    _ start: Int,
    _ search: Search
  ) throws -> Bool {
    guard let step = life.lastStep(ofStart: start), scenario.steps.indices.contains(step) else {
      return false
    }
    var before = scenario
    before.steps = scenario.steps[..<step].map { step in
      guard ScriptedEnd(step) != nil else { return step }
      var step = step
      step.arguments.removeAll { ["ends", "after", "name", "nth"].contains($0.name) }
      return step
    }
    let app = life.report.starts[start].app
    guard let files = try whole(before)?.files else { return false }
    return files.indices.contains(app) && files[app][search.kind.object]?.isEmpty == false
  }
}

/// What became of a smaller scenario.
private enum Outcome: Equatable {
  /// The same.
  case fails
  /// Something else: no launch step ended its process, which came to so many of the events that it was to
  /// end behind.
  case lives(met: UInt64)
  /// Something else, or it was not played.
  case differs
}

extension StagedLife {
  /// What it is where it does not fail as it should.
  fileprivate func outcome(of end: ScriptedEnd?) -> Outcome {
    guard let event = end?.event, !report.starts.contains(where: { $0.fell != nil }) else {
      return .differs
    }
    let met = points().filter { $0.named.event == event }.map(\.named.count).max()
    return .lives(met: met ?? 0)
  }
}

/// What a smaller scenario has to show, and how long it may be looked for.
private struct Search {
  let kind: FailureClass
  let explanation: LossExplanation?
  let act: ScriptedEnd.Act
  /// Where it has to end, as it was asked for; nil for everywhere.
  let states: Set<String>?
  /// For a failure inside of a save.
  let around: FilesAround?
  var playsLeft: Int
  /// Whether the time was up before it was done, or the plays that it may take.
  var isCut = false
}

extension Scenario {
  /// How a launch step ends its process, if one does.
  package var scriptedEnd: ScriptedEnd? { steps.lazy.compactMap(ScriptedEnd.init).first }

  /// The same, but behind another one of these events.
  fileprivate func counting(_ count: UInt64) -> Scenario {
    var scenario = self
    guard let index = steps.firstIndex(where: { ScriptedEnd($0) != nil }),
      var end = ScriptedEnd(steps[index])
    else { return self }
    end.count = count
    scenario.steps[index].arguments.removeAll {
      ["ends", "after", "name", "nth"].contains($0.name)
    }
    scenario.steps[index].arguments += end.arguments
    return scenario
  }
}

extension Variant {
  /// The scenario up to the step of the point, with the act as a step of its own behind it; a purge of
  /// the suspended app first, as every day has it, and then one where the app is.
  static func plain(
    _ scenario: Scenario,
    _ starts: [ScenarioReport.Start],
    _ point: Point,
    _ act: ScriptedEnd.Act
  ) -> [Scenario] {
    // A user who throws an app out sends it to the back first: that is something else.
    guard act != .kill, scenario.steps.indices.contains(point.step) else { return [] }
    let name = scenario.apps[starts[point.start].app].name
    let ends: [Scenario.Step] =
      switch act {
      case .purge:
        [step(.purge, [("app", name)])]
          + (point.key.state == .suspended
            ? [] : [step(.purge, [("app", name), ("how", "jetsam")])])
      case .crash: [step(.crash, [("app", name)])]
      case .reboot, .kill: [step(.reboot, [])]
      }
    return ends.map { end in
      var out = scenario
      out.steps = scenario.steps[...point.step] + [end, relaunch(name)]
      out.numberSteps()
      return out
    }
  }
}
