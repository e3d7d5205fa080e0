// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family BT: background tasks are promises, and each is kept exactly once.
enum BackgroundTasks {
  static let family = RuleFamily(
    "BT",
    "Background tasks",
    [
      ended, unopened, overwritten, late, asleep, BackgroundWork.tail, handler, carried,
      BackgroundWork.frozen, BackgroundWork.lucky, modes, BackgroundWork.idle,
    ]
  )

  static let ended = Rule(
    "BT01",
    "Every background task that is begun is ended.",
    source: "UIApplication beginBackgroundTask: calls must be balanced",
    fix: "Call endBackgroundTask on every path, and in the expiration handler.",
    restsOnAllWork: true,
    thresholds: ["background-task"],
    under: RuleInfo.Under(["BT03", "DL07"], sharing: ["first", "begin"]),
    Pairing(ledger: .tasks, begin: .taskBegin, fate: { fate(of: $0, $1, $2, $3) }) {
      scene,
      task,
      cut,
      fate in
      let name = scene.title(task)
      let end =
        switch cut {
        case .begunAgain: scene.witness("begun again")
        case .processEnded: scene.witness("end")
        case .recordingEnded: scene.here("last event")
        }
      let witnesses = [scene.witness("begin", task), end]
      let title: Sentence = "background task \(name)\(scene.at(task.site)) was never ended"
      if case .lost = fate, task.expired != nil, let handler = scene.runningExpiration {
        return hung(scene, task, handler, witnesses)
      }
      switch fate {
      case .left: return Story("background task \(name) was not ended, yet", [], witnesses)
      case .mayBeLost: return Story(title, [], witnesses)
      case .lost(let why):
        return Story(
          title,
          ["It was begun \(scene.since(task.time)) before; \(why)."],
          witnesses
        )
      }
    }
  )

  /// A task that had no chance to be ended: its expiration handler did not get so far.
  private static func hung(
    _ scene: Scene,
    _ task: OpenTask,
    _ handler: OpenSpan,
    _ witnesses: [Witness]
  ) -> Story {
    let inner = scene.state.openSpans(on: handler.thread).last { $0.sequence > handler.sequence }
    let stuck: Sentence = inner.map { ", in \(scene.title($0))\(scene.at($0.site))" } ?? ""
    return Story(
      "the expiration handler of background task \(scene.title(task))\(scene.at(task.site)) hung",
      [
        "The task was begun \(scene.since(task.time)) before; its handler had run for "
          + "\(scene.since(handler.time))\(stuck), and had not come to end it."
      ],
      witnesses + [scene.witness("handler", handler)],
      advice: "End the task first of all in the handler, and wait for nothing there."
    )
  }

  /// An open task at the end of the process, or of the recording, leaked or was cut short.
  private static func fate(
    of task: OpenTask,
    _ cut: Pairing<OpenTask>.Cut,
    _ time: HostTime,
    _ context: borrowing RuleContext
  ) -> Pairing<OpenTask>.Fate {
    var (cause, what): (String, Sentence) = ("", "the recording ends")
    switch cut {
    case .begunAgain: return .lost("its id was given out again")
    case .processEnded(""), .recordingEnded: break
    case .processEnded(let said): (cause, what) = (said, "the process ended (\(said))")
    }
    if task.expired != nil { return .lost("it expired, and was not ended then either") }
    if cause == "exit" { return .lost("the process exited first") }
    // In the foreground no clock runs against it, nor in a background mode that lasts.
    guard let clock = context.backgroundClock(of: task, until: time) else {
      let held = context.state.running(
        since: task.time,
        suspendedBefore: task.suspendedBefore,
        until: time
      )
      let place = task.isUnlimited ? "its background mode" : "the foreground"
      return .left(
        "\(what) \(context.words(held)) after its begin, and in \(place) no time is up"
      )
    }
    let left = context.scaled(clock.limit).subtractingSaturated(clock.held)
    if left <= 0 { return .lost("its time was up") }
    return .left(
      "\(what) \(context.words(clock.held)) into the \(context.limit(clock.limit)) granted: "
        + "it had \(context.words(left)) left to end the task"
    )
  }

  static let unopened = Rule(
    "BT02",
    "No background task is ended twice, or without having been begun.",
    source: "UIKit: Can't end BackgroundTask: no background task exists with identifier",
    severity: .warning,
    fix: "Set the stored id to invalid when the task is ended, and keep ids local.",
    Unopened(ledger: .tasks) { scene, earlier in
      let place = scene.at(scene.event.site)
      guard let earlier else {
        let isInvalid = scene.event.identity == 0
        return Story(
          isInvalid
            ? "a background task was ended\(place) by the invalid identifier: none was begun"
            : "background task \(scene.event.identity) was ended\(place), and never begun",
          [],
          [scene.witness("end")]
        )
      }
      return Story(
        "background task \(scene.title(earlier.thing)) was ended\(place) a second time",
        ["It had been ended\(scene.at(earlier.site)) \(scene.before(earlier))."],
        [scene.witness("ended before", earlier.sequence, earlier.time), scene.witness("end")]
      )
    }
  )

