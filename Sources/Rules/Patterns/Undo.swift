// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What an app changes on its way out, it changes back on its way in: in the partner callback.
///
///     Undo(judges: { $0.isAcquire }) { scene, change, way in Story("…", …) }
///
/// willResignActive is undone by didBecomeActive, and didEnterBackground by willEnterForeground.
/// What is left is judged when the app has been active long enough, and leaves that state.
struct Undo: Pattern {
  /// A resource that was acquired or released on the way out.
  struct Change: Opened {
    let key: ResourceKey
    let attribute: NameID
    let isAcquire: Bool
    /// willResignActive or didEnterBackground; the former too where it was changed behind that, by
    /// something else, while the app was inactive.
    let callback: Callback
    /// Whether it was changed in that callback.
    let isInCallback: Bool
    /// Whether it had been begun before at a launch or a return, and not when somebody asked for it.
    let isRoutine: Bool
    /// Whether the app has changed it back at a return before.
    let isResumed: Bool
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    /// Whether it was left so while the app was active again.
    fileprivate(set) var isLeft = false

    /// The class of the resource.
    var kind: ResourceClass { ResourceClass(rawValue: key.classCode) ?? .other }

    /// The callback that undoes it.
    var partner: Callback {
      callback == .willResignActive ? .didBecomeActive : .willEnterForeground
    }
  }

  /// How a change was met on the way in.
  enum Way: Sendable {
    /// Nothing has undone it.
    case left
    /// The wrong callback has.
    case crossed(Callback)
  }

  /// Whether it judges what is left; else what is undone in the wrong callback.
  let judgesLeft: Bool
  /// Whether what is released outside of a callback, while the app is inactive, is judged as well: where it
  /// was left so while the app was active again, and is taken back behind that in the wrong callback.
  var looksOutside = false
  /// Whether a change is the rule's.
  let judges: @Sendable (Change, borrowing Names) -> Bool
  /// How bad it is that a change is left, or undone in the wrong callback; nil for the rule's own.
  var grade: @Sendable (Change) -> Severity? = { _ in nil }
  let says: @Sendable (Scene, Change, Way, _ isSure: Bool) -> Story
  private(set) var changes: [Change] = []
  /// What the right partner has undone before: whoever comes first does it there.
  private(set) var undoneRightly: Set<ResourceKey> = []
  /// What was acquired at a launch or a return.
  private(set) var routine: Set<ResourceKey> = []
  /// What was changed back at a return, in whichever callback.
  private(set) var resumed: Set<ResourceKey> = []

  var attention: [Trigger] {
    [.event(.resourceAcquire), .event(.resourceRelease), .event(.transition)] + Trigger.endings
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .resourceAcquire:
      let key = ResourceKey(acquiredBy: event, names)
      guard context.state.resources[key] == nil else { return }
      let attribute = Payload.ResourceAcquire(event).attribute ?? .empty
      note(key, attribute, isAcquire: true, event, &context, names)
    case .resourceRelease:
      let key = ResourceKey(releasedBy: event, names)
      guard let held = context.state.resources[key], context.state.isFree(after: key) else {
        return
      }
      note(key, held.attribute, isAcquire: false, event, &context, names)
    default:
      guard context.change?.from == .active else { return }
      if looksOutside { noteLeft(event, context) }
      judgeLeft(event, &context, names)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil, context.state.appState == .active else { return }
    judgeLeft(last, &context, names)
  }

