// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceExplore
import LifetraceJudging
import LifetraceLifecycle
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace

/// Plays scenarios in virtual time, each with apps and folders of its own.
struct VirtualStage: Stage {
  let makers: [VirtualWorld.Maker]
  let project: ProjectRules

  /// The same scenario gives the same life.
  var isDeterministic: Bool { true }

  mutating func play(_ scenario: Scenario, until isOver: (@Sendable () -> Bool)?) throws
    -> StagedLife
  {
    let (makers, project) = (self.makers, self.project)
    return try MainActor.assumeIsolated {
      let simulator = Simulator(scenario, project, nil, makers)
      if let isOver { simulator.limit = PlayLimit(isOver: isOver) }
      return StagedLife(try simulator.playSilently())
    }
  }
}

extension StagedLife {
  /// A simulated life as what is explored.
  init(_ life: SimulatedLife) {
    self.init(
      names: life.names,
      writers: life.streams.map {
        MemorySource.Writer(id: $0.writer, attributes: $0.attributes, events: $0.events)
      },
      report: life.report
    )
  }
}

extension SimulatedLife {
  /// Data that was reported saved before an end and not found behind it, launches that did not come
  /// up, and launches that did not find what the one before found: a sentence each.
  ///
  /// For the end that a launch step of the scenario asks for (`ends`), else for the first end of all.
  public var brokenPromises: [String] {
    let life = StagedLife(self)
    let acts = ScriptedEnd.Act.allCases
    let fell = report.starts.firstIndex { $0.fell != nil }
    let ends = fell.flatMap { start in report.starts[start].fell.map { (start, $0.act) } }
    guard
      let (start, act) = ends
        ?? acts.lazy.compactMap({ act in
          life.ended(by: act).map { ($0, act) }
        }).first
    else { return [] }
    return life.judged(ofStart: start, act, by: project.judgement.checker)
      .filter { Oracle(rawValue: $0.kind.rule) != nil }.map(\.title)
  }
}