  static let asleep = Rule(
    "BT05",
    "No background task is begun while the app is suspended.",
    source: "iPhone Application Programming Guide, App States: suspended",
    fix: "Check the clocks and how the suspension was observed.",
    Each.never(.event(.taskBegin), early: .heldAtOnce, "begin") { scene in
      let name = scene.names[Payload.TaskBegin(scene.event).name]
      let what = scene.state.appState == .unknown ? "task" : "background task"
      return "\(what) \"\(name: name)\" was begun"
    }
  )

  static let handler = Rule(
    "BT07",
    "Every background task has an expiration handler.",
    source: "UIApplication beginBackgroundTask(expirationHandler:); Background Task Notes",
    severity: .warning,
    fix: "Pass an expiration handler that ends the task at once.",
    Each(attention: [.event(.taskBegin)]) { event, _, names in
      let task = Payload.TaskBegin(event)
      guard let hasHandler = task.handler else { return nil }
      if hasHandler { return .held }
      // Frameworks of the system begin such tasks in every app, which can do nothing about them.
      let isSystems = ["com.apple.", "_UI", "_NS"].contains(where: names[task.name].hasPrefix)
      return isSystems ? nil : .broken()
    } says: { scene in
      let name = scene.names[Payload.TaskBegin(scene.event).name]
      let site = scene.at(scene.event.site)
      return Story(
        "background task \"\(name: name)\"\(site) has no expiration handler",
        [],
        [scene.witness("begin")]
      )
    }
  )

  static let overwritten = Rule(
    "BT03",
    "No second background task is stored over the id of the first.",
    source: "Background Task Notes: each identifier that was given is to be ended",
    fix: "Keep the id in a variable of the work that it covers, or end the first before the second "
      + "begins.",
    restsOnAllWork: true,
    Overwritten { scene, pair, isSure in
      let name = scene.title(pair.first)
      let witnesses = [
        scene.witness("first", pair.first), scene.witness("second", pair.second),
        scene.here("still open"),
      ]
      guard isSure else {
        return Story("background task \(name) may have been overwritten", [], witnesses)
      }
      return Story(
        "background task \(name)\(scene.at(pair.first.site)) was begun again while it was open, and "
          + "only the second was ended",
        [
          "The first was begun \(scene.before(pair.first)), the second \(scene.before(pair.second)).",
          "The time of the first ran out, and nobody ended it: its id was probably overwritten.",
        ],
        witnesses
      )
    }
  )

  private static let timeIsUp: Sentence =
    "When the time is up, stop the work and end the task; go on at the next launch, or in a "
    + "processing task. A task begun then gets none."

  static let late = Rule(
    "BT04",
    "A background task is begun before didEnterBackground returns, and none when the time is up.",
    source:
      "UIApplicationDelegate applicationDidEnterBackground: first call beginBackgroundTask, then "
      + "run the task on a queue",
    fix: "Begin it in didEnterBackground, before the work is dispatched, not in the work.",
    Each(attention: [.event(.taskBegin)]) { event, context, names in
      let task = Payload.TaskBegin(event)
      // What is done without the task that was refused, other rules judge.
      guard context.state.appState == .background, !task.isRefused else { return nil }
      if context.assertions > 0, context.isExpiring(at: event.time, names) {
        return .broken(
          unless: context.doubt(.callback).map { "the end of the handler may be missing: \($0)" },
          .warning
        )
      }
      // What another thread begins in time may be delivered late.
      guard let entering = context.returnFromEntering, !entering.isAround(event),
        context.assertions == 0, task.granted ?? 0 < OpenTask.grantedWithoutLimit,
        !context.isComingForward(names)
      else { return .held }
      return .broken(unless: context.doubtCover(since: context.state.stateSince))
    } says: { scene in
      let name = scene.names[Payload.TaskBegin(scene.event).name]
      let title: Sentence = "background task \"\(name: name)\"\(scene.at(scene.event.site))"
      if scene.context.assertions > 0,
        scene.context.isExpiring(at: scene.event.time, scene.names)
      {
        return Story(
          "\(title) was begun in an expiration handler",
          ["The time in the background is up: its own handler is called at once."],
          [scene.witness("begin")],
          advice: timeIsUp
        )
      }
      guard let entering = scene.context.returnFromEntering,
        scene.context.doubtCover(since: scene.state.stateSince) == nil
      else {
        return Story("\(title) may have been begun too late", [], [scene.witness("begin")])
      }
      let witnesses = [
        scene.witness("returned", entering.endSequence, entering.end), scene.witness("begin"),
      ]
      var details: [Sentence] = []
      var advice: Sentence?
      if let last = scene.context.history.release, last.time >= entering.end {
        let what: Sentence =
          !last.isTask
          ? "The last wake was completed"
          : "The last background task\(last.task.map { ", \(scene.title($0))," } ?? "") was ended"
        let why: Sentence = last.task?.expired == nil ? "" : ", when its time was up"
        details.append("\(what)\(scene.at(last.site)) \(scene.before(last))\(why).")
        if last.task?.expired != nil {
          advice = timeIsUp
        }
      }
      return Story(
        "\(title) was begun \(scene.since(entering.end)) after didEnterBackground had returned",
        details + [
          "Nothing kept the app running by then: the system may suspend it before the task begins."
        ],
        witnesses,
        advice: advice
      )
    }
  )

