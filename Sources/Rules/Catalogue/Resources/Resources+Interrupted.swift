// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What plays in the background, and is interrupted there: no callback says that, but a notification.
extension Resources {
  /// What a handler of the audio session's interruption stops, and nothing begins again.
  static let interrupted = Recall(
    attention: [
      EventKind.notificationDelivered, .notificationHandled, .turnEnd, .resourceAcquire,
      .resourceRelease, .suspend,
      .transition,
    ].map(Trigger.event) + Trigger.endings,
    memory: Interruption(),
    finds: { interruption, event, context, names in
      switch event.kind {
      case .notificationDelivered:
        interruption.delivered(event, context, names)
        return nil
      case .notificationHandled:
        // Without turns the first of its handlers is the last that is known to be one.
        if interruption.handling?.turn == nil { interruption.handling = nil }
        return nil
      case .turnEnd:
        if context.closing?.sequence == interruption.handling?.turn { interruption.handling = nil }
        return nil
      case .resourceRelease:
        interruption.released(event, context, names)
        return nil
      case .resourceAcquire:
        let media = Payload.ResourceAcquire(event)
        guard media.class.value == .media, names[media.attribute ?? .empty] == "audio",
          !interruption.stopped.isEmpty
        else { return nil }
        interruption.stopped = []
        if interruption.over != nil { interruption.hasResumed = true }
        return .held
      default: return judged(&interruption, event, context)
      }
    },
    says: { scene, interruption in
      guard let sound = interruption.found, let over = interruption.over else {
        return Story("sound was not begun again", [], [scene.witness("here")])
      }
      let isAsleep = scene.context.change?.suspends == true
      return Story(
        "the playback of \(name: scene.names[sound.name]) was stopped for an interruption, and not "
          + "begun again when that was over",
        [
          "It was stopped\(scene.at(sound.site)) \(scene.before(sound)); the interruption was over "
            + "\(scene.before(over.time, over.sequence)).",
          isAsleep
            ? "The app was suspended then: it had nothing to play." : "Nothing has played since.",
        ],
        [
          scene.witness("stopped", sound),
          scene.witness("interruption over", over.sequence, over.time),
          scene.witness(isAsleep ? "suspended" : "not playing"),
        ]
      )
    }
  )

  /// An interruption of the audio session, and what was stopped for it.
  struct Interruption: Sendable {
    struct Sound: Opened {
      let name: NameID
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
    }

    /// The thread, and its turn of the run loop, in which the begin of one is handled.
    fileprivate var handling: (thread: ThreadID, turn: UInt64?)?
    fileprivate(set) var stopped: [Sound] = []
    /// When the app heard that it was over.
    fileprivate(set) var over: (time: HostTime, sequence: UInt64)?
    fileprivate(set) var found: Sound?
    /// Whether the app has played on behind one that was over: it means to.
    fileprivate var hasResumed = false

    fileprivate mutating func delivered(
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names
    ) {
      let delivery = Payload.NotificationDelivered(event)
      let thread = event.thread
      if handling?.thread == thread { handling = nil }
      guard names[delivery.type].hasPrefix("AVAudioSessionInterruption") else { return }
      switch names[delivery.value] {
      case "began":
        let turn = context.state.openSpans(on: thread).first { $0.kind == .turnBegin }
        (handling, over) = ((thread, turn?.sequence), nil)
      case "ended": over = (event.time, event.sequence)
      default: break
      }
    }

    fileprivate mutating func released(
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names
    ) {
      let media = Payload.ResourceRelease(event)
      let key = ResourceKey(media.name, ResourceClass.media.rawValue, media.id ?? 0)
      guard media.class.value == .media, handling?.thread == event.thread,
        let held = context.state.resources[key], names[held.attribute] == "audio",
        context.hasRoom(stopped.count, for: "sound")
      else { return }
      let (time, sequence, site) = (event.time, event.sequence, event.site)
      stopped.append(Sound(name: media.name, time: time, sequence: sequence, site: site))
    }
  }

  /// The app sleeps, or leaves a state, or ends, and nothing has played since the interruption was over.
  private static func judged(
    _ interruption: inout Interruption,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> Finding? {
    guard let over = interruption.over, let sound = interruption.stopped.first,
      context.state.process.ending == nil
    else { return nil }
    var reason: Sentence?
    if context.change?.suspends != true {
      switch context.compare(event.time - over.time, context.profile.undo.warn) {
      case .within: return nil
      case .over: break
      case .unclear(let why): reason = why
      }
    }
    interruption.stopped = []
    interruption.found = sound
    let doubt = context.unseen(.resource, since: sound.time)
    return .broken(
      unless: doubt.map { "that it went on may be missing: \($0)" } ?? reason,
      interruption.hasResumed ? .warning : nil
    )
  }
}