  private mutating func note(
    _ key: ResourceKey,
    _ attribute: NameID,
    isAcquire: Bool,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let callback = context.calling(event, names)
    let isOnTheWayIn = callback == .didBecomeActive || callback == .willEnterForeground
    if isAcquire, isOnTheWayIn || context.state.appState != .active,
      context.hasRoom(routine.count, for: "thing")
    {
      routine.insert(key.withoutID)
    }
    if let place = changes.firstIndex(where: { $0.isAcquire != isAcquire && $0.key == key })
      ?? changes.firstIndex(where: { isAcquire && !$0.isAcquire && $0.key.isAlike(key) })
    {
      let change = changes.remove(at: place)
      return undone(change, in: callback, event, &context, names)
    }
    let isOutside =
      looksOutside && !isAcquire && callback == nil && context.state.appState == .inactive
      && context.history.hasBecomeActive
    let moment = isOutside ? .willResignActive : callback
    guard let moment, moment == .willResignActive || moment == .didEnterBackground,
      context.hasRoom(changes.count, for: "change")
    else { return }
    let change = Change(
      key: key,
      attribute: attribute,
      isAcquire: isAcquire,
      callback: moment,
      isInCallback: !isOutside,
      isRoutine: routine.contains(key.withoutID),
      isResumed: resumed.contains(key.withoutID),
      time: event.time,
      sequence: event.sequence,
      site: event.site
    )
    if judges(change, names) { changes.append(change) }
  }

  private mutating func undone(
    _ change: Change,
    in callback: Callback?,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard callback != change.callback else { return }
    let isAtReturn = callback == .didBecomeActive || callback == .willEnterForeground
    if isAtReturn, context.hasRoom(resumed.count, for: "thing") {
      resumed.insert(change.key.withoutID)
    }
    guard let callback, callback == .didBecomeActive || callback == .willEnterForeground,
      callback != change.partner
    else {
      if callback == change.partner, context.hasRoom(undoneRightly.count, for: "thing") {
        undoneRightly.insert(change.key.withoutID)
      }
      return context.held()
    }
    guard !judgesLeft, !undoneRightly.contains(change.key.withoutID),
      change.isInCallback || change.isLeft
    else { return context.held() }
    // Whether the right partner has ever undone it is known only where the whole life is.
    let started = context.state.process.started ?? HostTime(rawValue: .min)
    let finding: Finding =
      if let doubt = context.unseen(.callback, since: started)
        ?? context.unseen(.resource, since: started)
      {
        .unclear("a callback may be missing: \(doubt)")
      } else {
        .broken(grade(change))
      }
    let isSure = if case .broken = finding { true } else { false }
    context.say(finding, event, names) { says($0, change, .crossed(callback), isSure) }
  }

  /// The app has been active since it came back, long enough to have changed back what it needs.
  private mutating func noteLeft(_ event: borrowing Event, _ context: borrowing RuleContext) {
    let active = context.state.stateSince
    guard changes.contains(where: { $0.time < active && !$0.isLeft }),
      case .over = context.compare(event.time - active, context.profile.undo.warn)
    else { return }
    for place in changes.indices where changes[place].time < active { changes[place].isLeft = true }
  }

  /// The app has been active since it came back, up to `event`.
  private mutating func judgeLeft(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard judgesLeft else { return }
    let active = context.state.stateSince
    let left = changes.filter { $0.time < active }
    guard !left.isEmpty else { return }
    let length = event.time - active
    let comparison = context.compare(length, context.profile.undo.warn)
    if case .within = comparison { return }
    changes.removeAll { $0.time < active }
    for change in left {
      var doubt =
        context.doubt(.resource, since: change.time)
        .map { "what undoes it may be missing: \($0)" } as Sentence?
      if case .unclear(let reason) = comparison { doubt = doubt ?? reason }
      let isSure = doubt == nil
      let finding = doubt.map { Finding.unclear($0) } ?? .broken(grade(change))
      context.say(finding, event, names) { says($0, change, .left, isSure) }
    }
  }
}

extension ResourceKey {
  /// What is acquired anew is another thing, with an id of its own, that does the same.
  fileprivate var withoutID: ResourceKey { ResourceKey(name, classCode, 0) }

  fileprivate func isAlike(_ other: ResourceKey) -> Bool { withoutID == other.withoutID }
}
