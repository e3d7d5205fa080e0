// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Observers that pile up.
extension Notifications {
  /// Callbacks that are called again and again, and in which an observer is registered again, too.
  private static let repeated: [Callback] = [
    .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground,
  ]

  static let handledOnce = Rule(
    "NQ13",
    "A delivery is handled once by each observer, and none is registered again at each return.",
    source: "NSNotificationCenter addObserver: an observer that is added twice is called twice",
    severity: .warning,
    fix:
      "Register it once, at launch, or remove it in the partner callback of the one that adds it.",
    Recall(
      attention: [
        .event(.resourceAcquire), .event(.resourceRelease), .event(.notificationDelivered),
        .event(.notificationHandled), .event(.callbackEnd),
      ],
      memory: Registrations()
    ) { known, event, context, names in
      switch event.kind {
      case .resourceAcquire:
        let resource = Payload.ResourceAcquire(event)
        guard names[resource.attribute ?? .empty] == "observer" else { return nil }
        let calling = context.calling(event, names)
        let isRepeated = calling.map(repeated.contains) ?? false
        known.add(resource, event, context, names, isRepeated: isRepeated)
        return nil
      case .resourceRelease:
        known.remove(Payload.ResourceRelease(event), names)
        return nil
      case .notificationDelivered:
        known.delivered(Payload.NotificationDelivered(event).type, names)
        return nil
      default: break
      }
      let judged: Registrations.Again??
      if event.kind == .callbackEnd {
        // What the app itself goes through is no delivery: its observers are called behind the delegate.
        guard let callback = context.callback else { return nil }
        judged = known.called(callback)
      } else {
        judged = known.handled(Payload.NotificationHandled(event).type, names)
      }
      guard let judged else { return nil }
      guard let again = judged else { return .held }
      let doubt = context.doubt(.resource, since: again.first.time)
      return .broken(unless: doubt.map { "that it was removed may be missing: \($0)" })
    } says: { scene, known in
      guard let again = known.found else {
        return Story("a notification was handled too often", [], [scene.witness("handled")])
      }
      let isDelivery = scene.event.kind == .notificationHandled
      let type = isDelivery ? Payload.NotificationHandled(scene.event).type : again.last.type
      let name = Self.name(type, .empty, scene)
      return Story(
        "\(name) was handled \(count: UInt64(again.times), of: "time") by the observer"
          + "\(scene.at(again.last.site))",
        [
          "It was registered there again and again, the last time \(scene.before(again.last)), and "
            + "not removed in between."
        ],
        [
          scene.witness("registered", again.first), scene.witness("registered again", again.last),
          scene.witness("handled again"),
        ]
      )
    }
  )

  /// The observers that are registered, and how often the last delivery was handled.
  private struct Registrations: Sendable {
    struct Observer: Opened {
      let type: NameID
      let id: UInt64
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
      /// The callback of the app's own life behind which it is called; nil for changes of the system.
      let life: Callback?
      /// It stands where another one was registered, in a callback that is called at each return.
      var isAgain: Bool
    }

    struct Again: Sendable {
      let first: Observer
      let last: Observer
      /// How often that observer stands there.
      let times: Int
    }

    /// Each is looked for among the others.
    private static let observersMax = 4_096

    private var observers: [Observer] = []
    /// By type: how many have handled the last delivery.
    private var handled = FlatTable<NameID, Int>()
    /// By the name of a type as it is spelt: the one that it is known by here.
    private var spelt = FlatTable<NameID, NameID>()
    /// Where too many were told of the app's own life: each place once.
    private var told: Set<SiteID> = []
    private(set) var found: Again?

    /// The name without the word that those of the system may end with: an observer is registered by the
    /// one, and what the system posts may have the other.
    private mutating func base(_ type: NameID, _ names: borrowing Names) -> NameID {
      if let known = spelt[type] { return known }
      let name = names[type]
      let short = NotificationClass.shortName(name)
      guard let base = short == name ? type : names.find(short) else { return type }
      if spelt.count < Limits.remembered { spelt.insert(base, for: type) }
      return base
    }

    mutating func add(
      _ resource: Payload.ResourceAcquire,
      _ event: borrowing Event,
      _ context: borrowing RuleContext,
      _ names: borrowing Names,
      isRepeated: Bool
    ) {
      guard context.hasRoom(observers.count, of: Self.observersMax, for: "observer") else { return }
      let (site, type) = (event.site, base(resource.name, names))
      let isKnown = observers.contains { $0.type == type && $0.site == site }
      observers.append(
        Observer(
          type: type,
          id: resource.id ?? 0,
          time: event.time,
          sequence: event.sequence,
          site: site,
          life: Self.life(names[resource.name]),
          isAgain: isRepeated && isKnown && site != .none
        )
      )
    }

    mutating func remove(_ resource: Payload.ResourceRelease, _ names: borrowing Names) {
      let type = base(resource.name, names)
      observers.removeAll { $0.type == type && $0.id == resource.id ?? 0 }
      // Whoever registers anew first, and removes the old one then, has one.
      for place in observers.indices
      where observers[place].isAgain
        && !observers[..<place].contains(where: {
          $0.type == observers[place].type && $0.site == observers[place].site
        })
      {
        observers[place].isAgain = false
      }
    }

    private static func life(_ type: String) -> Callback? {
      guard type.hasPrefix("UIApplication") else { return nil }
      let callback = Callback(named: NotificationClass.shortName(type) + "Notification")
      return callback.flatMap { repeated.contains($0) ? $0 : nil }
    }

    mutating func delivered(_ type: NameID, _ names: borrowing Names) {
      handled.insert(0, for: base(type, names))
    }

    /// The app was told what it goes through, and its observers of that are: nil where it has none, else
    /// who is called too often, if anyone and for the first time.
    mutating func called(_ callback: Callback) -> Again?? {
      let own = observers.filter { $0.life == callback }
      guard !own.isEmpty else { return nil }
      guard
        let last = own.last(where: {
          $0.isAgain && !told.contains($0.site)
        }), let first = own.first(where: { $0.type == last.type && $0.site == last.site })
      else { return .some(nil) }
      told.insert(last.site)
      let times = own.count { $0.type == last.type && $0.site == last.site }
      found = Again(first: first, last: last, times: times)
      return .some(found)
    }

    /// One more has handled the last delivery: nil where that tells nothing, else who did so once
    /// too often, if anyone.
    mutating func handled(_ spelt: NameID, _ names: borrowing Names) -> Again?? {
      let type = base(spelt, names)
      guard let count = handled[type] else { return nil }
      handled.insert(count + 1, for: type)
      let own = observers.filter { $0.type == type }
      guard !own.isEmpty else { return nil }
      let once = own.filter { !$0.isAgain }.count
      // Told once a delivery: at the first that is too many.
      guard count == once, let last = own.last(where: \.isAgain),
        let first = own.first(where: { $0.site == last.site })
      else { return count < once ? .some(nil) : nil }
      let times = own.count { $0.site == last.site }
      found = Again(first: first, last: last, times: times)
      return .some(found)
    }
  }
}
