// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What changed in the system while the app was suspended, and has not come to it: folded once, for
/// all rules.
///
///     context.waiting.change(of: delivery, names)     // what the delivery stands for
///
/// It follows from the events alone and is in no keyframe: behind a hole it begins anew.
struct WaitingChanges: Sendable {
  /// More changes than this at once are not followed.
  static let changesMax = 256

  /// The posts of one class and key, taken together.
  struct Change: Opened {
    let group: Int
    let key: NameID
    let firstType: NameID
    let time: HostTime
    let sequence: UInt64
    var site: SiteID { .none }
    /// The value before the suspension, where it is known.
    let before: NameID?
    /// Of a pair: whether the first half was so before the suspension, where that is known, and is now.
    let wasFirstHalf: Bool?
    fileprivate var isFirstHalf: Bool
    fileprivate(set) var lastType: NameID
    fileprivate(set) var lastValue: NameID
    fileprivate(set) var lastSequence: UInt64
    fileprivate(set) var lastTime: HostTime
    /// The last value that says how the device is held; flat on a table says nothing of that.
    fileprivate(set) var lastUpright: NameID?
    fileprivate(set) var posts = 1

    /// Whether there is a change in the end; nil where that is not known.
    var isNet: Bool? {
      switch NotificationClass.all[group].rule {
      // Where nothing is known it was the other way before the first post.
      case .pair: wasFirstHalf.map { $0 != isFirstHalf } ?? (lastType == firstType)
      case .lastUnlessSame:
        lastUpright == lastValue ? before.map { $0 != lastValue } : nil
      case .last, .union: true
      }
    }

    /// Whether it is one of a pair.
    fileprivate var isHalf: Bool {
      if case .pair = NotificationClass.all[group].rule { true } else { false }
    }

    /// Whether a delivery has the value that it should have.
    func isLast(_ type: NameID, _ value: NameID) -> Bool {
      type == lastType && (value == lastValue || value == lastUpright)
    }
  }

  private(set) var changes: [Change] = []
  /// Whether one was not taken.
  private(set) var hasOverflowed = false
  /// The first touch since the app was resumed.
  private(set) var touch: (time: HostTime, sequence: UInt64)?
  /// The last values, of classes that tell a change only by it.
  private var values: [NotificationKey: NameID] = [:]
  /// Of pairs, by what they are about: whether the first half came last.
  private var halves: [Half: Bool] = [:]

  private struct Half: Hashable {
    let group: Int
    let key: NameID
  }
  /// By type: its place among the classes; nil for one that is not queued.
  private var groups = FlatTable<NameID, Int?>()

  /// The place of a type among the classes that are queued.
  private mutating func group(of type: NameID, _ names: borrowing Names) -> Int? {
    if let known = groups[type] { return known }
    let kind = NotificationClass.named(names[type])
    let group = kind.flatMap { NotificationClass.all.firstIndex(of: $0) }
    if groups.count < Limits.remembered { groups.insert(group, for: type) }
    return group
  }

  private func place(_ group: Int, _ key: NameID) -> Int? {
    let joins = NotificationClass.all[group].rule.joinsKeys
    return changes.firstIndex { $0.group == group && (joins || $0.key == key) }
  }

  /// What a delivery stands for; nil where nothing was posted while the app was suspended.
  func change(of delivery: Payload.NotificationDelivered, _ names: borrowing Names) -> Change? {
    guard !changes.isEmpty, let kind = NotificationClass.named(names[delivery.type]),
      let group = NotificationClass.all.firstIndex(of: kind)
    else { return nil }
    return place(group, delivery.key).map { changes[$0] }
  }
}

// MARK: - The fold

extension WaitingChanges {
  /// An event that rules have judged.
  mutating func fold(
    _ event: borrowing Event,
    isSuspended: Bool,
    _ names: borrowing Names
  ) {
    switch event.kind.rawValue {
    case EventKind.notificationPosted.rawValue:
      let posted = Payload.NotificationPosted(event)
      guard let group = group(of: posted.type, names) else { return }
      if isSuspended {
        post(posted, group, event, names)
      } else {
        note(posted.type, posted.key, posted.value, group, names)
      }
    case EventKind.notificationDelivered.rawValue:
      let delivered = Payload.NotificationDelivered(event)
      guard let group = group(of: delivered.type, names) else { return }
      note(delivered.type, delivered.key, delivered.value, group, names)
      if let place = place(group, delivered.key) { changes.remove(at: place) }
    case EventKind.notificationDropped.rawValue:
      let dropped = Payload.NotificationDropped(event)
      guard let group = group(of: dropped.type, names), let place = place(group, dropped.key)
      else { return }
      // Of a pair the half that was undone is dropped, and the other is still delivered.
      let change = changes[place]
      if change.isNet != true || dropped.type == change.lastType { changes.remove(at: place) }
    case EventKind.touch.rawValue:
      if touch == nil { touch = (event.time, event.sequence) }
    default: break
    }
  }

