// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What an app has made of the system's values, and keeps: a cache whose attribute names the change
// that makes it stale.
extension Notifications {
  private static let guide =
    "App Programming Guide, Strategies for Handling App State Transitions: handle locale, "
    + "preferences and account changes at the return"

  /// A change that came to the app, or waits for it.
  private struct Change: Opened {
    let type: NameID
    let key: NameID
    let time: HostTime
    let sequence: UInt64
    /// What has handled it since.
    var handling: Handling?
    var site: SiteID { .none }
  }

  private struct Handling: Opened {
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// The last change of each type, and what was found of one.
  private struct Stale: Sendable {
    var changes: [Change] = []
    var found: (change: Change, cache: HeldResource)?
    /// The caches whose uses the app reports: whether one is stale is judged there.
    var used: Set<NameID> = []

    /// More than this are not followed.
    private static let changesMax = 64

    mutating func delivered(_ event: borrowing Event, _ context: borrowing RuleContext) {
      let delivered = Payload.NotificationDelivered(event)
      forget(delivered.type)
      guard context.hasRoom(changes.count, of: Self.changesMax, for: "change") else { return }
      let (time, sequence) = (event.time, event.sequence)
      changes.append(
        Change(type: delivered.type, key: delivered.key, time: time, sequence: sequence)
      )
    }

    mutating func handled(_ event: borrowing Event) {
      let type = Payload.NotificationHandled(event).type
      guard let index = changes.firstIndex(where: { $0.type == type }) else { return }
      changes[index].handling = Handling(
        time: event.time,
        sequence: event.sequence,
        site: event.site
      )
    }

    mutating func forget(_ type: NameID) { changes.removeAll { $0.type == type } }
  }

