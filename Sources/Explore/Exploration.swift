// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceRules
package import LifetraceScenario

/// What is to be explored, and for how long.
package struct ExploreOptions: Sendable {
  /// What takes the process away; each at every point where it can happen.
  package var acts: [ScriptedEnd.Act] = [.purge]
  /// The states in which it is ended, each loss of which counts; nil for every one, where what an app
  /// in front has not saved yet when it is purged does not count.
  package var states: Set<String>?
  /// Nanoseconds after which no other play is begun, that for smallest scenarios included; nil for as
  /// long as it takes.
  package var budget: Int64?
  /// By what plays are judged.
  package var judgement = Judgement()
  /// Whether the smallest scenario is looked for, for each kind of failure.
  package var reduces = true
  /// At most so many plays are made for that, for each kind.
  package var reductionPlaysMax = 400

  /// Purges everywhere.
  package init() {}
}

/// What became of ending an app at every point of a life.
package struct Exploration: Sendable {
  /// One end: at a point, by an act.
  package struct Case: Sendable {
    /// Its point's index in ``Exploration/points``.
    package var point: Int
    package var act: ScriptedEnd.Act
    /// Nil as long as it was not played.
    package var trial: Trial?
  }

  /// Failures of one kind.
  package struct Failure: Sendable {
    package var kind: FailureClass
    /// As the first of them was told.
    package var first: Found
    /// The indexes of their cases, the earliest first.
    package var cases: [Int]
    /// The smallest scenario that has it, where one was looked for and found.
    package var smallest: Scenario?
    /// Whether time or plays were used up before that search was done: what was found may have steps too
    /// many.
    package var isReductionCut = false
  }

  /// The scenario, written out.
  package var scenario: Scenario
  package var acts: [ScriptedEnd.Act]
  /// The points of the undisturbed life, in order.
  package var points: [Point]
  /// In the order in which they were to be played.
  package var cases: [Case]
  /// What goes wrong in the life as it is written.
  package var asWritten: [Found]
  /// Steps that could not be played in the life as it is written.
  package var complaints: [ScenarioProblem]
  /// By kind.
  package var failures: [Failure] = []
  /// Nanoseconds that it took, without the search for smallest scenarios.
  package var elapsed: Int64 = 0
  /// Nanoseconds that the search for smallest scenarios took behind that; nil where it was not begun.
  package var reductionElapsed: Int64?
  /// Which files were compared with what was reported saved.
  package var files = FilesOfObjects.Summary()
  package var budget: Int64?
  /// Whether somebody wanted it to end before it was done.
  package var wasInterrupted = false
  /// Nanoseconds that the undisturbed play took.
  package var firstElapsed: Int64 = 0
  /// After how many whole steps, of how many, the undisturbed life was ended, as the budget was up or
  /// somebody interrupted it; nil where it was played to its end.
  package var cut: (steps: Int, all: Int)?

  /// How many were played to their point.
  package var playedCount: Int { cases.count { $0.trial?.isReached == true } }
  /// How many were played, and did not come to their point.
  package var missedCount: Int { cases.count { $0.trial?.isReached == false } }
  /// Whether all that there was to play was played.
  package var isComplete: Bool { cut == nil && !cases.contains { $0.trial == nil } }
  /// How many situations there are, and of how many one point was played.
  package var situations: (all: Int, played: Int) {
    let played = cases.filter { $0.trial?.isReached == true }.map { points[$0.point].key }
    return (Set(cases.map { points[$0.point].key }).count, Set(played).count)
  }
}

