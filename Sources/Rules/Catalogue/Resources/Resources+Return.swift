// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What starts again when the app is active again, and what waits for its user.
extension Resources {
  static let restarted = Rule(
    "RS02",
    "A timer that is stopped in willResignActive is started again in didBecomeActive, once.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: reverse the "
      + "steps of willResignActive",
    severity: .warning,
    fix: "Start it again in didBecomeActive, where it does not run already; a timer that fires "
      + "once has the attribute `once`.",
    restsOnAllWork: true,
    thresholds: ["undo"],
    Both(
      Undo(
        judgesLeft: true,
        judges: { change, names in
          !change.isAcquire && change.kind == .timer && names[change.attribute] != "once"
        },
        // One that was begun when there was something to do is begun anew when there is.
        grade: { $0.isRoutine ? nil : .info }
      ) { scene, change, _, isSure in Pairs.left(scene, change, isSure) },
      Recall<Void>(attention: [.event(.resourceAcquire)], memory: ()) { _, event, context, names in
        guard event.kind == .resourceAcquire else { return nil }
        let timer = Payload.ResourceAcquire(event)
        guard timer.class.value == .timer, let callback = context.calling(event, names),
          callback == .didBecomeActive || callback == .willEnterForeground,
          let running = runningTimer(timer.name, context)
        else { return nil }
        let doubt = context.doubt(.resource, since: running.time)
        return .broken(unless: doubt.map { "its end may be missing: \($0)" })
      } says: { scene, _ in
        let timer = Payload.ResourceAcquire(scene.event).name
        guard let running = runningTimer(timer, scene.context) else {
          return Story("a timer was started twice", [], [scene.witness("started again")])
        }
        return Story(
          "the timer \(name: scene.names[timer]) was started\(scene.at(scene.event.site)) though "
            + "it was running",
          ["It was started\(scene.at(running.site)) \(scene.before(running)), and not stopped."],
          [scene.witness("started", running), scene.witness("started again")]
        )
      }
    )
  )

  private static func runningTimer(
    _ name: NameID,
    _ context: borrowing RuleContext
  ) -> HeldResource? {
    context.state.resources.values.first { $0.resourceClass == .timer && $0.name == name }
  }

  static let heardAgain = Rule(
    "RS22",
    "Sound or a camera that was stopped on the way out, or for an interruption, goes on when that is over: a "
      + "warning where the app has begun it again at a return before.",
    source:
      "Human Interface Guidelines, Playing audio: resume when an interruption ends, where it was "
      + "playing before",
    severity: .info,
    fix:
      "Remember that it was playing before you stop it, and play it again in didBecomeActive, or "
      + "when the interruption says that it should resume.",
    restsOnAllWork: true,
    thresholds: ["undo"],
    Both(
      Undo(
        judgesLeft: true,
        judges: { change, names in
          guard !change.isAcquire, change.kind == .media else { return false }
          switch names[change.attribute] {
          case "audio": return change.callback == .willResignActive
          case "camera": return true
          default: return false
          }
        },
        // What an app has begun again at a return before, it means to. Else it may wait for its user.
        grade: { $0.isResumed ? .warning : nil }
      ) { scene, change, _, isSure in Pairs.left(scene, change, isSure) },
      interrupted
    )
  )

  /// In place of the time at which a game was paused: the user has touched the screen since.
  private static let touched = HostTime(rawValue: .max)

  static let resumed = Rule(
    "RS04",
    "A game or a movie that was paused goes on when the user says so.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: a game stays "
      + "paused until the user resumes it",
    severity: .info,
    fix: "Show that it is paused, and wait for a touch.",
    Recall(
      attention: [.event(.resourceAcquire), .event(.resourceRelease), .event(.touch)],
      memory: [NameID: HostTime]()
    ) { paused, event, context, names in
      switch event.kind {
      // What goes on behind a touch may have been asked for by it.
      case .touch: for name in paused.keys { paused[name] = touched }
      case .resourceRelease:
        let released = Payload.ResourceRelease(event)
        guard released.class.value == .media,
          ["game", "movie"].contains(names[released.attribute ?? .empty]),
          context.calling(event, names) == .willResignActive
        else { return nil }
        paused[released.name] = event.time
      default:
        let acquired = Payload.ResourceAcquire(event)
        guard acquired.class.value == .media,
          let since = paused.removeValue(forKey: acquired.name)
        else { return nil }
        if since == touched { return .held }
        guard context.calling(event, names) == .didBecomeActive else { return .held }
        let touch = context.unseen(.device, since: since)
        return .broken(unless: touch.map { "a touch may be missing: \($0)" })
      }
      return nil
    } says: { scene, _ in
      let acquired = Payload.ResourceAcquire(scene.event)
      let what = scene.names[acquired.attribute ?? .empty]
      return Story(
        "the \(name: what) \(name: scene.names[acquired.name]) went on in didBecomeActive"
          + "\(scene.at(scene.event.site)), and no touch had asked for it",
        [],
        [scene.witness("resumed")]
      )
    }
  )
}
