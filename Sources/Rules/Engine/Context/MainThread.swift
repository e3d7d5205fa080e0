// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Distinguishes blocking the main thread from waiting in between: folded once, for all rules.
///
///     context.blocksMain(span)        // the main thread did nothing else meanwhile
///
/// It follows from the events alone and is in no keyframe: behind a hole it begins anew.
struct MainThread: Sendable {
  fileprivate private(set) var lastTurnEnd = HostTime(rawValue: .min)
  /// The numbers of asynchronous work that is open: of spans that the fold keeps.
  private var async: Set<UInt64> = []

  /// Folds work that begins.
  mutating func began(_ event: borrowing Event) {
    guard Payload.WorkBegin(event).async == true, async.count < LifeState.openMax else { return }
    async.insert(event.sequence)
  }

  /// Work that has ended, and was judged.
  mutating func ended(_ work: OpenSpan) {
    if !async.isEmpty { async.remove(work.sequence) }
  }

  /// A turn of the run loop that ends at `time`; its begin may be missing.
  mutating func turned(_ time: HostTime) { lastTurnEnd = max(lastTurnEnd, time) }

  func isAsynchronous(_ span: OpenSpan) -> Bool {
    span.kind == .workBegin && async.contains(span.sequence)
  }
}

extension RuleContext {
  /// Whether a span that began on main, and ends there or has not ended, blocks it.
  ///
  /// Work that let turns pass in between does not. No event says when asynchronous work is
  /// suspended: it blocks where main has been in one turn or callback all the while.
  func blocksMain(_ span: OpenSpan) -> Bool {
    guard span.kind == .turnBegin || main.lastTurnEnd <= span.time else { return false }
    guard main.isAsynchronous(span) else { return true }
    if isCrowded { return firstCallOnMain.map { $0.sequence < span.sequence } ?? false }
    return hasOpenCall { $0.thread == .main && $0.sequence < span.sequence }
  }

  /// Whether the run loop has turned since `time`.
  func hasTurned(since time: HostTime) -> Bool { main.lastTurnEnd > time }

  /// When a turn of the run loop ended last.
  var lastTurned: HostTime { main.lastTurnEnd }

  /// Why it is not known whether work blocks main: turns that passed meanwhile may be lost.
  func doubtBlocking(_ span: OpenSpan) -> Sentence? {
    guard span.kind == .workBegin else { return nil }
    return unseen(.callback, since: span.time).map {
      "whether the run loop turned meanwhile is not known: \($0)"
    }
  }

  /// The open work that has blocked main longest.
  var blockingMain: OpenSpan? {
    var (other, work): (OpenSpan?, OpenSpan?)
    if isCrowded {
      (other, work) = (firstCallOnMain, firstBlockingWork)
      if let wait = firstWait, wait.sequence < other?.sequence ?? .max { other = wait }
    } else {
      for span in state.spans.values where span.thread == .main {
        if span.kind != .workBegin {
          if span.sequence < other?.sequence ?? .max { other = span }
        } else if span.sequence < work?.sequence ?? .max, blocksMain(span) {
          work = span
        }
      }
    }
    // Work is outermost where nothing else began before it.
    if let work, work.sequence < other?.sequence ?? .max { return work }
    return other.flatMap { blocksMain($0) ? $0 : nil }
  }

  /// What main has begun last of all that is open now.
  var innermostOnMain: OpenSpan? {
    state.spans.values.filter { $0.thread == .main && blocksMain($0) }
      .max { $0.sequence < $1.sequence }
  }

  /// Work of these kinds that holds main when the process ends; nothing once the end is known.
  func workOnMain(_ kinds: [WorkKind]) -> [OpenSpan] {
    guard state.process.ending == nil, state.appState != .suspended else { return [] }
    return state.spans.values.filter { span in
      span.kind == .workBegin && span.thread == .main && blocksMain(span) && doubtless(span)
        && kinds.contains { span.detail == UInt64($0.rawValue) }
    }.sorted { $0.sequence < $1.sequence }
  }

  /// Whether nothing else that blocks main began earlier than a span of main, and is still open.
  func isOutermost(_ span: OpenSpan) -> Bool {
    guard isCrowded else {
      return !state.spans.values.contains {
        $0.thread == .main && $0.sequence < span.sequence
          && ($0.kind != .workBegin || (span.kind == .workBegin && blocksMain($0)))
      }
    }
    if let call = firstCallOnMain, call.sequence < span.sequence { return false }
    if let wait = firstWait, wait.sequence < span.sequence { return false }
    guard span.kind == .workBegin, let work = firstBlockingWork else { return true }
    return work.sequence >= span.sequence
  }

  /// Counts one occasion a stream, for rules that have thousands.
  mutating func heldOnce(_ hasHeld: inout Bool) {
    if !hasHeld { held() }
    hasHeld = true
  }

  /// Whether the process is on its way to the screen; without a reported state it may be no app.
  var isLaunching: Bool {
    !history.hasBecomeActive && state.appState == .inactive && hole == nil
  }
}
