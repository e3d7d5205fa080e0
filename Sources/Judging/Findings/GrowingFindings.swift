// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// What the rules say of a recording that is being made: they go on where they were.
///
///     var growing = GrowingFindings(judgement)
///     try growing.findings(of: timeline)     // judges all of it
///     timeline.grow()
///     try growing.findings(of: timeline)     // judges what has come since
///
/// Of each life a judge stands behind its last chunk. To tell what is found so far, a copy of it ends
/// there: what is open in the last incarnation is judged as it is where a recording ends. So it says the
/// same as ``Findings/init(_:by:placesMax:isInterrupted:progress:)`` says of as much. A life is judged anew
/// where events came into it that are not behind its end, and where one of its chunks cannot be
/// read, as what that means depends on whether it is the last. All are where processes send each other
/// messages, unless the rules that look across processes are off.
///
/// Costs as much as the chunks that came, some ten microseconds a life, and the order of all findings. A
/// life keeps some 50 kB.
package struct GrowingFindings {
  /// How they were judged.
  package let judgement: Judgement
  private let placesMax: Int
  private var lives: [Life] = []
  /// The ``Timeline/generation`` that they are of.
  private var generation = 0
  /// Knows the messages of the recording as it was when its streams had so many chunks.
  private var checker: Checker
  private var chunks: [Int] = []
  private var hasMessages = false

  fileprivate struct Life {
    var life: AppLife
    /// By incarnation: who it is, and how many chunks of it there were.
    var attributes: [WriterAttributes]
    var chunks: [Int]
    var judge: Judge<Timeline>
    var part = JudgedPart()
    /// The places of verdicts before what its end adds.
    var places: [PlacedVerdict] = []
    /// What a copy has found that ended there; nil where more was judged since.
    var ended: (checker: Checker, places: [PlacedVerdict])?

    init(_ life: AppLife, _ timeline: Timeline, _ checker: Checker) {
      self.life = life
      attributes = life.incarnations.map { timeline.streams[$0.index].attributes }
      chunks = life.incarnations.map { timeline.streams[$0.index].chunks.count }
      judge = Judge(timeline, checker)
      judge.collectPlaces()
    }
  }

  /// Nothing is judged yet.
  package init(_ judgement: Judgement, placesMax: Int = Findings.placesMax) {
    self.judgement = judgement
    checker = judgement.checker
    self.placesMax = placesMax
  }

  /// What the rules say of all that `timeline` has by now.
  ///
  /// `progress` is called after some events, ``JudgingStep/eventsMax`` at most, with the number of those
  /// judged in this call.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so; the next call goes on from there.
  package mutating func findings(
    of timeline: Timeline,
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> Findings {
    if generation != timeline.generation {
      (generation, lives) = (timeline.generation, [])
    }
    try takeMessages(timeline, isInterrupted)
    take(timeline)
    var done = 0
    for number in lives.indices {
      try lives[number].goOn(placesMax) { events throws(SearchInterrupted) in
        if isInterrupted() { throw SearchInterrupted() }
        done += events
        progress(done)
      }
    }
    return try told(timeline, isInterrupted)
  }

  /// Tells the rules of the messages between processes, and of the files that they share; as one that comes
  /// may answer for one that went long before, all lives are judged anew where there are some.
  private mutating func takeMessages(
    _ timeline: Timeline,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) {
    let now = timeline.streams.map(\.chunks.count)
    var checker = judgement.checker
    guard checker.asksForMessages || checker.asksForSharedData, now != chunks else { return }
    try timeline.tellMessages(to: &checker, isInterrupted: isInterrupted)
    chunks = now
    if hasMessages || checker.knowsOfMessages || checker.sharedData != self.checker.sharedData {
      lives = []
    }
    hasMessages = checker.knowsOfMessages
    self.checker = checker
  }

  /// Finds what was judged among the lives that there are now.
  private mutating func take(_ timeline: Timeline) {
    // Rules are about no other processes, of which there may be thousands.
    let now = timeline.lives.filter { life in
      life.incarnations.contains { timeline.streams[$0.index].attributes.role.isJudged }
    }
    var known: [Int: Life] = [:]
    for life in lives { known[life.life.incarnations[0].index] = life }
    // The judges are held once: a copy of what they know would be made where two refer to it.
    lives = []
    lives = now.map { life in
      guard var same = known.removeValue(forKey: life.incarnations[0].index),
        same.grow(to: life, timeline)
      else { return Life(life, timeline, checker) }
      return same
    }
  }

  private func told(
    _ timeline: Timeline,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> Findings {
    var collected = FindingCollector(timeline, placesMax: placesMax)
    var checker = judgement.checker
    var words: [UInt32: Verdict] = [:]
    var counts: [Kept: Int] = [:]
    for life in lives {
      guard let ended = life.ended else { continue }
      let first = collected.given
      checker.add(ended.checker)
      try collected.add(life.places, isInterrupted)
      try collected.add(ended.places, isInterrupted)
      // Of an app's lives together no more are kept than of one.
      for turn in first..<collected.given {
        guard let key = collected.keys[turn] else { continue }
        let verdict = ended.checker.verdict(key)
        let count = counts[Kept(verdict), default: 0]
        counts[Kept(verdict)] = count + 1
        if count < Checker.keptMax { words[turn] = verdict }
      }
    }
    let hasUnreadable = lives.contains { $0.judge.hasUnreadable }
    return try Findings(collected, words, checker, hasUnreadable, isInterrupted)
  }

  /// Of which verdicts a number is kept in words.
  private struct Kept: Hashable {
    let app: String
    let rule: String
    let outcome: Verdict.Outcome
    let severity: Severity

    init(_ verdict: Verdict) {
      (app, rule) = (verdict.app, verdict.rule)
      outcome = verdict.outcome
      // Doubts are counted together.
      severity = verdict.outcome == .violated ? verdict.severity : .info
    }
  }
}

extension GrowingFindings.Life {
  /// Takes in what came; false where that is not all behind its end.
  fileprivate mutating func grow(to now: AppLife, _ timeline: Timeline) -> Bool {
    let streams = now.incarnations.map { timeline.streams[$0.index] }
    let (attributes, chunks) = (streams.map(\.attributes), streams.map(\.chunks.count))
    guard !judge.hasUnreadable, now.incarnations.starts(with: life.incarnations),
      attributes.starts(with: self.attributes),
      chunks.starts(with: self.chunks.prefix(part.incarnation))
    else { return false }
    if now != life { ended = nil }
    (life, self.attributes, self.chunks) = (now, attributes, chunks)
    return true
  }

  /// Judges what was not judged yet, and what a life that ended here would have left open.
  fileprivate mutating func goOn(
    _ placesMax: Int,
    passed: (Int) throws(SearchInterrupted) -> Void
  ) throws(SearchInterrupted) {
    try advance(placesMax, passed)
    guard ended == nil else { return }
    var (end, last) = (judge, [PlacedVerdict]())
    _ = end.end(life, part) { checker, _ in
      last = checker.takePlaces()
      return true
    }
    ended = (end.checker, last)
  }

  private mutating func advance(
    _ placesMax: Int,
    _ passed: (Int) throws(SearchInterrupted) -> Void
  ) throws(SearchInterrupted) {
    let before = part
    var fresh: [PlacedVerdict] = []
    defer {
      places += fresh.prefix(placesMax - places.count)
      if part != before { ended = nil }
    }
    _ = try judge.go(on: life, &part) { checker, step throws(SearchInterrupted) in
      fresh += checker.takePlaces()
      if let events = step.events { try passed(events) }
      return true
    }
  }
}