/// Ends an app at every point of a life, and judges what its next launch finds.
///
///     var explorer = Explorer(stage, now: monotonic)
///     let found = try explorer.explore(scenario, options)
///
/// The life is played once undisturbed; its events are the points. Then it is played once for each
/// point and act: one point of each situation first, then the second of each, and so on, so that a
/// budget that is too small leaves out what is most alike.
package struct Explorer<TheStage: Stage> {
  package internal(set) var stage: TheStage
  private let now: @Sendable () -> Int64
  /// Called with the recording of the first play that fails in a way of its own, before another play
  /// takes its place.
  package var onNewFailure: (FailureClass, StagedLife) -> Void = { _, _ in }
  /// Called before each play with how many are done, of how many.
  package var onProgress: (Int, Int) -> Void = { _, _ in }
  /// Called before each play with the point at which it ends, and how a launch step says that.
  package var onEnd: (Point, ScriptedEnd) -> Void = { _, _ in }
  /// Called before a smaller scenario is looked for, with how many kinds of failure are done.
  package var onReduction: (Int, Int) -> Void = { _, _ in }
  /// Whether somebody wants it to end: what was played until then counts.
  package var isInterrupted: @Sendable () -> Bool = { false }

  /// An explorer on that stage; `now` counts nanoseconds of real time.
  package init(_ stage: TheStage, now: @escaping @Sendable () -> Int64) {
    self.stage = stage
    self.now = now
  }

  /// Judges plays; copied for each.
  var checker = Checker()
  /// Whether no other play may be begun.
  private(set) var isOver: @Sendable () -> Bool = { false }

  /// Which file holds which object.
  var files = FilesOfObjects()
  /// The first play, as the others are compared with it.
  private var undisturbed: UndisturbedLife?
  /// What is known of the beginning of each play.
  private var beginning: JudgedBeginning?
  /// Judges each play from its begin, for tests of the shorter way.
  package var judgesFromTheBegin = false
  /// What files are around a save, by its process and step.
  private var around: [[Int]: FilesAround] = [:]

  /// Explores the life that the scenario is.
  package mutating func explore(_ scenario: Scenario, _ options: ExploreOptions) throws
    -> Exploration
  {
    let flat = scenario.flattened
    let begin = now()
    checker = options.judgement.checker.prepared(for: [.app, .harness])
    isOver = { @Sendable [now, isInterrupted] in
      isInterrupted() || options.budget.map { now() - begin >= $0 } ?? false
    }
    let life = try stage.play(flat, until: isOver)
    let firstElapsed = now() - begin
    undisturbed = nil
    beginning =
      stage.isDeterministic && !judgesFromTheBegin ? JudgedBeginning(life, by: checker) : nil
    let points = life.points()
    let isCut = life.report.isCut
    var out = Exploration(
      scenario: flat,
      acts: options.acts,
      points: points,
      cases: Self.order(points, options),
      // What its end has not seen is nobody's fault.
      asWritten: isCut ? [] : life.asWritten(checker),
      complaints: isCut ? [] : life.report.failures
    )
    out.budget = options.budget
    out.firstElapsed = firstElapsed
    if isCut { out.cut = (steps: life.report.steps, all: flat.steps.count) }
    files.learn(life)
    var unjudged: [(index: Int, played: Played)] = []
    for index in out.cases.indices where !isOver() {
      onProgress(index, out.cases.count)
      guard let played = try play(out.cases[index], flat, life, points, options) else { break }
      out.cases[index].trial = played.trial
      let known = out.failures.count
      out.add(played.trial.found, of: index)
      for failure in out.failures[known...] {
        if let life = played.life { onNewFailure(failure.kind, life) }
      }
      if !played.claims.isEmpty { unjudged.append((index, played.withoutLife)) }
    }
    // Which file is whose may have been seen later only.
    for (index, played) in unjudged {
      let found = files.missing(played.claims, in: played.left, ofApp: played.app)
      out.cases[index].trial?.found += found
      out.add(found, of: index)
    }
    out.files = files.summary
    out.elapsed = now() - begin
    out.wasInterrupted = isInterrupted()
    out.sortFailures()
    guard options.reduces else { return out }
    for index in out.failures.indices {
      guard !isOver(), let first = out.failures[index].cases.first else {
        out.failures[index].isReductionCut = true
        continue
      }
      onReduction(index, out.failures.count)
      let (point, act) = (points[out.cases[first].point], out.cases[first].act)
      let failure = try reduced(out.failures[index], point, act, flat, life, options, points)
      out.failures[index] = failure
      out.reductionElapsed = now() - begin - out.elapsed
    }
    out.wasInterrupted = isInterrupted()
    return out
  }

  /// A play to its end; nil where it was interrupted, and shows nothing.
  mutating func whole(_ scenario: Scenario) throws -> StagedLife? {
    let life = try stage.play(scenario, until: isInterrupted)
    return life.report.isCut ? nil : life
  }

  /// One end that was played.
  private struct Played {
    var trial: Trial
    /// Nil where it could not be played.
    var life: StagedLife?
    /// Whose file nobody knows yet, and the files that there were.
    var claims: [Claim] = []
    var left: [String: FilesOfObjects.Facts] = [:]
    var app = 0

    var withoutLife: Played {
      var out = self
      out.life = nil
      return out
    }
  }

  /// Nil where it was interrupted.
  private mutating func play(
    _ one: Exploration.Case,
    _ flat: Scenario,
    _ life: StagedLife,
    _ points: [Point],
    _ options: ExploreOptions
  ) throws -> Played? {
    let (point, act, starts) = (points[one.point], one.act, life.report.starts)
    guard
      let variant = Variant(flat, starts, point, act, endsWithStep: stage.isDeterministic)
    else { return Played(trial: Trial(isReached: false)) }
    onEnd(point, point.end(act))
    guard let played = try whole(variant.scenario) else { return nil }
    if stage.isDeterministic {
      var compared = undisturbed ?? UndisturbedLife(life)
      // Handed on, not copied.
      undisturbed = nil
      defer { undisturbed = compared }
      try compared.assertPrefix(of: played, upTo: point)
    }
    guard played.report.starts.dropFirst(variant.start).first?.fell != nil else {
      return Played(trial: Trial(isReached: false), life: played)
    }
    let verdicts = played.streamOfStart[variant.start].flatMap {
      beginning?.violations(of: played, dead: $0, point)
    }
    var out = Played(
      trial: played.trial(
        ofStart: variant.start,
        act,
        by: checker,
        in: options.states,
        verdicts: verdicts
      ),
      life: played
    )
    out.app = starts[point.start].app
    if let around = try filesAround(point, points, flat, starts) {
      out.trial.found += played.torn(
        around,
        ofApp: out.app,
        start: variant.start,
        point.phrase
      )
      // What is being saved cannot be saved yet.
      let edited = played.editedAtLast(start: variant.start)
      let inHand = out.trial.found.filter {
        $0.kind.rule == "DS02" && edited.contains($0.kind.object)
      }
      out.trial.inHand.formUnion(inHand.map(\.kind.object))
      out.trial.found.removeAll(where: inHand.contains)
    }
    // One that was left out may be there.
    guard let left = played.report.starts[variant.start].left, !left.isCut else { return out }
    let claims = out.trial.claimsToJudge
    out.left = FilesOfObjects.facts(left)
    files.learn(claims, from: out.left, ofApp: out.app)
    out.trial.found += files.missing(claims, in: out.left, ofApp: out.app)
    out.claims = claims.filter { files.file(of: $0.object, ofApp: out.app) == nil }
    return out
  }

  /// What files are where the process ends before the save that the point is in, and behind it; nil
  /// outside of saves, and where it was interrupted.
  mutating func filesAround(
    _ point: Point,
    _ points: [Point],
    _ flat: Scenario,
    _ starts: [ScenarioReport.Start]
  ) throws -> FilesAround? {
    guard let (before, after) = points.around(point) else { return nil }
    if let known = around[[point.start, point.step]] { return known }
    let app = starts[point.start].app
    func files(_ point: Point) throws -> [String: [UInt8]]? {
      // What is in the kernel is what the app wants to be there.
      guard let variant = Variant(flat, starts, point, .purge) else { return [:] }
      guard let files = try whole(variant.scenario)?.files else { return nil }
      return files.indices.contains(app) ? files[app] : [:]
    }
    guard let before = try files(before), let after = try files(after) else { return nil }
    let found = FilesAround(before: before, after: after)
    around[[point.start, point.step]] = found
    return found
  }

  /// One of each situation first, then the second of each: in rounds, each in the order of the life.
  private static func order(_ points: [Point], _ options: ExploreOptions) -> [Exploration.Case] {
    var rounds: [CoverageKey: Int] = [:]
    var ranked: [(round: Int, point: Int)] = []
    for (index, point) in points.enumerated()
    where options.states?.contains(point.key.stateWord) != false {
      ranked.append((rounds[point.key, default: 0], index))
      rounds[point.key, default: 0] += 1
    }
    ranked.sort { ($0.round, $0.point) < ($1.round, $1.point) }
    return ranked.flatMap { one in
      options.acts.filter { points[one.point].permits($0) }.map {
        Exploration.Case(point: one.point, act: $0)
      }
    }
  }
}

extension Exploration {
  fileprivate mutating func add(_ found: [Found], of index: Int) {
    for found in found {
      if let known = failures.firstIndex(where: { $0.kind == found.kind }) {
        failures[known].cases.append(index)
        let first = failures[known].cases[0]
        // The earliest tells it.
        if cases[index].point < cases[first].point {
          failures[known].cases.swapAt(0, failures[known].cases.count - 1)
          failures[known].first = found
        }
      } else {
        failures.append(Failure(kind: found.kind, first: found, cases: [index]))
      }
    }
  }

  fileprivate mutating func sortFailures() {
    for index in failures.indices {
      failures[index].cases.sort { cases[$0].point < cases[$1].point }
    }
    failures.sort { $0.kind < $1.kind }
  }
}

extension StagedLife {
  /// What the rules say of a life as it is written.
  package func asWritten(_ checker: Checker) -> [Found] {
    Found.each(.error, among: violations(by: checker))
  }
}
