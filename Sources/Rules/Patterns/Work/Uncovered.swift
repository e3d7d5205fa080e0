// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Work in the background goes on while something keeps the app running, and no longer.
///
///     Uncovered(.frozen) { scene, work, isSure in Story("… was frozen by the suspension", …) }
///
/// Work whose task is ended in its last lines is covered: only what it does for longer than the
/// profile's `taskTail` behind that is not.
struct Uncovered: Pattern {
  /// What becomes of work that nothing covers.
  enum Fate: Sendable {
    /// The suspension freezes it.
    case frozen
    /// It ends in time, by luck: nothing covered it at all.
    case lucky
    /// It ends, and goes on until then after its task was ended.
    case tail
  }

  /// A piece of such work.
  struct Work: Sendable {
    let span: OpenSpan
    let cover: Cover
    /// Its own end, and how long it had run by then or by the suspension, in nanoseconds.
    let end: HostTime
    let ran: Int64
    var holding: RuleContext.Holding?
  }

  /// What had kept the app running while a piece of work ran.
  enum Cover: Sendable {
    /// Nothing had.
    case none
    /// The task that was begun for it, or a wake, until this.
    case until(History.Release)
    /// Tasks that were not begun for it, the last one until this.
    case others(History.Release)

    /// Whether it was a wake, which the app completed while the work ran.
    var isWake: Bool {
      if case .until(let release) = self { !release.isTask } else { false }
    }

    /// Whether the system had called its expiration handler by then.
    var hasExpired: Bool {
      if case .until(let release) = self { release.task?.expired != nil } else { false }
    }
  }

  let fate: Fate
  let says: @Sendable (Scene, Work, _ isSure: Bool) -> Story
  /// Work that came through, until the suspension shows that it was luck.
  var lucky: (work: Work, doubt: Sentence?, returned: HostTime)?
  var hasHeld = false
  private var heldBack = HeldBack()

  init(_ fate: Fate, says: @escaping @Sendable (Scene, Work, _ isSure: Bool) -> Story) {
    (self.fate, self.says) = (fate, says)
  }

  var attention: [Trigger] {
    switch fate {
    case .frozen:
      Trigger.stateChanges + [
        .only(in: [.suspended, .background], .event(.workEnd)), .event(.loss),
      ]
    case .lucky:
      [
        .only(in: [.background], .event(.workEnd)), .only(in: [.background], .event(.dataDurable)),
        .event(.taskBegin),
      ] + Trigger.stateChanges
    case .tail: [.only(in: [.background], .event(.workEnd))]
    }
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch fate {
    case .frozen: freeze(event, &context, names)
    case .lucky: note(event, &context, names)
    case .tail: judgeTail(event, &context, names)
    }
  }

  // MARK: Frozen

