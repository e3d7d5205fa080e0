// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family BT: background tasks are promises, and each is kept exactly once.

/// Every background task is ended.
struct BT01: Rule {
  static let info = RuleInfo(
    "BT01",
    "Every background task that is begun is ended.",
    source: "UIApplication beginBackgroundTask: calls must be balanced",
    severity: .error,
    fix: "Call endBackgroundTask on every path, and in the expiration handler."
  )
  static let attention = Attention.kinds([.taskBegin, .taskEnd] + Attention.endings)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .taskBegin:
      if let first = context.state.tasks[event.identity] {
        let again = context.witness("begun again", event, names)
        leaked(
          first,
          "its id was given out again",
          event.sequence,
          event.time,
          again,
          &context,
          names
        )
      }
    case .taskEnd:
      if context.state.tasks[event.identity] != nil { context.held() }
    default:
      guard context.state.process.ending == nil else { return }
      let cause = event.kind == .purge ? "purge" : names[Payload.ProcessExit(event).cause]
      let end = context.witness("end", event, names)
      for task in context.state.tasks.values {
        atEnd(task, cause, event.sequence, event.time, end, &context, names)
      }
    }
  }

  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.ending == nil else { return }
    let (time, next) = (context.state.lastTime, context.state.nextSequence ?? 0)
    let last = context.witness("last event", max(next, 1) - 1, time, .none, names)
    for task in context.state.tasks.values {
      atEnd(task, "", max(next, 1) - 1, time, last, &context, names)
    }
  }

  /// An open task at the end of the process, or of the recording, leaked or was cut short.
  private func atEnd(
    _ task: OpenTask,
    _ cause: String,
    _ sequence: UInt64,
    _ time: HostTime,
    _ end: Witness,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let clock = context.state.backgroundClock(
      of: task,
      until: time,
      context.profile,
      scaled: context.scaled
    )
    let held =
      clock?.held
      ?? context.state.running(
        since: task.time,
        suspendedBefore: task.suspendedBefore,
        until: time
      )
    let limit = clock?.limit ?? context.profile.backgroundTask.kill
    let left = context.scaled(limit).subtractingSaturated(held)
    if task.expired != nil {
      return leaked(
        task,
        "it expired, and was not ended then either",
        sequence,
        time,
        end,
        &context,
        names
      )
    }
    // In the foreground no clock runs against it, nor in a background mode that lasts.
    let isTimed = clock != nil
    if cause == "exit" || (left <= 0 && isTimed) {
      let why: Sentence = cause == "exit" ? "the process exited first" : "its time was up"
      return leaked(task, why, sequence, time, end, &context, names)
    }
    let what = cause.isEmpty ? "the recording ends" : "the process ended (\(cause))"
    let reason: Sentence =
      !isTimed
      ? "\(what) \(context.words(held)) after its begin, and in \(task.isUnlimited ? "its background mode" : "the foreground") no time is up"
      : "\(what) \(context.words(held)) into the \(context.limit(limit)) granted: "
        + "it had \(context.words(left)) left to end the task"
    let name = task.title(names)
    let witnesses = [
      context.witness("begin", task.sequence, task.time, task.site, names), end,
    ]
    context.undecidable(reason, at: sequence, time) { _ in
      .init(title: "background task \(name) was not ended, yet", witnesses: witnesses)
    }
  }

  private func leaked(
    _ task: OpenTask,
    _ why: Sentence,
    _ sequence: UInt64,
    _ time: HostTime,
    _ end: Witness,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let witnesses = [
      context.witness("begin", task.sequence, task.time, task.site, names), end,
    ]
    let title: Sentence =
      "background task \(task.title(names))\(context.at(task.site, names)) was never ended"
    if let doubt = context.doubt(.task, since: task.time) {
      return context.undecidable("its end may be missing: \(doubt)", at: sequence, time) { _ in
        .init(title: title, witnesses: witnesses)
      }
    }
    context.violated(at: sequence, time) { context in
      .init(
        title: title,
        details: ["It was begun \(context.words(time - task.time)) before; \(why)."],
        witnesses: witnesses
      )
    }
  }
}