  /// The cache that a change makes stale, if the app has had one since before.
  private static func cache(
    madeStaleBy type: NameID,
    since time: HostTime,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> HeldResource? {
    for thing in context.state.resources.values
    where thing.resourceClass == .cache && thing.time < time {
      if isSame(thing.attribute, type, names) { return thing }
    }
    return nil
  }

  private static func isSame(_ one: NameID, _ other: NameID, _ names: borrowing Names) -> Bool {
    one != .empty
      && NotificationClass.shortName(names[one]) == NotificationClass.shortName(names[other])
  }

  static let observed = Rule(
    "NQ08",
    "A change is handled that makes stale what the app says that it keeps: a resource of class cache "
      + "whose attribute names the change.",
    source: guide,
    severity: .warning,
    fix: "Observe it, and make what depends on it anew.",
    restsOnAllWork: true,
    Recall(
      attention: [
        .event(.notificationDelivered), .event(.notificationHandled), .event(.resourceUse),
        .event(.touch),
      ] + Trigger.stateChanges,
      memory: Stale()
    ) { stale, event, context, names in
      switch event.kind {
      case .resourceUse:
        let use = Payload.ResourceUse(event)
        if use.class.value == .cache, context.hasRoom(stale.used.count, for: "cache") {
          stale.used.insert(use.name)
        }
        return nil
      case .notificationDelivered:
        stale.delivered(event, context)
        return nil
      case .notificationHandled:
        let type = Payload.NotificationHandled(event).type
        let isCached =
          stale.changes.contains { $0.type == type }
          && cache(madeStaleBy: type, since: .init(rawValue: .max), context, names) != nil
        stale.forget(type)
        return isCached ? .held : nil
      default: break
      }
      for change in stale.changes {
        guard let cache = cache(madeStaleBy: change.type, since: change.time, context, names)
        else { continue }
        stale.forget(change.type)
        if stale.used.contains(cache.name) { continue }
        stale.found = (change, cache)
        if let doubt = context.doubt(.notification, since: change.time) {
          return .unclear("the handling may be missing: \(doubt)")
        }
        let resource = context.doubt(.resource, since: cache.time)
        return .broken(unless: resource.map { "that it was made anew may be missing: \($0)" })
      }
      stale.changes = []
      return nil
    } says: { scene, stale in
      guard let (change, cache) = stale.found else {
        return Story("a change was not handled", [], [scene.here("not handled by then")])
      }
      let name: Sentence = "\(name: scene.names[cache.name])"
      return Story(
        "\(Self.name(change.type, change.key, scene)) was delivered, and nobody handled it: the "
          + "cache \(name) is stale",
        ["It was made\(scene.at(cache.site)) \(scene.before(cache)), from what was so before."],
        [
          scene.witness("cache made", cache), scene.witness("delivered", change),
          scene.here("not handled by then"),
        ]
      )
    }
  )

  static let fresh = Rule(
    "NQ09",
    "Nothing stale is used behind a change: the cache that it makes stale is made anew before its next "
      + "use (acquired again, or released), whoever has handled the change.",
    source: guide,
    severity: .warning,
    fix:
      "Handle the change before anything else, and make what depends on it anew: report that with "
      + "acquire() or release().",
    restsOnAllWork: true,
    Recall(
      attention: [
        .event(.notificationDelivered), .event(.notificationHandled), .event(.resourceUse),
      ],
      memory: Stale()
    ) { stale, event, context, names in
      switch event.kind {
      case .notificationDelivered:
        stale.delivered(event, context)
        return nil
      case .notificationHandled:
        stale.handled(event)
        return nil
      default: break
      }
      let used = Payload.ResourceUse(event)
      guard used.class.value == .cache, let attribute = used.attribute, attribute != .empty,
        context.state.appState != .suspended, let cache = newestCache(used.name, context)
      else { return nil }
      guard let change = change(for: attribute, stale, context, names), cache.time < change.time
      else { return .held }
      stale.found = (change, cache)
      stale.forget(change.type)
      if let doubt = context.doubt(.notification, since: change.time) {
        return .unclear("the handling may be missing: \(doubt)")
      }
      let resource = context.doubt(.resource, since: cache.time)
      return .broken(unless: resource.map { "that it was made anew may be missing: \($0)" })
    } says: { scene, stale in
      guard let (change, cache) = stale.found else {
        return Story("something stale was used", [], [scene.witness("used")])
      }
      let name = Self.name(change.type, change.key, scene)
      var details: [Sentence] = [
        "It was made\(scene.at(cache.site)) \(scene.before(cache)), and not made anew since."
      ]
      var witnesses = [scene.witness("cache made", cache), scene.witness("change", change)]
      if let handling = change.handling {
        details.append(
          "\(name) was handled\(scene.at(handling.site)) \(scene.before(handling)); what that did "
            + "has not touched the cache, as far as the app reports."
        )
        witnesses.append(scene.witness("handled", handling))
      }
      return Story(
        "the cache \(name: scene.names[cache.name]) was used\(scene.at(scene.event.site)) behind "
          + "\(name), which makes it stale",
        details,
        witnesses + [scene.witness("used")]
      )
    }
  )

  /// The cache of that name that was made last; it may have been made anew below another id.
  private static func newestCache(
    _ name: NameID,
    _ context: borrowing RuleContext
  ) -> HeldResource? {
    context.state.resources.values.filter { $0.resourceClass == .cache && $0.name == name }
      .max { $0.sequence < $1.sequence }
  }

  /// The last change that makes a cache stale: one that waits still, or that has come to the app.
  private static func change(
    for attribute: NameID,
    _ stale: Stale,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Change? {
    for change in context.waiting.changes where change.isNet == true {
      guard isSame(attribute, change.lastType, names) else { continue }
      return Change(
        type: change.lastType,
        key: change.key,
        time: change.time,
        sequence: change.sequence
      )
    }
    return stale.changes.first { isSame(attribute, $0.type, names) }
  }

  /// What the incarnation before has not heard of, and what was found of one.
  private struct Inherited: Sendable {
    var changes: [Tallies.Untold] = []
    var found: Tallies.Untold?
  }

  static let readAgain = Rule(
    "NQ12",
    "A launch reads what has changed while the app before it was suspended, and died.",
    source: "\(guide); nothing waits for an app that is not running",
    severity: .warning,
    fix: "At the launch read the current value, and make what is kept in files anew from it.",
    restsOnAllWork: true,
    Recall(
      attention: [
        .event(.processStart), .event(.notificationDropped), .event(.resourceAcquire),
        .event(.resourceUse),
      ],
      memory: Inherited()
    ) { inherited, event, context, names in
      switch event.kind {
      case .processStart:
        inherited.changes = context.tallies.takeUntold(before: context.stream)
        return nil
      case .notificationDropped:
        let dropped = Payload.NotificationDropped(event)
        guard names[dropped.why] == "app ended" else { return nil }
        let witness = Witness(
          label: "died with the app",
          stream: context.stream,
          sequence: event.sequence,
          time: event.time
        )
        guard context.hasRoom(context.tallies.untoldCount, for: "change") else { return nil }
        context.tallies.leave(
          .init(type: names[dropped.type], label: context.label, dropped: witness)
        )
        return nil
      default: break
      }
      guard !inherited.changes.isEmpty, let (attribute, isMade) = cacheUse(event) else {
        return nil
      }
      let type = NotificationClass.shortName(names[attribute])
      let known = inherited.changes.firstIndex { NotificationClass.shortName($0.type) == type }
      guard let known else { return nil }
      inherited.found = inherited.changes.remove(at: known)
      if isMade { return .held }
      let start = context.state.process.started ?? event.time
      let doubt = context.unseen(.resource, since: start)
      return .broken(unless: doubt.map { "that it was made anew may be missing: \($0)" })
    } says: { scene, inherited in
      guard let change = inherited.found else {
        return Story("something stale was used", [], [scene.witness("used")])
      }
      let cache = scene.names[Payload.ResourceUse(scene.event).name]
      return Story(
        "the cache \(name: cache) was used\(scene.at(scene.event.site)) as \(name: change.label) "
          + "had left it, though \(name: change.type) came in between",
        [
          "\(name: change.type) waited for \(name: change.label), and died with it: nobody tells "
            + "this launch."
        ],
        [change.dropped, scene.witness("used")]
      )
    }
  )

  /// What makes a cache stale that is used, or made; nil where the event is about none.
  private static func cacheUse(_ event: borrowing Event) -> (attribute: NameID, isMade: Bool)? {
    if event.kind == .resourceAcquire {
      let made = Payload.ResourceAcquire(event)
      return made.class.value == .cache ? made.attribute.map { ($0, true) } : nil
    }
    guard event.kind == .resourceUse else { return nil }
    let used = Payload.ResourceUse(event)
    return used.class.value == .cache ? used.attribute.map { ($0, false) } : nil
  }
}
