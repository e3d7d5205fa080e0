// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family BT, its other half: work in the background, and what keeps the app running for it.
enum BackgroundWork {
  private static let source =
    "UIApplicationDelegate applicationDidEnterBackground: tasks you start will not run until after "
    + "that method exits; first call beginBackgroundTask"

  static let tail = Rule(
    "BT06",
    "No work goes on in the background after its background task was ended.",
    source:
      "UIApplication beginBackgroundTask: the app may be suspended as soon as the task is ended",
    severity: .warning,
    fix: "End the task in the last line of the work, not before.",
    restsOnAllWork: true,
    thresholds: ["task-tail"],
    Uncovered(.tail) { scene, work, _ in
      let name = scene.title(work.span)
      var witnesses = [scene.witness("begin", work.span)]
      var details: [Sentence] = []
      tellCover(work.cover, scene, &details, &witnesses)
      witnesses.append(scene.witness("end"))
      let end: Sentence =
        if case .others = work.cover { "the last background task was ended" } else {
          "its background task was ended"
        }
      return Story(
        "\(name)\(scene.at(work.span.site)) went on for \(scene.words(work.ran)) after \(end)",
        details + ["The system may suspend the app in between."],
        witnesses
      )
    }
  )

  static let frozen = Rule(
    "BT10",
    "No work is frozen by the suspension: an error where it holds a lock, a save or a shared file, "
      + "a note for a request whose task's time was up, else a warning.",
    source: source,
    fix:
      "Call beginBackgroundTask before the work is dispatched, and end the task in its last line.",
    restsOnAllWork: true,
    thresholds: ["task-tail"],
    Uncovered(.frozen) { scene, work, isSure in
      let name = scene.title(work.span)
      guard isSure else {
        return Story(
          "\(name) may have been frozen by the suspension",
          [],
          [scene.witness("begin", work.span), scene.witness("suspended")]
        )
      }
      var witnesses = [scene.witness("begin", work.span)]
      var details: [Sentence] = [
        "It began\(scene.at(work.span.site)) \(scene.before(work.span)), "
          + "\(place(of: work.span)), and had not ended."
      ]
      tellCover(work.cover, scene, &details, &witnesses)
      tell(work.holding, scene, &details, &witnesses)
      details.append("It goes on when the app runs again, and never if it is purged before.")
      return Story(
        "\(name) was frozen when the app was suspended",
        details,
        witnesses + [scene.witness("suspended")],
        advice: work.cover.isWake
          ? "Call the completion handler of the wake behind the last line of the work, or hold a "
            + "background task until then." : nil
      )
    }
  )

  static let lucky = Rule(
    "BT11",
    "Work that outlasts didEnterBackground is covered by a background task, though it may end in time.",
    source: source,
    severity: .warning,
    fix:
      "Call beginBackgroundTask before the work is dispatched, and end the task in its last line.",
    restsOnAllWork: true,
    thresholds: ["enter-background", "task-tail"],
    Uncovered(.lucky) { scene, work, isSure in
      var name = scene.title(work.span)
      if case .save(let object, let flush) = work.holding {
        name = "the save of \(object: scene.names[object]) version \(flush.version)"
      }
      var witnesses = [scene.witness("begin", work.span)]
      guard isSure else {
        witnesses.append(scene.witness("suspended"))
        return Story("\(name) may have ended in time by luck alone", [], witnesses)
      }
      var details: [Sentence] = [
        "It began\(scene.at(work.span.site)) \(place(of: work.span)), ran for "
          + "\(scene.words(work.ran)), and was done \(scene.since(work.end)) before the app was "
          + "suspended.",
        "\(name: "didEnterBackground") had returned before, and no background task was open.",
      ]
      _ = tellRefusal(scene, &details, &witnesses)
      witnesses.append(scene.witness("suspended"))
      return Story(
        "\(name) ended in time by luck alone: nothing kept the app running",
        details,
        witnesses
      )
    }
  )