extension OpenTask {
  /// `"sync"`, or *without a name*.
  func title(_ names: borrowing Names) -> Sentence {
    let name = names[name]
    return name.isEmpty ? "without a name" : "\"\(name: name)\""
  }
}

/// No background task is ended that is not open.
struct BT02: Rule {
  static let info = RuleInfo(
    "BT02",
    "No background task is ended twice, or without having been begun.",
    source: "UIKit: Can't end BackgroundTask: no background task exists with identifier",
    severity: .warning,
    fix: "Set the stored id to invalid when the task is ended, and keep ids local."
  )
  static let attention = Attention.kinds([.taskEnd])
  /// More ended ids than this are forgotten, oldest first.
  private static let endedMax = 256
  private var ended: [(id: UInt64, time: HostTime, sequence: UInt64)] = []

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let id = event.identity
    if context.state.tasks[id] != nil {
      if ended.count == Self.endedMax { ended.removeFirst() }
      ended.append((id, event.time, event.sequence))
      return context.held()
    }
    let site = context.at(event.site, names)
    let earlier = ended.last { $0.id == id }
    var witnesses = [context.witness("end", event, names)]
    if let earlier {
      witnesses.append(
        context.witness("ended before", earlier.sequence, earlier.time, .none, names)
      )
    }
    let title: Sentence =
      earlier == nil
      ? "background task \(id) was ended\(site), and never begun"
      : "background task \(id) was ended\(site) a second time"
    let doubt = earlier.map { context.doubt(.task, since: $0.time) } ?? context.doubt(.task)
    let missing: Sentence? = doubt.map { "its begin may be missing: \($0)" }
    context.violated(at: event, unless: missing, title, witnesses)
  }
}

/// A suspended app cannot begin anything.
struct BT05: Rule {
  static let info = RuleInfo(
    "BT05",
    "No background task is begun while the app is suspended.",
    source: "iPhone Application Programming Guide, App States: suspended",
    severity: .error,
    fix: "Check the clocks and how the suspension was observed."
  )
  static let attention = Attention.kinds([.taskBegin])

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let name = names[Payload.TaskBegin(event).name]
    let witness = context.witness("begin", event, names)
    switch context.state.appState {
    case .unknown:
      let reason = context.unknownState
      context.undecidable(reason, at: event.sequence, event.time) { _ in
        .init(
          title: "task \"\(name: name)\" was begun in a state that is not known",
          witnesses: [witness]
        )
      }
    case .suspended where event.time > context.state.stateSince:
      let witnesses = [context.suspendedWitness(names), witness]
      context.violated(at: event.sequence, event.time) { _ in
        .init(
          title: "background task \"\(name: name)\" was begun while the app was suspended",
          witnesses: witnesses
        )
      }
    default: context.held()
    }
  }
}

/// A background task has an expiration handler, or it is killed for not having one.
struct BT07: Rule {
  static let info = RuleInfo(
    "BT07",
    "Every background task has an expiration handler.",
    source: "UIApplication beginBackgroundTask(expirationHandler:); Background Task Notes",
    severity: .warning,
    fix: "Pass an expiration handler that ends the task at once."
  )
  static let attention = Attention.kinds([.taskBegin])
  private static let systemPrefixes = ["com.apple.", "_UI", "_NS"]

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let task = Payload.TaskBegin(event)
    guard let hasHandler = task.handler else { return }
    if hasHandler { return context.held() }
    let name = names[task.name]
    // Frameworks of the system begin such tasks in every app, which can do nothing about them.
    guard !Self.systemPrefixes.contains(where: name.hasPrefix) else { return }
    let site = context.at(event.site, names)
    let witness = context.witness("begin", event, names)
    context.violated(at: event.sequence, event.time) { _ in
      .init(
        title: "background task \"\(name: name)\"\(site) has no expiration handler",
        witnesses: [witness]
      )
    }
  }
}
