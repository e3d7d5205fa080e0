// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
package import LifetraceScenario
package import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What one play says of a process that ended where it was to, and of the two launches behind it.
package struct Trial: Sendable {
  /// Whether the process came to that point at all.
  package var isReached: Bool
  /// What went wrong because of the end; each once.
  package var found: [Found] = []
  /// Objects whose edit was lost while the app was still handling it.
  package var inHand: Set<String> = []
  /// Objects whose edit was lost by a purge of an app in front, or still saving on its way from there,
  /// where that is not counted.
  package var inFront: Set<String> = []
  /// Objects that were reported saved, and of which the next launch did not say what it found.
  package var unread: Set<String> = []
  /// Objects that had been saved, and that a launch wrote over without having read them.
  package var writtenOver: Set<String> = []
  /// The state of the app right before its end, as people say it.
  package var stateWord = ""
  /// What had to be in the files behind the end.
  var claims: [Claim] = []
  /// For each object that the next launch looked for: what the trace foretold, and what was there.
  package var forecasts: [Forecast] = []
}

/// What the trace of a process says of an object at its end, and what the next launch found of it.
package struct Forecast: Sendable, Hashable {
  package var object: String
  /// The newest version that there was.
  package var newest: UInt64
  /// Whether that is lost; nil where a save was under way, which may have come through.
  package var isLost: Bool?
  /// The version that is left by it, 0 for none; nil where that is not certain.
  package var leaves: UInt64?
  /// The version that was there, 0 for none.
  package var found: UInt64
}

extension StagedLife {
  /// Judges the end, by `act`, of the process that is start `start`, and what the launches behind it
  /// found; `states` are those that were asked for.
  ///
  /// `verdicts` are the violations of its app, where they are known.
  package func trial(
    ofStart start: Int,
    _ act: ScriptedEnd.Act,
    by checker: Checker,
    in states: Set<String>? = nil,
    verdicts: [Verdict]? = nil
  ) -> Trial {
    let app = report.starts[start].app
    let later = report.starts.indices.filter { $0 > start && report.starts[$0].app == app }
    let streams = streamOfStart
    guard let dead = streams[start] else { return Trial(isReached: false) }
    let launches = later.prefix(2).map { streams[$0] }
    let before = report.starts.indices.last { $0 < start && report.starts[$0].app == app }
    let inherited = before.flatMap { streams[$0] }.map { folded($0, after: nil) }
    var trial = Trial(isReached: true)
    let violations = verdicts ?? violations(by: checker)
    trial.found = found(among: violations, dead: dead, next: launches.first ?? nil)
    trial.writtenOver = writtenOver(among: violations)
    let end = ending(of: dead)
    let (last, isLeaving) = moment(before: end, in: dead, after: inherited)
    var atEnd = last
    for event in writers[dead].events.drop(while: { $0.sequence < end }) {
      atEnd.apply(event, names: names)
    }
    trial.stateWord = CoverageKey(last, names).stateWord
    let level = DurabilityLevel.surviving(ScriptedEnd(act, after: nil, count: 1).death.cause)
    let told = report.starts[start].toldSince
    trial.inHand = inHand(last, at: level, in: dead, before: end, since: told)
    trial.found.removeAll { $0.kind.rule == "DS02" && trial.inHand.contains($0.kind.object) }
    let isExcused = inHand(last, at: .kernel, in: dead, before: end, since: told)
    trial.found = trial.found.map {
      let told = lackingSync($0, last, level, in: dead, newerAreInHand: isExcused)
      return explained(told, last, before: end, in: dead, after: inherited)
    }
    let isInFront = ![.background, .suspended].contains(last.appState)
    let isSpared =
      isInFront ? act == .purge && states == nil : [.purge, .kill].contains(act) && isLeaving
    if isSpared {
      let losses = trial.found.filter { $0.kind.rule == "DS02" }
      trial.inFront = Set(losses.map(\.kind.object))
      trial.found.removeAll(where: losses.contains)
    }
    trial.claims = claims(of: atEnd, in: dead, at: level)
    // Where no step launched it again, there is nothing to ask of that.
    guard !launches.isEmpty else { return trial.settled }
    guard let next = launches.first ?? nil else {
      trial.found.append(
        Found(.relaunch, "", "the app did not come up again: no process of it took part")
      )
      return trial
    }
    let first = folded(next, after: atEnd)
    trial.found += isUp(next, first)
    trial.forecasts = forecasts(of: atEnd, at: level, foundBy: first)
    trial.unread = unread(of: atEnd, at: level, by: first)
    trial.found += claims(
      of: atEnd,
      in: dead,
      at: level,
      foundBy: first,
      isAtRest: last.appState == .suspended
    )
    guard launches.count > 1, let last = launches[1] else { return trial.settled }
    let second = folded(last, after: first)
    trial.found += isUp(last, second)
    trial.found += agreement(first, second)
    return trial.settled
  }

