// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceLifecycle
import LifetraceScenario
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

/// What one play says of a process that ended where it was to, and of the two launches behind it.
package struct Trial: Sendable {
  /// Whether the process came to that point at all.
  package var isReached: Bool
  /// What went wrong because of the end; each once.
  package var found: [Found] = []
}

extension StagedLife {
  /// Judges the end of the process that is start `start`, and what the launches behind it found.
  package func trial(ofStart start: Int, by judgement: Judgement) -> Trial {
    guard report.starts.indices.contains(start), let end = report.starts[start].fell else {
      return Trial(isReached: false)
    }
    let app = report.starts[start].app
    let later = report.starts.indices.filter { $0 > start && report.starts[$0].app == app }
    let streams = streamOfStart
    guard let dead = streams[start] else { return Trial(isReached: false) }
    let launches = later.prefix(2).map { streams[$0] }
    var trial = Trial(isReached: true)
    trial.found = violations(dead: dead, next: launches.first ?? nil, judgement)
    let before = report.starts.indices.last { $0 < start && report.starts[$0].app == app }
    let inherited = before.flatMap { streams[$0] }.map { folded($0, after: nil) }
    let atEnd = folded(dead, after: inherited)
    guard let next = launches.first ?? nil else {
      trial.found.append(
        Found(.relaunch, "", "the app did not come up again: no process of it took part")
      )
      return trial
    }
    let first = folded(next, after: atEnd)
    trial.found += isUp(next, first)
    let level = DurabilityLevel.surviving(end.death.cause)
    trial.found += claims(of: atEnd, at: level, foundBy: first)
    guard launches.count > 1, let last = launches[1] else { return trial.settled }
    let second = folded(last, after: first)
    trial.found += isUp(last, second)
    trial.found += agreement(first, second)
    return trial.settled
  }

  // MARK: Rules

  /// What the rules say of the end itself and of the launch behind it.
  ///
  /// What went wrong before is part of the life as it is written; the end of that launch is ours.
  private func violations(dead: Int, next: Int?, _ judgement: Judgement) -> [Found] {
    let end = ending(of: dead)
    let nextEnd = next.map(ending(of:)) ?? .max
    return verdicts(by: judgement).filter { verdict in
      guard verdict.outcome == .violated, verdict.severity == .error else { return false }
      let stream = Int(verdict.stream.rawValue)
      return stream == dead && verdict.sequence >= end
        || stream == next && verdict.sequence < nextEnd
    }.map(Found.init)
  }

  func verdicts(by judgement: Judgement) -> [Verdict] {
    judgement.checker(of: MemorySource(writers, names: names)).finish()
  }

  private func ending(of stream: Int) -> UInt64 {
    writers[stream].events.first { $0.kind == .purge || $0.kind == .processExit }?.sequence ?? .max
  }

  // MARK: The launch comes up

  private func isUp(_ stream: Int, _ state: LifeState) -> [Found] {
    guard let ending = state.process.ending else { return [] }
    let cause = names[ending.cause]
    let isOurs = HarnessEnd.isOne(cause) || cause == TerminationCause.purge.rawValue
    guard !isOurs else { return [] }
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

  // MARK: What was reported saved

  private func claims(
    of state: LifeState,
    at level: DurabilityLevel,
    foundBy next: LifeState
  ) -> [Found] {
    state.data.values.sorted { names[$0.name] < names[$1.name] }.compactMap { object in
      guard let found = next.data[object.name]?.foundAtLaunch else { return nil }
      return claim(object, level, found) ?? ledger(object, level, found)
    }
  }

  /// The next launch must find at least the newest version that was reported to survive this.
  private func claim(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ found: DataObject.Restored
  ) -> Found? {
    let version = max(object.durable[level], object.inherited?.version ?? 0)
    guard version > 0, object.discarded < version else { return nil }
    let name = names[object.name]
    let said = "\(name): version \(version) was reported saved"
    let advice =
      "Put the new content in place in one step (write a file beside it, sync it, rename it), and "
      + "report it saved only behind that."
    let isNothing = found.version == 0 && (found.hash == 0 || found.content.bytes == 0)
    let stands = object.standing(at: level)
    if isNothing, stands?.bytes ?? 1 > 0 {
      return Found(.claim, name, "\(said), and the next launch found nothing of it", advice: advice)
    }
    if found.version > 0, found.version < version {
      let older = "\(said), and the next launch found version \(found.version)"
      return Found(.claim, name, older, advice: advice)
    }
    guard let stands, found.hash != 0, found.content != stands, !object.isBeingSaved,
      found.version == version || found.version == 0
    else { return nil }
    return Found(.claim, name, "\(said), and the next launch found other bytes", advice: advice)
  }

  /// What the trace calls lost for certain must not be there.
  private func ledger(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ found: DataObject.Restored
  ) -> Found? {
    guard object.isUnsaved(at: level), object.survival(at: level) == nil, let edit = object.dirty,
      edit.version > 0, found.version == edit.version, edit.hash == 0 || found.hash == edit.hash
    else { return nil }
    return Found(
      .ledger,
      names[object.name],
      "\(names[object.name]): version \(edit.version) was not reported saved, and was there all the same",
      advice: "Report each save that is made: Lifetrace.save does, and so does durable."
    )
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
    var out = self
    out.found = found.filter { seen.insert($0.kind).inserted }
    return out
  }
}
