// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

/// A change of the system: which, of what, and the value now.
package struct SystemChange: Sendable, Hashable {
  package var type: String
  package var key = ""
  package var value = ""
}

extension SystemChange {
  /// The net change that came out of a queue.
  fileprivate init(_ delivery: NotificationQueue.Delivery) {
    self.init(type: delivery.type, key: delivery.key, value: delivery.value)
  }
}

extension Director {
  /// Something changes in the system: executing apps hear of it now, suspended ones at their wake-up.
  ///
  /// Apps hear of it under the name that the scenario has for it; with and without `Notification`
  /// at its end it is one type.
  func post(_ change: SystemChange, to only: Int? = nil) {
    var occasion = Occasion("system")
    occasion.change = change
    for app in apps.indices where only == nil || only == app {
      happen(.systemChange, to: app, occasion)
    }
    known[place(of: change)] = NotificationClass.isPair(change.type) ? change.type : change.value
    noteAccessory(change)
  }

  /// The app executes, and is notified of the change.
  func tell(_ change: SystemChange, to app: Int) {
    guard !isTold(accessory: change.type, key: change.key, app) else { return }
    recordPost(change, about: app)
    apps[app].orientation = orientation
    deliver(.notification(type: change.type, key: change.key, value: change.value), to: app)
  }

  /// The app sleeps: the change waits for it, if it is one that is queued.
  func queue(_ change: SystemChange, for app: Int) {
    let kind = NotificationClass.named(change.type)
    if kind == .protectedData, !profile.queuesProtectedData { return }
    // Of several things without a name one may have come while another was there.
    let isNameless = NotificationClass.isPair(change.type) && change.key.isEmpty
    let before =
      isNameless ? nil : known[place(of: change)] ?? kind?.initial(like: change.value)
    let net = apps[app].pending.post(
      change.type,
      key: change.key,
      value: change.value,
      before: before
    )
    guard let net else {
      return recordDrop(change, about: app, why: "does not wait for suspended apps")
    }
    recordPost(change, about: app)
    guard net.posts > 1 else { return seenFromOutside(.notificationPosted, of: app) }
    record(
      RecordedEvent {
        Payload.NotificationCoalesced(
          type: $0.name(net.type),
          key: $0.name(net.key),
          value: $0.name(net.value),
          posts: UInt64(net.posts)
        )
      },
      about: app
    )
    seenFromOutside(.notificationPosted, of: app)
    seenFromOutside(.notificationCoalesced, of: app)
  }

  private func place(of change: SystemChange) -> SystemChange {
    let isPair = NotificationClass.isPair(change.type)
    let type = isPair ? NotificationClass.named(change.type)?.types[0] : nil
    return SystemChange(type: type ?? NotificationClass.shortName(change.type), key: change.key)
  }

  private func recordPost(_ change: SystemChange, about app: Int) {
    record(
      RecordedEvent {
        Payload.NotificationPosted(
          type: $0.name(change.type),
          key: $0.name(change.key),
          value: $0.name(change.value),
          origin: $0.name("system")
        )
      },
      about: app
    )
  }

  /// Hands over what changed while the app was suspended, on its main run loop, before anything else.
  func deliverPending(_ app: Int) {
    let net = apps[app].pending.take()
    for undone in net.undone {
      recordDrop(SystemChange(undone), about: app, why: "no net change")
    }
    for change in net.delivered {
      if NotificationClass.named(change.type) == .protectedData {
        tellProtectedData(app, available: change.value == "yes")
      } else {
        guard !isTold(accessory: change.type, key: change.key, app) else {
          recordDrop(SystemChange(change), about: app, why: "no net change")
          continue
        }
        note(orientation: change, app)
        deliver(.notification(type: change.type, key: change.key, value: change.value), to: app)
      }
    }
    followOrientation(app)
  }

  private func note(orientation change: NotificationQueue.Delivery, _ app: Int) {
    guard NotificationClass.shortName(change.type) == "UIDeviceOrientationDidChange",
      let held = Orientation(rawValue: change.value), !held.isFlat
    else { return }
    apps[app].orientation = held
  }

  /// A turn that was hidden by laying the device flat is made up for.
  private func followOrientation(_ app: Int) {
    guard let orientation, orientation != apps[app].orientation ?? .portrait else { return }
    apps[app].orientation = orientation
    deliver(.rotate(orientation), to: app)
  }

  /// The app ends with its queue.
  func dropPending(_ app: Int) {
    for change in apps[app].pending.take().delivered {
      recordDrop(SystemChange(change), about: app, why: "app ended")
    }
  }

  private func recordDrop(_ change: SystemChange, about app: Int, why: String) {
    record(
      RecordedEvent {
        Payload.NotificationDropped(
          type: $0.name(change.type),
          key: $0.name(change.key),
          value: $0.name(change.value),
          why: $0.name(why)
        )
      },
      about: app
    )
  }

  // MARK: Protected data

  /// The change that a lock or unlock with a passcode is.
  func protection(available: Bool) -> SystemChange {
    let types = NotificationClass.protectedData.types
    return SystemChange(type: types[available ? 1 : 0], value: available ? "yes" : "no")
  }

  /// What an app that was suspended finds of protected files; nil where that is as it was.
  func protectionFound(by app: Int) -> SystemEvent? {
    guard apps[app].knowsUnavailable != isProtected else { return nil }
    // Where the notification is queued it is still to come; else none will.
    if isProtected, !profile.queuesProtectedData { apps[app].knowsUnavailable = true }
    return .protection(available: !isProtected)
  }

  /// Notifies the app, unless it knows; `change` happens now.
  func tellProtectedData(_ app: Int, available: Bool, _ change: SystemChange? = nil) {
    guard apps[app].knowsUnavailable == available else { return }
    apps[app].knowsUnavailable = !available
    if let change { recordPost(change, about: app) }
    deliver(.protectedData(available: available), to: app)
  }
}
