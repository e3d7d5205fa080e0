// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace

/// Everything the rules say about a recording, checked once.
package struct Findings: Sendable {
  /// More verdicts than this have no place (32 bytes each); they are counted.
  package static let placesMax = 2_000_000

  /// Violations in order of place.
  package let violations: FindingList
  /// What could not be decided, in order of place.
  package let undecidable: FindingList
  /// By rule, the violations beyond ``placesMax``: nobody knows where they are.
  package let unplaced: [(rule: String, count: Int)]

  /// Runs the rules over all streams, one app life after the other.
  ///
  /// `progress` is told after each chunk how many events have been judged.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so between two chunks.
  package init(
    _ timeline: Timeline,
    _ labels: Labels,
    by judgement: Judgement,
    placesMax: Int = Findings.placesMax,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in },
    startState: (StreamID) -> LifeState
  ) throws(SearchInterrupted) {
    var checker = judgement.checker
    checker.collectPlaces()
    var collected = FindingCollector(timeline, placesMax: placesMax)
    var done = 0
    for incarnation in labels.lives.flatMap(\.incarnations) {
      let state = startState(timeline.streams[incarnation.index].id)
      try checker.run(incarnation, of: timeline, from: state) {
        checker,
        events throws(SearchInterrupted) in
        if isInterrupted() { throw SearchInterrupted() }
        collected.add(checker.takePlaces())
        done += events
        progress(done)
        return true
      }
      collected.add(checker.takePlaces())
    }
    (violations, undecidable) = collected.finish(checker)
    var unplaced: [String: Int] = [:]
    for count in checker.counts { unplaced[count.rule, default: 0] += count.violated }
    for finding in violations { unplaced[finding.rule, default: 0] -= 1 }
    self.unplaced = unplaced.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// The violation to open at: the first of the gravest.
  package var gravest: Finding? {
    let most = violations.map(\.severity).max()
    return violations.first { $0.severity == most }
  }
}

extension Checker {
  /// Judges the events of one incarnation, chunk by chunk.
  ///
  /// After each chunk `goesOn` is asked, with how many events it held; when it says no, the rest of
  /// the stream is not looked at.
  mutating func run(
    _ incarnation: AppLife.Incarnation,
    of timeline: Timeline,
    from state: LifeState,
    goesOn: (inout Checker, _ events: Int) throws(SearchInterrupted) -> Bool
  ) throws(SearchInterrupted) {
    let stream = incarnation.index
    let index = timeline.streams[stream]
    begin(
      stream: index.id,
      attributes: index.attributes,
      state: state,
      incarnation: incarnation.number,
      label: incarnation.label
    )
    for number in index.chunks.indices {
      let chunk = timeline.openChunk(number, of: stream)
      if chunk.isDamaged {
        skip(index.chunks[number], isLast: number == index.chunks.count - 1)
      } else {
        enter(index.chunks[number]) {
          chunk.keyframe.isEmpty ? nil : timeline.source.state(decoding: chunk.keyframe)
        }
        let names = timeline.names
        for event in chunk.events { apply(event, names: names) }
      }
      guard try goesOn(&self, chunk.events.count) else { return }
    }
    finishStream(names: timeline.names)
  }
}