  static let carried = Rule(
    "BT08",
    "No background task is held for as long as the app is used.",
    source: "UIApplication beginBackgroundTask: not a means simply to keep the app running",
    severity: .warning,
    fix: "Begin it for a piece of work and end it there; continuous work needs a background mode.",
    restsOnAllWork: true,
    thresholds: ["task-age"],
    Carried { scene, carried, isSure in
      let name = scene.title(carried.task)
      let witnesses = [scene.witness("begin", carried.task), scene.witness("left again")]
      guard isSure else {
        return Story("background task \(name) may have been held all the time", [], witnesses)
      }
      return Story(
        "background task \(name)\(scene.at(carried.task.site)) was held through a whole visit of the "
          + "user",
        [
          "It was begun \(scene.before(carried.task)), and the app now leaves the foreground with it "
            + "for the second time."
        ],
        witnesses
      )
    }
  )

  static let modes = Rule(
    "BT12",
    "The app is woken, and runs on in the background, only for what its background modes declare.",
    source: "iPhone Application Programming Guide: UIBackgroundModes in the property list",
    severity: .warning,
    fix:
      "Declare the mode in UIBackgroundModes: without it a device neither wakes the app nor lets "
      + "it run on.",
    Both(
      Each(attention: [.event(.wakeBegin)]) { event, context, names in
        guard event.kind == .wakeBegin, let declared = declared(context, names) else { return nil }
        let needed = BackgroundMode.needed(toWakeFor: names[Payload.WakeBegin(event).reason])
        guard !needed.isEmpty else { return nil }
        return needed.contains(where: declared.contains) ? .held : .broken()
      } says: { scene in
        let reason = scene.names[Payload.WakeBegin(scene.event).reason]
        let needed = BackgroundMode.needed(toWakeFor: reason).joined(separator: " or ")
        return Story(
          "the app was woken by \(name: reason), and does not declare \(name: needed)",
          [declaredWords(scene)],
          [scene.witness("wake")]
        )
      },
      services
    )
  )

  /// With its mode declared an app is not suspended while it says that a service runs.
  private static let services = OpenAt<HeldResource>(
    moments: Trigger.stateChanges,
    occasion: .resourceAcquire,
    usesOccasions: true,
    open: { _, context, names in
      guard context.change?.suspends == true else { return nil }
      return context.state.resources.values.filter { $0.isService(names) }
    },
    finds: { service, _, context, names in
      guard let declared = declared(context, names) else {
        return .unclear("its property list is not recorded")
      }
      if declared.contains(names[service.name]) { return .held }
      return .broken(
        unless: context.doubt(.resource, since: service.time).map {
          "its end may be missing: \($0)"
        }
      )
    },
    clear: .judged({ _ in nil }) { _ in Story("no service runs", [], []) }
  ) { scene, service, isSure in
    let name: Sentence = "the service \(name: scene.names[service.name])"
    let witnesses = [scene.witness("started", service), scene.witness("suspended")]
    guard isSure else {
      return Story("\(name) may have stood still over a suspension", [], witnesses)
    }
    return Story(
      "\(name) stood still when the app was suspended: its background mode is not declared",
      [
        "It was started\(scene.at(service.site)) \(scene.before(service)), and not stopped.",
        declaredWords(scene),
      ],
      witnesses
    )
  }

  /// The modes that the app declares; nil where its property list is not recorded.
  private static func declared(
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> [String]? {
    let config = context.state.process.config
    if let key = names.find("UIBackgroundModes"), let given = config[key] {
      return names[given].split(separator: ",").map(String.init)
    }
    // Each app can turn to some orientation: who has recorded which has said all that is declared.
    return context.config("UISupportedInterfaceOrientations", names).isEmpty ? nil : []
  }

  private static func declaredWords(_ scene: Scene) -> Sentence {
    let given = declared(scene.context, scene.names) ?? []
    return given.isEmpty
      ? "It declares no background mode."
      : "Its background modes are \(name: given.joined(separator: ","))."
  }
}

extension Scene {
  /// The expiration handler that main is in.
  fileprivate var runningExpiration: OpenSpan? {
    state.openSpans(on: .main).first {
      $0.kind == .callbackBegin
        && Callback(named: names[names[$0.site].name]) == .expirationHandler
    }
  }
}
