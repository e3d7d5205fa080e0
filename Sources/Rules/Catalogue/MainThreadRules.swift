// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family MT: what the main thread must not do.

/// No network on the main thread.
struct MT01: Rule {
  static let info = RuleInfo(
    "MT01",
    "Nothing on the main thread waits for the network.",
    source: "App Programming Guide, The App Life Cycle: threads and concurrency",
    severity: .error,
    fix: "Use an asynchronous request.",
    roles: .interactive
  )
  static let attention = Attention.kinds(
    [.workEnd, .callbackEnd] + Attention.endings
  )
  private var isLaunched = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if event.kind == .callbackEnd {
      if context.callback == .didBecomeActive { isLaunched = true }
      return
    }
    if Attention.endings.contains(event.kind) {
      for span in context.workOnMain([.network]) { judge(span, event, &context, names) }
      return
    }
    guard let span = context.closing else { return }
    guard span.detail == UInt64(WorkKind.network.rawValue) else { return }
    guard span.thread == .main, event.thread == .main, context.blocksMain(span)
    else {
      return context.held()
    }
    judge(span, event, &context, names)
  }

  private func judge(
    _ span: OpenSpan,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    // On its way to the screen; who has told no state may be no app at all.
    let isLaunching =
      !isLaunched && context.state.appState == .inactive && context.hole == nil
    let what = context.title(span, names)
    let took = event.time - span.time
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness(event.kind == .workEnd ? "end" : "end of the process", event, names),
    ]
    if let doubt = context.doubtBlocking(span) {
      return context.undecidable(doubt, at: event.sequence, event.time) {
        .init(
          title: "\(what)\($0.at(span.site, names)) used the network on the main thread, "
            + "which may have gone on with other things",
          witnesses: witnesses
        )
      }
    }
    context.violated(at: event.sequence, event.time, severity: isLaunching ? .error : .warning) {
      .init(
        title: "\(what)\($0.at(span.site, names)) used the network on the main thread for "
          + $0.words(took),
        details: isLaunching
          ? ["The app was launching: the user waits, and so does the watchdog."] : [],
        witnesses: witnesses
      )
    }
  }
}

/// No slow file access on the main thread.
struct MT02: Rule {
  static let info = RuleInfo(
    "MT02",
    "No file access on the main thread is long enough to miss a frame.",
    source: "App Programming Guide; Performing I/O on the main thread can cause hangs",
    severity: .error,
    fix: "Read and write on a background queue.",
    roles: .interactive
  )
  static let attention = Attention.kinds([.workEnd] + Attention.endings)
  private var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    MainWork(kinds: [.file, .database], limit: context.profile.mainFile, doing: "accessed files")
      .apply(event, &hasHeld, &context, names)
  }
}

/// No long computation on the main thread.
struct MT03: Rule {
  static let info = RuleInfo(
    "MT03",
    "No computation on the main thread is long enough to be felt.",
    source: "App Programming Guide: lengthy tasks never on the main thread",
    severity: .error,
    fix: "Compute on a background queue and hand the result to main.",
    roles: .interactive
  )
  static let attention = Attention.kinds([.workEnd] + Attention.endings)
  private var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    MainWork(kinds: [.compute], limit: context.profile.mainCompute, doing: "computed")
      .apply(event, &hasHeld, &context, names)
  }
}

/// Work of some kinds, on main, with two grades of too long.
struct MainWork {
  let kinds: [WorkKind]
  let limit: Profile.Limit
  let doing: String

  func apply(
    _ event: borrowing Event,
    _ hasHeld: inout Bool,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if Attention.endings.contains(event.kind) {
      for span in context.workOnMain(kinds) { judge(span, event, &hasHeld, &context, names) }
      return
    }
    guard let span = context.closing,
      let kind = WorkKind(rawValue: UInt8(clamping: span.detail)), kinds.contains(kind),
      span.thread == .main, event.thread == .main, context.blocksMain(span)
    else { return }
    judge(span, event, &hasHeld, &context, names)
  }

  private func judge(
    _ span: OpenSpan,
    _ event: borrowing Event,
    _ hasHeld: inout Bool,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let duration = event.time - span.time
    let error = context.uncertainty(span.time, event.time, flags: event.flags)
    let comparison = context.compare(duration, limit.warn, error: error)
    // The system's own diagnostics, in an imported log, name the act and not how long it took.
    let observer = event.observer
    let isReported = duration == 0 && observer == .inferred
    if case .within = comparison, !isReported { return context.heldOnce(&hasHeld) }
    let what = context.title(span, names)
    let site = context.at(span.site, names)
    let witnesses = [
      context.witness("begin", span.sequence, span.time, span.site, names),
      context.witness(event.kind == .workEnd ? "end" : "end of the process", event, names),
    ]
    if isReported {
      let doing = doing
      return context.violated(at: event.sequence, event.time, severity: .warning) { _ in
        .init(
          title: "\(what)\(site) \(doing) on the main thread, says the system",
          details: ["Its report does not say for how long."],
          witnesses: witnesses
        )
      }
    }
    if let doubt = context.doubtBlocking(span) {
      let doing = doing
      return context.undecidable(doubt, at: event.sequence, event.time) { _ in
        .init(
          title:
            "\(what)\(site) \(doing) on the main thread, which may have gone on with other things",
          witnesses: witnesses
        )
      }
    }
    if case .unclear(let reason) = comparison {
      let doing = doing
      return context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(
          title: "\(what)\(site) \(doing) on the main thread, perhaps too long",
          witnesses: witnesses
        )
      }
    }
    let isSevere = duration > context.surely(limit.kill)
    let (doing, limit) = (doing, limit)
    context.violated(at: event.sequence, event.time, severity: isSevere ? .error : .warning) {
      .init(
        title:
          "\(what)\(site) \(doing) on the main thread for \($0.length(duration, over: limit.warn))",
        details: [
          "The limit is \($0.limit(limit.warn)); from \($0.limit(limit.kill)) on it is an error."
        ],
        witnesses: witnesses
      )
    }
  }
}

/// User interface only on the main thread.
struct MT04: Rule {
  static let info = RuleInfo(
    "MT04",
    "User-interface work runs on the main thread.",
    source: "App Programming Guide: views and Core Animation must be used on the main thread",
    severity: .error,
    fix: "Dispatch it to the main queue.",
    roles: .interactive
  )
  static let attention = Attention.kinds([.workBegin])
  private var hasHeld = false

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard Payload.WorkBegin(event).kind.value == .ui else { return }
    if event.thread == .main { return context.heldOnce(&hasHeld) }
    let what = StoryWords.title(of: event, names)
    let site = context.at(event.site, names)
    let witness = context.witness("begin", event, names)
    let thread = event.thread.rawValue
    context.violated(at: event.sequence, event.time) { _ in
      .init(
        title: "\(what)\(site) changed the user interface on thread \(thread)",
        witnesses: [witness]
      )
    }
  }
}
