// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What an inactive app lets rest, until it is active again.
extension Resources {
  private static let inactive =
    "App Programming Guide, Strategies for Handling App State Transitions: when moving to the "
    + "inactive state"

  static let timers = Rule(
    "RS01",
    "No timer, and no delayed work that repeats itself, runs on when the app becomes inactive.",
    source: inactive,
    severity: .warning,
    fix: "Stop it in willResignActive, and start it again in didBecomeActive; one that must go on "
      + "has the attribute `critical`.",
    restsOnAllWork: true,
    thresholds: ["hang"],
    Both(
      Both(runningOn, periodic),
      Recall(
        attention: [
          .only(in: [.background], .event(.resourceUse)),
          .only(in: [.background], .workBegin(.ui)),
        ],
        memory: nil as Firing?
      ) { firing, event, context, _ in
        guard context.state.appState == .background else { return nil }
        if event.kind == .resourceUse {
          if Payload.ResourceUse(event).class.value == .timer { firing = Firing(event) }
          return nil
        }
        guard event.kind == .workBegin, let fired = firing, fired.thread == event.thread,
          !context.hasTurned(since: fired.time),
          event.time - fired.time <= context.scaled(context.profile.hang.hang)
        else { return nil }
        return .broken(.error)
      } says: { scene, firing in
        guard let firing else { return Story("a timer fired", [], [scene.witness("begin")]) }
        let name: Sentence = "\(name: scene.names[firing.name])"
        let since = scene.since(scene.state.stateSince)
        return Story(
          "the timer \(name) fired in the background, and changed the user interface",
          ["The app had been in the background for \(since): nobody sees what it changes."],
          [scene.stateWitness, scene.witness("fired", firing), scene.witness("interface changed")]
        )
      }
    )
  )

  /// A timer that goes on through an interruption, or until the app is suspended: whoever stops it in
  /// didEnterBackground does so in time, where the user leaves.
  private static let runningOn = OpenAt<HeldResource>(
    moments: Trigger.stateChanges,
    occasion: .resourceAcquire,
    isOccasion: { Payload.ResourceAcquire($0).class.value == .timer },
    open: { event, context, names in
      guard let change = context.change, let resigned = context.resigned else { return nil }
      // One that ran on before a suspension is told there, once.
      if let slept = context.state.lastSuspended, slept > resigned { return nil }
      let isOver = change.from == .inactive && change.to == .active
      guard
        change.suspends || change.from == .background && change.to == .inactive
          || isOver && context.state.stateBefore == .active
      else { return nil }
      return context.state.resources.values.filter {
        $0.resourceClass == .timer && $0.time < resigned && names[$0.attribute] != "critical"
      }
    },
    finds: { timer, _, context, _ in
      // A timer that willResignActive begins is not one that runs on.
      let resigning = context.unseen(.callback, since: HostTime(rawValue: .min)).map {
        "willResignActive may be missing: \($0)" as Sentence
      }
      return .broken(
        unless: context.doubt(.resource, since: timer.time).map { "its end may be missing: \($0)" }
          ?? resigning
      )
    }
  ) { scene, timer, isSure in
    let name: Sentence = "the timer \(name: scene.names[timer.name])"
    let isAsleep = scene.context.change?.suspends == true
    let witnesses = [
      scene.witness("started", timer), scene.here(isAsleep ? "suspended" : "still running"),
    ]
    guard isSure else {
      return Story("\(name) may have run on when the app became inactive", [], witnesses)
    }
    let until: Sentence = isAsleep ? "the app was suspended" : "the app came back"
    return Story(
      "\(name) ran on when the app became inactive",
      [
        "It was started\(scene.at(timer.site)) \(scene.before(timer)), and nothing had stopped it when "
          + "\(until)."
      ],
      witnesses
    )
  }

  /// A timer that fired.
  private struct Firing: Opened {
    let name: NameID
    let thread: ThreadID
    let time: HostTime
    let sequence: UInt64
    let site: SiteID

    init(_ event: borrowing Event) {
      name = Payload.ResourceUse(event).name
      (thread, time) = (event.thread, event.time)
      (sequence, site) = (event.sequence, event.site)
    }
  }

  static let queries = Rule(
    "RS14",
    "No metadata query runs on when the app becomes inactive.",
    source: inactive,
    severity: .warning,
    fix: "Stop it in willResignActive, and start it again in didBecomeActive.",
    restsOnAllWork: true,
    running(.query, unless: { attribute, _, _ in attribute == "critical" }) { _ in "the query" }
  )

