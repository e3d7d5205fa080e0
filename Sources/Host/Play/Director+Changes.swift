// SPDX-License-Identifier: Apache-2.0
import HostWire
import Lifecycle
import Recorder
import Trace

extension Director {
  /// Something changes in the system: executing apps hear of it now, suspended ones at their wake-up.
  func post(_ change: SystemChange, to only: Int? = nil, origin: String = "system") {
    for app in apps.indices where only == nil || only == app {
      switch apps[app].state {
      case .suspended: queue(change, for: app, origin: origin)
      case .active, .inactive, .background:
        recordPost(change, about: app, origin: origin)
        deliver(
          .notification(type: change.type, key: change.key, value: change.value),
          to: app
        )
      case .notRunning, .unknown: break
      }
    }
    known[SystemChange(type: change.type, key: change.key, value: "")] = change.value
  }

  private func queue(_ change: SystemChange, for app: Int, origin: String) {
    if !profile.queuesProtectedData, change.type.contains("ProtectedData") { return }
    let before = known[SystemChange(type: change.type, key: change.key, value: "")]
    guard let entry = apps[app].pending.post(change, before: before) else { return }
    recordPost(change, about: app, origin: origin)
    guard entry.posts > 1 else { return }
    record(
      RecordedEvent(
        .notificationCoalesced,
        identity: .name(entry.change.type),
        [.name(entry.change.key), .name(entry.change.value), .number(UInt64(entry.posts))]
      ),
      about: app
    )
  }

  private func recordPost(_ change: SystemChange, about app: Int, origin: String) {
    record(
      RecordedEvent(
        .notificationPosted,
        identity: .name(change.type),
        [.name(change.key), .name(change.value), .name(origin)]
      ),
      about: app
    )
  }

  /// Hands over what changed while the app was suspended, on its main run loop, before anything else.
  func deliverPending(_ app: Int) {
    let changes = apps[app].pending.net
    for entry in apps[app].pending.entries {
      for type in entry.types where type != entry.change.type || !changes.contains(entry.change) {
        var change = entry.change
        change.type = type
        recordDrop(change, about: app, why: "no net change")
      }
    }
    apps[app].pending = PendingChanges()
    for change in changes {
      if change.type == Netting.protectedAvailable || change.type == Netting.protectedUnavailable {
        tellProtectedData(app, available: change.type == Netting.protectedAvailable)
      } else {
        deliver(.notification(type: change.type, key: change.key, value: change.value), to: app)
      }
    }
    // A system that does not queue the lock tells of an unlock all the same.
    if !isLocked { tellProtectedData(app, available: true) }
  }

  /// The app ends with its queue.
  func dropPending(_ app: Int) {
    for change in apps[app].pending.net { recordDrop(change, about: app, why: "app ended") }
    apps[app].pending = PendingChanges()
  }

  private func recordDrop(_ change: SystemChange, about app: Int, why: String) {
    record(
      RecordedEvent(
        .notificationDropped,
        identity: .name(change.type),
        [.name(change.key), .name(change.value), .name(why)]
      ),
      about: app
    )
  }

  // MARK: Protected data

  /// The device is locked or unlocked with a passcode: executing apps are told at once.
  func changeProtectedData(available: Bool) {
    let type = available ? Netting.protectedAvailable : Netting.protectedUnavailable
    let change = SystemChange(type: type, key: "", value: available ? "yes" : "no")
    for app in apps.indices {
      if apps[app].state == .suspended {
        queue(change, for: app, origin: "system")
      } else if apps[app].executes, apps[app].toldUnavailable == available {
        recordPost(change, about: app, origin: "system")
        tellProtectedData(app, available: available)
      }
    }
  }

  /// Tells the app, unless it knows.
  private func tellProtectedData(_ app: Int, available: Bool) {
    guard apps[app].toldUnavailable == available else { return }
    apps[app].toldUnavailable = !available
    deliver(.protectedData(available: available), to: app)
  }
}
