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
      ended, unopened, asleep, BackgroundWork.tail, handler, BackgroundWork.frozen,
      BackgroundWork.lucky,
    ]
  )

  static let ended = Rule(
    "BT01",
    "Every background task that is begun is ended.",
    source: "UIApplication beginBackgroundTask: calls must be balanced",
    fix: "Call endBackgroundTask on every path, and in the expiration handler.",
    restsOnAllWork: true,
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
      let how = earlier == nil ? ", and never begun" : " a second time"
      return Story(
        "background task \(scene.event.identity) was ended\(scene.at(scene.event.site))\(how)",
        [],
        [scene.witness("end")] + (earlier.map { [scene.witness("ended before", $0)] } ?? [])
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
}