  /// The app runs again.
  mutating func resumed() { touch = nil }

  /// The app stops again, or ends: what came before this time will not come any more.
  mutating func forget(before time: HostTime) { changes.removeAll { $0.time < time } }

  private mutating func note(
    _ type: NameID,
    _ key: NameID,
    _ value: NameID,
    _ group: Int,
    _ names: borrowing Names
  ) {
    switch NotificationClass.all[group].rule {
    case .lastUnlessSame:
      // A value that is not known makes a change an open question, and no false one.
      let name = NotificationKey(type, key)
      if values[name] != nil || values.count < Limits.remembered { values[name] = value }
    case .pair where !names[key].isEmpty:
      let half = Half(group: group, key: key)
      guard halves[half] != nil || halves.count < Limits.remembered else { return }
      halves[half] = Self.isFirstHalf(type, group, names)
    case .pair, .last, .union: break
    }
  }

  private static func isFirstHalf(_ type: NameID, _ group: Int, _ names: borrowing Names) -> Bool {
    NotificationClass.shortName(names[type]) == NotificationClass.all[group].types[0]
  }

  private mutating func post(
    _ posted: Payload.NotificationPosted,
    _ group: Int,
    _ event: borrowing Event,
    _ names: borrowing Names
  ) {
    let isUpright = !names[posted.value].hasPrefix("face-")
    guard let place = place(group, posted.key) else {
      guard changes.count < Self.changesMax else { return hasOverflowed = true }
      changes.append(
        Change(
          group: group,
          key: posted.key,
          firstType: posted.type,
          time: event.time,
          sequence: event.sequence,
          before: values[NotificationKey(posted.type, posted.key)],
          wasFirstHalf: halves[Half(group: group, key: posted.key)],
          isFirstHalf: Self.isFirstHalf(posted.type, group, names),
          lastType: posted.type,
          lastValue: posted.value,
          lastSequence: event.sequence,
          lastTime: event.time,
          lastUpright: isUpright ? posted.value : nil
        )
      )
      return
    }
    changes[place].isFirstHalf = Self.isFirstHalf(posted.type, group, names)
    changes[place].lastType = posted.type
    changes[place].lastValue = posted.value
    changes[place].lastSequence = event.sequence
    changes[place].lastTime = event.time
    changes[place].posts += 1
    if isUpright { changes[place].lastUpright = posted.value }
  }
}

extension RuleContext {
  /// Whether what waited for the app must have come by now: it stops again, or has long been active.
  func hasDelivered(at event: borrowing Event) -> Bool {
    guard let resumed = state.lastResumed, state.appState != .suspended else { return false }
    if change?.suspends == true { return true }
    guard state.appState == .active else { return false }
    return event.time - resumed > surely(profile.wakeNotifications.warn)
  }

  /// Why posts or deliveries may be missing, from the suspension on in which it was posted.
  func doubtWaiting(_ change: WaitingChanges.Change) -> Sentence? {
    let slept = state.lastSuspended.map { min($0, change.time) } ?? change.time
    // Of a pair any half that is missing may be the one that was so before.
    return unseen(.notification, since: change.isHalf ? HostTime(rawValue: .min) : slept)
  }

  /// Follows what waits for the app, when the rules have judged the event.
  mutating func foldWaiting(_ event: borrowing Event, _ names: borrowing Names) {
    let isTouch = event.kind == .touch
    let isMoment = change != nil || isTouch
    if isMoment, !waiting.changes.isEmpty, let resumed = state.lastResumed {
      if hasDelivered(at: event) { waiting.forget(before: resumed) }
    }
    if change?.from == .suspended { waiting.resumed() }
    waiting.fold(event, isSuspended: state.appState == .suspended, names)
    if waiting.hasOverflowed {
      isFull(WaitingChanges.changesMax, "waiting change", .slots(Self.notificationSlots))
    }
  }
}
