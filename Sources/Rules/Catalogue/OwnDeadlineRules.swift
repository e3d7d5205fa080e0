// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family DL, continued: the deadlines that an app sets itself.

/// What the app says must be done in time is done in time.
struct DL14: Rule {
  static let info = RuleInfo(
    "DL14",
    "A deadline that the app has set itself is met.",
    source: "the app's own words: Lifetrace.openDeadline, LT_DEADLINE_OPEN",
    severity: .error,
    fix: "Begin earlier, do less, or close the deadline on every path."
  )
  static let attention = Attention.kinds([.deadlineOpen, .deadlineClose] + Attention.endings)
  static let restsOnAllWork = true
  /// Where the open ones were set, as many as there is room for.
  private var sites: [UInt64: SiteID] = [:]
  private static let sitesMax = 4_096

  /// What its clock stopped at.
  private enum Stop {
    case closed, processEnded, recordingEnded

    var words: String {
      switch self {
      case .closed: "was met late, after"
      case .processEnded: "was not met: the process ended after"
      case .recordingEnded: "was not met: the recording ended after"
      }
    }
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .deadlineOpen:
      if sites.count < Self.sitesMax { sites[event.identity] = event.site }
    case .deadlineClose:
      guard let deadline = context.state.deadlines[event.identity] else { return }
      judge(deadline, event.identity, event.sequence, event.time, .closed, &context, names)
      sites[event.identity] = nil
    default:
      guard context.state.process.ending == nil else { return }
      for (identity, deadline) in open(context) where isOver(deadline, event.time) {
        judge(deadline, identity, event.sequence, event.time, .processEnded, &context, names)
      }
    }
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return }
    let (end, next) = (context.state.lastTime, context.state.nextSequence ?? 0)
    for (identity, deadline) in open(context) {
      if isOver(deadline, end) {
        judge(deadline, identity, max(next, 1) - 1, end, .recordingEnded, &context, names)
        continue
      }
      let reason: Sentence =
        "the recording ended \(duration: end - deadline.time) into "
        + "\(duration: deadline.budget)"
      let title: Sentence = "the deadline\(Self.title(deadline, names)) was still open"
      let site = sites[identity] ?? .none
      let witness = context.witness("set", deadline.sequence, deadline.time, site, names)
      context.undecidable(reason, at: deadline.sequence, deadline.time) { _ in
        .init(title: title, witnesses: [witness])
      }
    }
  }

  /// In the order in which they were set.
  private func open(_ context: RuleContext) -> [(identity: UInt64, deadline: OpenDeadline)] {
    context.state.deadlines.entries.map { ($0.key, $0.value) }
      .sorted { $0.deadline.sequence < $1.deadline.sequence }
  }

  /// What a process did not live to do was not due yet, as long as there was time left.
  private func isOver(_ deadline: OpenDeadline, _ end: HostTime) -> Bool {
    end - deadline.time > deadline.budget
  }

  private static func title(_ deadline: OpenDeadline, _ names: borrowing Names) -> Sentence {
    names[deadline.what].isEmpty ? "" : " \"\(name: names[deadline.what])\""
  }

  /// The budget is the app's own and counts on the recording's clock: it is never scaled.
  private func judge(
    _ deadline: OpenDeadline,
    _ identity: UInt64,
    _ sequence: UInt64,
    _ end: HostTime,
    _ stop: Stop,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard isOver(deadline, end) else { return context.held() }
    let site = sites[identity] ?? .none
    let took: Sentence = "\(duration: end - deadline.time)"
    let what: Sentence = "the deadline\(Self.title(deadline, names))\(context.at(site, names))"
    let witnesses = [
      context.witness("set", deadline.sequence, deadline.time, site, names),
      context.witness(stop == .closed ? "closed" : "still open", sequence, end, .none, names),
    ]
    var doubt: Sentence?
    if stop != .closed {
      doubt = context.doubt(.deadline, since: deadline.time).map { "its end may be missing: \($0)" }
    }
    if deadline.countsCPU { doubt = "it counts CPU time, of which nothing was recorded" }
    if let doubt {
      return context.undecidable(doubt, at: sequence, end) { _ in
        .init(title: "\(what) may have been missed: \(took) passed", witnesses: witnesses)
      }
    }
    context.violated(at: sequence, end) { _ in
      .init(
        title: "\(what) \(stop.words) \(took)",
        details: ["The app allowed itself \(duration: deadline.budget)."],
        witnesses: witnesses
      )
    }
  }
}
