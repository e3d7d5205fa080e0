// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTrace

/// Feeds the rules, from whatever source: the one way in which app lives are judged.
///
///     var judge = Judge(story.source, Checker())
///     judge.judge(judge.source.lives)
///     for verdict in judge.checker.finish() where verdict.outcome == .violated { … }
///
/// The incarnations of a life go in one after the other, each with the data that the one before it
/// left. Damaged chunks are gaps, which taint what they may have held. Memory does not grow with
/// the source: one chunk is open at a time.
package struct Judge<Source: JudgedSource> {
  /// The recording that is judged.
  package let source: Source
  /// What the rules have said so far.
  package private(set) var checker: Checker
  /// By stream: which events could be read.
  package private(set) var held: [HeldSequences]
  /// Whether something could not be read.
  package private(set) var hasUnreadable = false
  private var writers: [(id: WriterID, attributes: WriterAttributes)]

  /// Will judge `source` by the rules of `checker`.
  package init(_ source: Source, _ checker: Checker) {
    self.source = source
    self.checker = checker
    if checker.asksForMessages { self.checker.take(source.messages) }
    writers = source.writers
    held = Array(repeating: HeldSequences(), count: writers.count)
  }

  /// Judges `lives`; `watch` sees each step and says whether to go on.
  package mutating func judge<Failure>(
    _ lives: some Sequence<AppLife>,
    watch: (inout Checker, JudgingStep) throws(Failure) -> Bool
  ) throws(Failure) {
    for life in lives {
      var part = JudgedPart()
      guard try go(on: life, &part, watch: watch) else { return }
      guard try end(life, part, watch: watch) else { return }
    }
  }

  /// Judges a life up to its last chunk, from where `part` says that this judge stands in it.
  ///
  /// The last incarnation stays open, as more of it may come. False where `watch` said so: then `part`
  /// is how far it came, and it can go on from there.
  package mutating func go<Failure>(
    on life: AppLife,
    _ part: inout JudgedPart,
    watch: (inout Checker, JudgingStep) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    while part.incarnation < life.incarnations.count {
      let window = life.incarnations[part.incarnation]
      if !part.isOpen {
        let last = part.incarnation > 0 ? life.incarnations[part.incarnation - 1].index : nil
        open(window, after: last)
        part.isOpen = true
        guard try watch(&checker, .opened(window)) else { return false }
      }
      let summaries = source.summaries(of: window.index)
      while part.chunks < summaries.count {
        let (chunk, summary) = (part.chunks, summaries[part.chunks])
        feed(chunk, summary, of: window.index, isLast: chunk == summaries.count - 1)
        part.chunks += 1
        guard try watch(&checker, .passed(events: summary.eventCount)) else { return false }
      }
      guard part.incarnation + 1 < life.incarnations.count else { return true }
      guard try end(life, part, watch: watch) else { return false }
      part = JudgedPart(incarnation: part.incarnation + 1)
    }
    return true
  }

  /// Ends the incarnation at which this judge stands: what is open in it is judged.
  package mutating func end<Failure>(
    _ life: AppLife,
    _ part: JudgedPart,
    watch: (inout Checker, JudgingStep) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    checker.finishStream(names: source.names)
    return try watch(&checker, .closed(life.incarnations[part.incarnation]))
  }

  /// Lets the checker note the place of every verdict, for `watch` to take.
  package mutating func collectPlaces() { checker.collectPlaces() }

  /// Judges `lives` to their ends.
  package mutating func judge(_ lives: some Sequence<AppLife>) { judge(lives) { _, _ in true } }

  /// Begins an incarnation with what the one before it left.
  ///
  /// Where that is not known for sure, or is not in the source at all, the recorder may have known
  /// more: then the facts of the first chunk count.
  private mutating func open(
    _ window: AppLife.Incarnation,
    after last: Int?
  ) {
    if window.index >= writers.count {
      // The source has grown.
      writers = source.writers
      held += Array(repeating: HeldSequences(), count: writers.count - held.count)
    }
    let attributes = writers[window.index].attributes
    var state = LifeState()
    var isKnown = false
    if let last {
      state.beginIncarnation(after: checker.state, names: source.names)
      isKnown = checker.state.doubt(.data) == nil || attributes.previous != writers[last].id
    }
    checker.begin(
      stream: StreamID(rawValue: UInt32(window.index)),
      attributes: attributes,
      state: state,
      isKnown: isKnown,
      incarnation: window.number,
      label: window.label
    )
  }

  private mutating func feed(
    _ number: Int,
    _ summary: ChunkSummary,
    of stream: Int,
    isLast: Bool
  ) {
    let source = source
    if let chunk = source.open(number, of: stream) {
      checker.enter(summary) { source.facts(in: chunk) }
      if Self.apply(chunk, of: source, to: &checker) {
        return held[stream].add(summary.firstSequence, summary.endSequence)
      }
    }
    hasUnreadable = true
    checker.skip(summary, isLast: isLast)
  }

  private static func apply(
    _ chunk: Source.Chunk,
    of source: Source,
    to checker: inout Checker
  ) -> Bool {
    // One copy a chunk: the source's own would be retained for each event.
    let names = source.names
    return source.scan(chunk) { events in checker.apply(events, names: names) }
  }
}

/// How far a ``Judge`` is in a life: at an incarnation, with so many of its chunks behind it.
package struct JudgedPart: Sendable, Hashable {
  var incarnation = 0
  var chunks = 0
  /// Whether the incarnation has begun.
  var isOpen = false
}

/// How far a ``Judge`` is; an incarnation is a window in which verdicts are given.
package enum JudgingStep: Sendable {
  /// An incarnation of the app begins.
  case opened(AppLife.Incarnation)
  /// A chunk of that many events is behind.
  case passed(events: Int)
  /// The incarnation is over; things that were still open have been judged.
  case closed(AppLife.Incarnation)
}

extension Judgement {
  /// A checker that has seen all of `source`.
  package func checker(of source: some JudgedSource) -> Checker {
    var judge = Judge(source, checker)
    judge.judge(source.lives)
    return judge.checker
  }
}