  /// The start whose process ended as a launch step had said, else by the act of another step.
  package func ended(by act: ScriptedEnd.Act) -> Int? {
    let cause = ScriptedEnd(act, after: nil, count: 1).death.cause
    let streams = streamOfStart
    return report.starts.firstIndex { $0.fell != nil }
      ?? report.starts.indices.first { start in
        guard let stream = streams[start] else { return false }
        return writers[stream].events.contains {
          $0.kind == .processExit && names[Payload.ProcessExit($0).cause] == cause
        }
      }
  }

  // MARK: Rules

  /// What the rules say of the end itself and of the launch behind it.
  ///
  /// What went wrong before is part of the life as it is written; the end of that launch is ours.
  private func found(among verdicts: [Verdict], dead: Int, next: Int?) -> [Found] {
    let end = ending(of: dead)
    let nextEnd = next.map(ending(of:)) ?? .max
    return verdicts.filter { verdict in
      guard verdict.severity == .error else { return false }
      let stream = Int(verdict.stream.rawValue)
      return stream == dead && verdict.sequence >= end
        || stream == next && verdict.sequence < nextEnd
    }.map(Found.init)
  }

  /// Objects that had been saved, and that a launch wrote over unread: whether anybody misses them no rule
  /// can say, and so it is no error.
  private func writtenOver(among verdicts: [Verdict]) -> Set<String> {
    let blind = verdicts.filter { verdict in
      verdict.rule == "DS12" && verdict.severity == .warning
        && verdict.witnesses.contains { $0.label == "written over" }
    }
    return Set(blind.compactMap(\.title.subject))
  }

  /// Objects whose oldest edit that `level` would lose was made in a call that had not returned when the
  /// process ended, or while it was handling an event since `told`, as the system knows, or is the last
  /// thing that the process has reported at all.
  ///
  /// No app saves before it has been told what to save.
  private func inHand(
    _ state: LifeState,
    at level: DurabilityLevel,
    in stream: Int,
    before end: UInt64,
    since told: Int64?
  ) -> Set<String> {
    let calls = state.spans.values.filter { [.callbackBegin, .turnBegin].contains($0.kind) }
    let last = writers[stream].events.last { $0.sequence < end && $0.observer == .own }?.sequence
    let objects = state.unsaved(at: level).filter { object in
      guard let edit = oldest(object, at: level, in: stream) else { return false }
      return edit.sequence == last || told.map { edit.time.rawValue >= $0 } ?? false
        || calls.contains { $0.thread == edit.thread && $0.sequence < edit.sequence }
    }
    return Set(objects.map { names[$0.name] })
  }

  /// The oldest edit of the object that an end would lose which `level` does not survive.
  private func oldest(
    _ object: DataObject,
    at level: DurabilityLevel,
    in stream: Int
  ) -> (time: HostTime, sequence: UInt64, thread: ThreadID)? {
    guard level > .kernel else {
      return (object.firstUnsaved ?? object.dirty).map { ($0.time, $0.sequence, $0.thread) }
    }
    let safe = max(object.durable[level], object.discarded)
    let edit = writers[stream].events.first {
      $0.kind == .dataDirty && $0.identityName == object.name
        && Payload.DataDirty($0).version > safe
    }
    return edit.map { ($0.time, $0.sequence, $0.thread) }
  }