  static let switcher = Rule(
    "RS23",
    "No view with sensitive content is visible in the app switcher.",
    source: inactive,
    severity: .info,
    fix: "Hide it in willResignActive already: the switcher shows an inactive app as it is, before "
      + "didEnterBackground.",
    restsOnAllWork: true,
    OpenAt<HeldResource>(
      moments: [.event(.transition)],
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == .view },
      open: { event, context, names in
        guard let change = context.change, change.from == .active, change.to == .inactive,
          names[Payload.Transition(event).cause] == "app-switcher"
        else { return nil }
        return sensitiveViews(context, names)
      },
      finds: { view, _, context, _ in unhidden(view, context) }
    ) { scene, view, isSure in
      let name: Sentence = "the sensitive view \(name: scene.names[view.name])"
      let witnesses = [scene.witness("shown", view), scene.here("app switcher")]
      guard isSure else {
        return Story("\(name) may be visible in the app switcher", [], witnesses)
      }
      return Story(
        "\(name) was visible in the app switcher",
        [
          "It was shown\(scene.at(view.site)) \(scene.before(view)), and not hidden in willResignActive."
        ],
        witnesses
      )
    }
  )

  static let media = Rule(
    "RS16",
    "No movie and no game runs on when the app becomes inactive.",
    source: inactive,
    severity: .warning,
    fix: "Pause it in willResignActive; what plays on another screen or is only heard has the "
      + "attribute `airplay` or `audio`.",
    restsOnAllWork: true,
    running(.media, unless: { mayPlayOn($0, $1, $2) }) { attribute in
      attribute == "game" ? "the game" : attribute == "movie" ? "the movie" : "the playback of"
    }
  )

  /// Whether media is not for the app's own screen: sound of an app that may play in the background
  /// is not, where nothing else is said.
  private static func mayPlayOn(
    _ attribute: String,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    if ["airplay", "audio", "camera"].contains(attribute) { return true }
    guard attribute.isEmpty else { return false }
    return context.config("UIBackgroundModes", names).split(separator: ",").contains("audio")
  }

  /// Nothing of a class is held when willResignActive has returned.
  private static func running(
    _ kind: ResourceClass,
    unless isExempt:
      @escaping @Sendable (String, borrowing RuleContext, borrowing Names) -> Bool,
    called noun: @escaping @Sendable (_ attribute: String) -> Sentence
  ) -> OpenAt<HeldResource> {
    OpenAt(
      moments: [.event(.transition), .callbackEnd(.willResignActive)],
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == kind },
      open: { event, context, names in
        guard context.hasResigned(at: event) else { return nil }
        let wasActive = context.history.states.last { $0.state == .active }?.time
        // Where the app has left the inactive state already, what began there is not meant.
        // Nor is what willResignActive has begun for the time behind it.
        let run = context.lastRun(of: .willResignActive)
        let isOut = context.change?.from == .inactive
        let end = isOut ? context.state.stateSince : run?.begin ?? event.time
        var held: [HeldResource] = []
        for thing in context.state.resources.values
        where thing.resourceClass == kind && thing.time < end && wasActive != nil {
          if !isExempt(names[thing.attribute], context, names) { held.append(thing) }
        }
        return held
      },
      finds: { thing, _, context, _ in
        .broken(
          unless: context.doubt(.resource, since: thing.time)
            .map { "its end may be missing: \($0)" }
        )
      }
    ) { scene, thing, isSure in
      let name: Sentence =
        "\(noun(scene.names[thing.attribute])) \(name: scene.names[thing.name])"
      let witnesses = [scene.witness("started", thing), scene.here("inactive")]
      guard isSure else {
        return Story("\(name) may have run on when the app became inactive", [], witnesses)
      }
      return Story(
        "\(name) ran on when the app became inactive",
        ["It was started\(scene.at(thing.site)) \(scene.before(thing)), and nothing stopped it."],
        witnesses
      )
    }
  }

  static let queues = Rule(
    "RS17",
    "No queue of work that can wait runs on in an inactive app.",
    source: inactive,
    severity: .warning,
    fix: "Suspend the queue in willResignActive and resume it in didBecomeActive, or make it a "
      + "critical one.",
    restsOnAllWork: true,
    Recall(
      attention: [.only(in: [.inactive], .event(.workBegin)), .event(.transition)],
      memory: Rest()
    ) { rest, event, context, names in
      guard event.kind == .workBegin else {
        rest = Rest()
        return nil
      }
      guard context.state.appState == .inactive, context.state.stateBefore == .active,
        let queue = Payload.WorkBegin(event).queue, queue != .empty
      else { return nil }
      let key = ResourceKey(queue, UInt8(ResourceClass.other.rawValue), 0)
      guard let held = context.state.resources[key], names[held.attribute] == "queue" else {
        return rest.judge(queue, .held)
      }
      let doubt = context.doubt(.resource, since: held.time)
      return rest.judge(queue, .broken(unless: doubt.map { "its end may be missing: \($0)" }))
    } says: { scene, _ in
      let queue = scene.names[Payload.WorkBegin(scene.event).queue ?? .empty]
      return Story(
        "the queue \(name: queue) went on in the inactive app",
        [
          "It began \(scene.eventTitle)\(scene.at(scene.event.site)) "
            + "\(scene.since(scene.state.stateSince)) after the app had become inactive."
        ],
        [scene.stateWitness, scene.witness("work began")]
      )
    }
  )

  /// One verdict a queue and stay in the inactive state.
  private struct Rest: Sendable {
    private var queues: Set<NameID> = []

    mutating func judge(_ queue: NameID, _ finding: Finding) -> Finding? {
      queues.insert(queue).inserted ? finding : nil
    }
  }
}
