// SPDX-License-Identifier: Apache-2.0
public import LifetraceLifecycle
public import LifetraceRules
public import LifetraceTimeline
public import LifetraceTrace

/// A verdict with its place in the order of all events.
public struct Finding: Sendable {
  /// What `#3` means, from 1, in order of place.
  public let number: Int
  /// What the rule says.
  public let verdict: Verdict
  /// The number of the event at which it became so.
  public let event: Int
}

/// Everything the rules say about a recording, checked once.
public struct Findings: Sendable {
  /// Violations in order of place.
  public let violations: [Finding]
  /// What could not be decided.
  public let undecidable: [Finding]
  /// Breaches beyond those that are kept with their places, by rule.
  public let unlisted: [(rule: String, count: Int)]

  /// Runs the rules over all streams, one app life after the other.
  ///
  /// `progress` is told after each chunk how many events have been judged.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so between two chunks.
  public init(
    _ timeline: Timeline,
    _ labels: Labels,
    by judgement: Judgement,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in },
    startState: (StreamID) -> LifeState
  ) throws(SearchInterrupted) {
    var checker = judgement.checker
    var done = 0
    for incarnation in labels.lives.flatMap(\.incarnations) {
      let stream = incarnation.index
      let index = timeline.streams[stream]
      checker.begin(
        stream: index.id,
        attributes: index.attributes,
        state: startState(index.id),
        incarnation: incarnation.number,
        label: incarnation.label
      )
      for number in index.chunks.indices {
        if isInterrupted() { throw SearchInterrupted() }
        let chunk = timeline.openChunk(number, of: stream)
        if chunk.isDamaged {
          checker.skip(index.chunks[number], isLast: number == index.chunks.count - 1)
        } else {
          checker.enter(index.chunks[number]) {
            chunk.keyframe.isEmpty ? nil : timeline.source.state(decoding: chunk.keyframe)
          }
          let names = timeline.names
          for event in chunk.events { checker.apply(event, names: names) }
        }
        done += chunk.events.count
        progress(done)
      }
      checker.finishStream(names: timeline.names)
    }
    let verdicts = checker.finish()
    var unlisted: [String: Int] = [:]
    for count in checker.counts { unlisted[count.rule, default: 0] += count.violated }
    for verdict in verdicts where verdict.outcome == .violated {
      unlisted[verdict.rule, default: 0] -= 1
    }
    self.unlisted = unlisted.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
    func findings(_ isWanted: (Verdict) -> Bool) -> [Finding] {
      verdicts.filter(isWanted)
        .map { ($0, timeline.ordinal(of: $0.stream, sequence: $0.sequence) ?? 0) }
        .sorted { ($0.1, $0.0.rule) < ($1.1, $1.0.rule) }
        .enumerated()
        .map { Finding(number: $0.offset + 1, verdict: $0.element.0, event: $0.element.1) }
    }
    violations = findings { $0.outcome == .violated }
    undecidable = findings {
      if case .undecidable = $0.outcome { return true }
      return false
    }
  }

  /// The violation to open at: the first of the gravest.
  public var gravest: Finding? {
    let most = violations.map(\.verdict.severity).max()
    return violations.first { $0.verdict.severity == most }
  }
}