  /// The state before the event with that number, and whether the app is on its way to the back then:
  /// it executes there until didEnterBackground has returned and its background tasks have ended.
  ///
  /// The system takes memory from what is suspended, and then from what executes in the background; an
  /// app that saves meanwhile does what it can.
  private func moment(
    before end: UInt64,
    in stream: Int,
    after inherited: LifeState?
  ) -> (state: LifeState, isLeaving: Bool) {
    var state = LifeState()
    if let inherited { state.beginIncarnation(after: inherited, names: names) }
    var isCallAhead = false
    for event in writers[stream].events where event.sequence < end {
      let before = state.appState
      if event.kind == .callbackEnd, isCallAhead {
        let call = state.spans[SpanKey(event.identity, .callbackBegin)]
        let name = call.flatMap { Callback(named: names[names[$0.site].name]) }
        if name == .didEnterBackground { isCallAhead = false }
      }
      state.apply(event, names: names)
      if state.appState != before {
        isCallAhead = before == .inactive && state.appState == .background
      }
    }
    return (state, state.appState == .background && (isCallAhead || !state.tasks.isEmpty))
  }

  func verdicts(by checker: Checker) -> [Verdict] { judged(by: checker).finish() }

  func violations(by checker: Checker) -> [Verdict] { judged(by: checker).violations }

  private func judged(by checker: Checker) -> Checker {
    var judge = Judge(MemorySource(writers, names: names), checker)
    judge.judge(judge.source.lives)
    return judge.checker
  }

  private func ending(of stream: Int) -> UInt64 {
    writers[stream].events.first { $0.kind == .purge || $0.kind == .processExit }?.sequence ?? .max
  }

  // MARK: The launch comes up

  private func isUp(_ stream: Int, _ state: LifeState) -> [Found] {
    guard let ending = state.process.ending else { return [] }
    let cause = names[ending.cause]
    // What the system, the user or a step of the scenario ends, a crash step too, is no fault of the launch.
    let isOrdinary =
      if case .ordinary = EndKind(cause: cause, code: ending.code, isImported: false) { true } else
      {
        false
      }
    guard !isOrdinary || cause == TerminationCause.exit.rawValue else { return [] }
    let code = ending.code > 255 ? ", code 0x" + String(ending.code, radix: 16) : ""
    return [
      Found(
        .relaunch,
        "",
        "the app did not live through its next launch: it ended by \(cause)\(code)",
        advice: "Read what is there at a launch as if anything could be missing or half there."
      )
    ]
  }

  // MARK: A second launch

  private func agreement(_ first: LifeState, _ second: LifeState) -> [Found] {
    first.data.values.sorted { names[$0.name] < names[$1.name] }.compactMap { object in
      guard let one = object.foundAtLaunch, let two = second.data[object.name]?.foundAtLaunch,
        object.flushing == nil, object.lastSave == nil, object.discarded == 0
      else { return nil }
      guard one.version != two.version || one.content != two.content else { return nil }
      let name = names[object.name]
      return Found(
        .again,
        name,
        "\(name): the next launch found version \(one.version) and saved nothing, and the one behind "
          + "it found version \(two.version)",
        advice: "A launch that only reads leaves what it reads as it is."
      )
    }
  }
}

extension Trial {
  /// The same with each kind of failure once.
  fileprivate var settled: Trial {
    var seen: Set<FailureClass> = []
    // What a rule says of the same object and the same launch is not said twice.
    let older = Set(found.filter { $0.kind.rule == "DS12" }.map(\.kind.object))
    var out = self
    out.found = found.filter {
      let isSaid = $0.kind.rule == Oracle.claim.rawValue && older.contains($0.kind.object)
      return !isSaid && seen.insert($0.kind).inserted
    }
    return out
  }
}
