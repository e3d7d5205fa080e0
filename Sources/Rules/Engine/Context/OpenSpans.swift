// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// Where the open spans stand that rules ask for at each event, among thousands of others.
///
///     context.hasOpenCall { … }       // callbacks and turns: a few, however much work is open
///     context.isOutermost(span)       // the first that is open on main
///
/// A server has a span open for each request that it is at, and to look through all of them at the end
/// of each would make its recording cost their square. Few are looked through all the same
/// (``crowdMin``): nothing is kept beside them then, and this is made when there are more.
///
/// It follows from the facts alone. What has ended is found out when it is met: it is open no more.
struct OpenSpans: Sendable {
  /// More are not looked through; up to there that costs a few microseconds an event at most.
  static let crowdMin = 1_024

  /// Whether it knows what is open; else it is made when it is asked.
  fileprivate private(set) var isKnown = false
  /// Callbacks and turns of all threads.
  fileprivate var calls = Line()
  /// The turns among them: one at a time on a thread, however many callbacks are open.
  fileprivate var turns = Line()
  /// Those of main, and its waits.
  fileprivate var callsOnMain = Line()
  fileprivate var waits = Line()
  /// Work on main that may block it still, whatever it has awaited, and the asynchronous.
  fileprivate var work = Line()
  fileprivate var async = Line()

  /// Some of them, in the order of their begins.
  struct Line: Sendable {
    private var keys: [SpanKey] = []
    private var sequences: [UInt64] = []
    private var head = 0

    mutating func append(_ key: SpanKey, _ span: OpenSpan, _ all: FlatTable<SpanKey, OpenSpan>) {
      // What has ended behind one that has not is met never: as many may wait as are open.
      if keys.count - head > 2 * all.count + OpenSpans.crowdMin { tidy(all) }
      keys.append(key)
      sequences.append(span.sequence)
    }

    /// The first that is open, and is not passed by; what is passed by once is so for good.
    mutating func first(
      in all: FlatTable<SpanKey, OpenSpan>,
      passing isPassed: (OpenSpan) -> Bool = { _ in false }
    ) -> OpenSpan? {
      while head < keys.count {
        if let span = span(at: head, in: all), !isPassed(span) { return span }
        head += 1
      }
      self = Line()
      return nil
    }

    /// Forgets what is open no more.
    mutating func tidy(_ all: FlatTable<SpanKey, OpenSpan>) {
      var new = Line()
      for place in head..<keys.count where span(at: place, in: all) != nil {
        new.keys.append(keys[place])
        new.sequences.append(sequences[place])
      }
      self = new
    }

    /// Whether one that is open is such a one, and how many were met that are open no more.
    func contains(
      in all: FlatTable<SpanKey, OpenSpan>,
      where test: (OpenSpan) -> Bool
    ) -> (Bool, ended: Int) {
      var ended = 0
      for place in head..<keys.count {
        guard let span = span(at: place, in: all) else {
          ended += 1
          continue
        }
        if test(span) { return (true, ended) }
      }
      return (false, ended)
    }

    /// Its identity may have begun anew.
    private func span(at place: Int, in all: FlatTable<SpanKey, OpenSpan>) -> OpenSpan? {
      guard let span = all[keys[place]], span.sequence == sequences[place] else { return nil }
      return span
    }
  }

  fileprivate mutating func learn(_ all: FlatTable<SpanKey, OpenSpan>, _ main: MainThread) {
    isKnown = true
    for entry in all.entries.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      add(entry.key, entry.value, all, main)
    }
  }

  fileprivate mutating func add(
    _ key: SpanKey,
    _ span: OpenSpan,
    _ all: FlatTable<SpanKey, OpenSpan>,
    _ main: MainThread
  ) {
    let isMain = span.thread == .main
    switch span.kind {
    case .callbackBegin, .turnBegin:
      calls.append(key, span, all)
      if span.kind == .turnBegin { turns.append(key, span, all) }
      if isMain { callsOnMain.append(key, span, all) }
    case .waitBegin: if isMain { waits.append(key, span, all) }
    default:
      guard isMain else { return }
      if main.isAsynchronous(span) {
        async.append(key, span, all)
      } else {
        work.append(key, span, all)
      }
    }
  }
}

extension RuleContext {
  /// Whether there are too many open spans to look through them at each event.
  var isCrowded: Bool { state.spans.count > contents.pointee.crowdMin }

  /// An event was folded that begins a span.
  @inline(__always)
  func noteBegin(_ event: borrowing Event) {
    guard contents.pointee.open.isKnown else { return }
    noteCrowded(event)
  }

  @inline(never)
  private func noteCrowded(_ event: borrowing Event) {
    switch event.kind {
    case .callbackBegin, .turnBegin, .workBegin, .waitBegin: break
    default: return
    }
    // Not at once where it is crowded no more: it may be again at the next event.
    if state.spans.count < contents.pointee.crowdMin / 2 {
      return contents.pointee.open = OpenSpans()
    }
    let key = SpanKey(event.identity, event.kind)
    // There may have been no room for it.
    guard let span = state.spans[key], span.sequence == event.sequence else { return }
    contents.pointee.open.add(key, span, state.spans, main)
  }

  private func learn() {
    if !contents.pointee.open.isKnown { contents.pointee.open.learn(state.spans, main) }
  }

  /// The first callback or turn of main that is open, where it is crowded.
  var firstCallOnMain: OpenSpan? {
    learn()
    return contents.pointee.open.callsOnMain.first(in: state.spans)
  }

  /// The first wait of main that is open, where it is crowded.
  var firstWait: OpenSpan? {
    learn()
    return contents.pointee.open.waits.first(in: state.spans)
  }

  /// The first open work that blocks main, where it is crowded.
  ///
  /// What a turn has passed blocks it no more, nor does asynchronous work behind whose begin none of the
  /// calls is open that main was in.
  var firstBlockingWork: OpenSpan? {
    learn()
    let call = firstCallOnMain?.sequence ?? .max
    let work = contents.pointee.open.work.first(in: state.spans) { hasTurned(since: $0.time) }
    let async = contents.pointee.open.async.first(in: state.spans) {
      hasTurned(since: $0.time) || $0.sequence < call
    }
    guard let work, let async else { return work ?? async }
    return work.sequence < async.sequence ? work : async
  }

  /// Whether a callback or turn that is open, on any thread, is such a one.
  @inline(__always)
  func hasOpenCall(where test: (OpenSpan) -> Bool) -> Bool {
    if isCrowded { return hasCallAmongMany(where: test) }
    for span in state.spans.values
    where (span.kind == .callbackBegin || span.kind == .turnBegin) && test(span) { return true }
    return false
  }

  /// The same of turns alone.
  func hasOpenTurn(where test: (OpenSpan) -> Bool) -> Bool {
    guard isCrowded else { return hasOpenCall { $0.kind == .turnBegin && test($0) } }
    learn()
    // A copy: the test may ask for more.
    let turns = contents.pointee.open.turns
    let (isFound, ended) = turns.contains(in: state.spans, where: test)
    if ended > OpenSpans.crowdMin { contents.pointee.open.turns.tidy(state.spans) }
    return isFound
  }

  @inline(never)
  private func hasCallAmongMany(where test: (OpenSpan) -> Bool) -> Bool {
    learn()
    // A copy: the test may ask for more.
    let calls = contents.pointee.open.calls
    let (isFound, ended) = calls.contains(in: state.spans, where: test)
    if ended > OpenSpans.crowdMin { contents.pointee.open.calls.tidy(state.spans) }
    return isFound
  }
}
