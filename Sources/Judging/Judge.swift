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
    if checker.asksForSharedData { self.checker.take(source.sharedData) }
    writers = source.writers
    held = Array(repeating: HeldSequences(), count: writers.count)
  }

  /// Judges `lives`; `watch` sees each step and says whether to go on, also in the middle of a chunk.
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
  /// The last incarnation stays open, as more of it may come. False where `watch` said so: then, and
  /// where it throws, `part` is how far it came, and it can go on from there.
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
        let isLast = chunk == summaries.count - 1
        guard try feed(chunk, summary, of: window.index, isLast: isLast, &part, watch) else {
          return false
        }
        let unread = max(0, summary.eventCount - part.events)
        (part.chunks, part.events) = (chunk + 1, 0)
        guard try watch(&checker, .passed(events: unread)) else { return false }
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

  /// Judges what is left of a chunk; false where `watch` said not to go on.
  private mutating func feed<Failure>(
    _ number: Int,
    _ summary: ChunkSummary,
    of stream: Int,
    isLast: Bool,
    _ part: inout JudgedPart,
    _ watch: (inout Checker, JudgingStep) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let source = source
    if let chunk = source.open(number, of: stream) {
      if part.events == 0 { checker.enter(summary) { source.facts(in: chunk) } }
      switch try Self.apply(chunk, of: source, to: &checker, &part, watch) {
      case .whole:
        held[stream].add(summary.firstSequence, summary.endSequence)
        return true
      case .stopped: return false
      case .damaged: break
      }
    }
    hasUnreadable = true
    checker.skip(summary, isLast: isLast)
    return true
  }

  /// What became of a chunk.
  private enum Reading {
    case whole
    /// It was left in the middle.
    case stopped
    /// Not all of it can be read.
    case damaged
  }

  private static func apply<Failure>(
    _ chunk: Source.Chunk,
    of source: Source,
    to checker: inout Checker,
    _ part: inout JudgedPart,
    _ watch: (inout Checker, JudgingStep) throws(Failure) -> Bool
  ) throws(Failure) -> Reading {
    // One copy a chunk: the source's own would be retained for each event.
    let names = source.names
    var behind = part.events
    var goesOn = true
    var failure: Failure?
    let isWhole = source.scan(chunk) { events in
      var at = min(behind, events.count)
      behind -= at
      while goesOn, at < events.count {
        let end = min(at + JudgingStep.eventsMax, events.count)
        checker.apply(events.extracting(at..<end), names: names)
        part.events += end - at
        do throws(Failure) {
          goesOn = try watch(&checker, .judged(events: end - at))
        } catch {
          (failure, goesOn) = (error, false)
        }
        at = end
      }
      return goesOn
    }
    if let failure { throw failure }
    return !goesOn ? .stopped : isWhole ? .whole : .damaged
  }
}

/// How far a ``Judge`` is in a life: at an incarnation, with so many of its chunks behind it, and of the
/// next one so many events.
package struct JudgedPart: Sendable, Hashable {
  var incarnation = 0
  var chunks = 0
  var events = 0
  /// Whether the incarnation has begun.
  var isOpen = false
}

/// How far a ``Judge`` is; an incarnation is a window in which verdicts are given.
package enum JudgingStep: Sendable {
  /// An incarnation of the app begins.
  case opened(AppLife.Incarnation)
  /// That many events of a chunk were judged, at most ``eventsMax``.
  case judged(events: Int)
  /// A chunk is behind, and that many events of it were not judged: they cannot be read.
  case passed(events: Int)
  /// The incarnation is over; things that were still open have been judged.
  case closed(AppLife.Incarnation)

  /// No more events are judged between two steps: some 0.1 ms.
  package static let eventsMax = 1_024

  /// How many more events are behind; nil at the begin and the end of an incarnation.
  package var events: Int? {
    switch self {
    case .judged(let events), .passed(let events): events
    case .opened, .closed: nil
    }
  }
}

extension Judgement {
  /// A checker that has seen all of `source`.
  package func checker(of source: some JudgedSource) -> Checker {
    var judge = Judge(source, checker)
    judge.judge(source.lives)
    return judge.checker
  }
}