  static let idle = Rule(
    "BT13",
    "A background task is ended when its work is done, not by its expiration handler.",
    source: "UIApplication beginBackgroundTask: call endBackgroundTask as soon as the task is done",
    severity: .info,
    fix:
      "End it on every path, also where there is nothing to do, and do not begin it for nothing.",
    restsOnAllWork: true,
    thresholds: ["background-task", "processing-task"],
    HeldIdle { scene, idle, isSure in
      let name = scene.title(idle.task)
      let witnesses = [
        scene.witness("begin", idle.task),
        scene.witness("expired", idle.expired.sequence, idle.expired.time), scene.witness("end"),
      ]
      guard isSure else {
        return Story(
          "background task \(name) may have been held for nothing until its time was up",
          [],
          witnesses
        )
      }
      return Story(
        "background task \(name)\(scene.at(idle.task.site)) was held until its time was up, and "
          + "nothing ran under it",
        [
          "It kept the app running for \(scene.words(idle.held)) in the background; in the last "
            + "\(scene.words(idle.quiet)) of those nothing ran that is recorded, and nothing was open.",
          "Nothing but its expiration handler ended it: the path that had nothing to do, or had "
            + "failed, did not.",
          "A thread or a request that waited all the while is not in the recording unless it has a "
            + "span (\(name: "Lifetrace.beginWork")).",
        ],
        witnesses
      )
    }
  )

  private static func place(of span: OpenSpan) -> Sentence {
    span.thread == .main ? "on the main thread" : "on a background thread"
  }

  /// A task that was asked for in this stay in the background, and refused.
  private static func tellRefusal(
    _ scene: Scene,
    _ details: inout [Sentence],
    _ witnesses: inout [Witness]
  ) -> Bool {
    guard let refusal = scene.context.history.refusal, refusal.time >= scene.state.stateSince else {
      return false
    }
    details.append(
      "The background task asked for\(scene.at(refusal.site)) \(scene.before(refusal)) was refused: "
        + "no time was left, so nothing kept the app running."
    )
    witnesses.append(scene.witness("task refused", refusal))
    return true
  }

  private static func tellCover(
    _ cover: Uncovered.Cover,
    _ scene: Scene,
    _ details: inout [Sentence],
    _ witnesses: inout [Witness]
  ) {
    switch cover {
    case .none:
      guard !tellRefusal(scene, &details, &witnesses) else { return }
      let served = scene.context.history.served
      if served >= (scene.state.leftForeground ?? .init(rawValue: .max)), served <= scene.event.time
      {
        details.append("A background service had stopped \(scene.since(served)) before.")
      }
      details.append("No background task was open while it ran, so nothing kept the app running.")
    case .others(let last):
      details.append(
        "No background task was begun for it; the last one\(ended(last, scene))."
      )
    case .until(let release) where release.isTask:
      let task: Sentence = release.task == nil ? "Its background task" : "Background task"
      details.append("\(task)\(ended(release, scene)), while it ran.")
      if cover.hasExpired {
        details.append(
          "Its time was up, so the app had to end it: the work takes longer than is granted."
        )
      }
      witnesses.append(scene.witness("task ended", release))
    case .until(let release):
      details.append("The wake had been completed \(scene.before(release)), while it ran.")
      witnesses.append(scene.witness("wake completed", release))
    }
  }

  /// ` "sync" was ended at Sync.swift:30 5 ms before (notes#1:9)`.
  private static func ended(_ release: History.Release, _ scene: Scene) -> Sentence {
    let name: Sentence = release.task.map { " \(scene.title($0))" } ?? ""
    return "\(name) was ended\(scene.at(release.site)) \(scene.before(release))"
  }

  private static func tell(
    _ holding: RuleContext.Holding?,
    _ scene: Scene,
    _ details: inout [Sentence],
    _ witnesses: inout [Witness]
  ) {
    switch holding {
    case nil: break
    case .save(let object, let flush):
      details.append(
        "It was saving \(object: scene.names[object]) version \(flush.version), of which it is "
          + "not known what stands on the disk."
      )
      witnesses.append(scene.witness("save began", flush))
    case .lock(let lock):
      details.append(
        "The lock on \(name: scene.names[lock.name]) is held meanwhile, and others wait for it."
      )
      witnesses.append(scene.witness("lock held", lock))
    case .file(let file):
      details.append("The shared file \(name: scene.names[file.name]) is open meanwhile.")
      witnesses.append(scene.witness("file open", file))
    }
  }
}