  private mutating func freeze(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if !heldBack.isEmpty {
      heldBack.look(event, &context, names)
      if event.kind == .workEnd, let work = context.closing {
        heldBack.ended(work.sequence, event, &context, names)
      }
    }
    guard context.change?.suspends == true, context.state.tasks.isEmpty else { return }
    let open = context.state.spans.values.filter { $0.kind == .workBegin }
    guard !open.isEmpty else { return context.held() }
    for span in open.sorted(by: { $0.sequence < $1.sequence }) {
      var cover = Cover.none
      var doubt: Sentence?
      if case .ended(let last, let tail) = context.cover(of: span, at: event.time) {
        switch context.isCutShort(span, by: last, tail) {
        case .within:
          context.held()
          continue
        case .over: break
        case .unclear(let reason): doubt = reason
        }
        cover = Self.cover(of: span, until: last, context)
      }
      let work = Work(
        span: span,
        cover: cover,
        end: event.time,
        ran: context.running(span, until: event.time),
        holding: context.holding(span, names)
      )
      // Its time was up, and the app has answered as it should: it stands still, and goes on. What
      // waits for an answer from elsewhere does not.
      if doubt == nil, work.cover.hasExpired, work.holding == nil, span.workKind != .network {
        context.held()
        continue
      }
      // Of a task that began before the work it must be known whether its time was up.
      let mayExpire = work.holding == nil && span.workKind != .network
      let since = mayExpire ? HostTime(rawValue: .min) : span.time
      doubt = doubt ?? context.doubtEnd(of: span) ?? context.doubtCover(since: since)
      let grade =
        work.holding != nil ? Severity.error : work.cover.hasExpired ? .info : .warning
      let finding = doubt.map { Finding.unclear($0) } ?? .broken(grade)
      heldBack.hold(finding, on: span.sequence, .work, event, context, names) {
        says($0, work, $1)
      }
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) { heldBack.settle(last, &context, names) }

  /// What covered work while something kept the app running, which was over with `last`.
  private static func cover(
    of span: OpenSpan,
    until last: History.Release,
    _ context: borrowing RuleContext
  ) -> Cover {
    guard last.task != nil else { return .until(last) }
    let own = context.taskEnd(during: span.sequence, on: span.thread)
    return own.map { .until($0) } ?? .others(last)
  }

  // MARK: Lucky

  private mutating func note(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .workEnd:
      guard let span = context.closing, context.state.appState == .background else { return }
      guard let entering = context.returnFromEntering, span.time >= entering.begin else { return }
      // What has ended before the return, and is delivered behind it, is no luck.
      if entering.isAround(event) { return context.heldOnce(&hasHeld) }
      guard context.assertions == 0, case .none = context.cover(of: span, at: event.time),
        !context.isServed(since: span.time, names)
      else { return context.heldOnce(&hasHeld) }
      guard lucky == nil else { return }
      let ran = context.running(span, until: event.time)
      guard matters(span, ran, since: entering.end, context) else {
        return context.heldOnce(&hasHeld)
      }
      lucky = (
        Work(span: span, cover: .none, end: event.time, ran: ran),
        context.doubtLuck(since: span.time), entering.end
      )
    case .dataDurable: noteSave(event, &context, names)
    case .taskBegin: if !Payload.TaskBegin(event).isRefused { lucky = nil }
    default:
      guard context.change != nil, let (work, before, returned) = lucky else { return }
      lucky = nil
      guard context.change?.suspends == true else { return }
      // What runs on for longer has something else that keeps it running: a background mode.
      guard event.time - returned <= context.scaled(context.profile.enterBackground.warn) else {
        return context.held()
      }
      let doubt = before ?? context.doubtCover(since: work.span.time)
      context.say(.broken(unless: doubt), event, names) { says($0, work, doubt == nil) }
    }
  }

  /// Whether the work did what is missed where the suspension comes first; a delayed item that finds
  /// nothing to do is no work to speak of.
  ///
  /// Where it saves, its last save decides: a callback may wait for that, and return while the work is
  /// still in its last lines.
  private func matters(
    _ span: OpenSpan,
    _ ran: Int64,
    since returned: HostTime,
    _ context: borrowing RuleContext
  ) -> Bool {
    let saves = context.state.data.values.compactMap(\.lastSave).filter { $0.time >= span.time }
    if !saves.isEmpty { return saves.contains { $0.time >= returned } }
    if [.network, .file, .database].contains(span.workKind) { return true }
    return ran > context.scaled(context.profile.taskTail.warn)
  }

  // MARK: Tail

  private mutating func judgeTail(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let span = context.closing, context.returnFromEntering != nil, context.assertions == 0,
      case .ended(let release, _) = context.cover(of: span, at: event.time), release.isTask,
      // In a background mode that lasts, the app runs on without a task.
      release.task?.isUnlimited != true
    else { return }
    // In the foreground nothing needs to be covered.
    let begin = max(release.time, context.state.stateSince)
    let tail = event.time - begin
    guard !context.isServed(since: begin, names) else { return context.heldOnce(&hasHeld) }
    let limit = context.surely(context.profile.taskTail.warn)
    context.measure(tail, keptUpTo: limit, brokenAbove: limit, since: release.sequence)
    guard tail > limit else {
      return context.heldOnce(&hasHeld)
    }
    let cover = Self.cover(of: span, until: release, context)
    let work = Work(span: span, cover: cover, end: event.time, ran: tail)
    let doubt = context.doubtCover(since: release.time)
    context.say(.broken(unless: doubt), event, names) { says($0, work, doubt == nil) }
  }
}

extension OpenSpan {
  /// What a piece of work does.
  fileprivate var workKind: WorkKind {
    WorkKind(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .other
  }
}
