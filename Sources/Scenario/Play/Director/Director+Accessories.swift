// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// An accessory is taken from an app on its way to the background, and given back at its return. What
// connects and disconnects meanwhile is queued as any other change.

extension Director {
  private static var types: [String] { ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"] }

  /// Takes note of what is connected to the device.
  func noteAccessory(_ change: SystemChange) {
    switch NotificationClass.shortName(change.type) {
    case Self.types[0]: accessories.insert(change.key)
    case Self.types[1]: accessories.remove(change.key)
    default: break
    }
  }

  /// The app has come to the background: without the mode for it no accessory stays connected.
  func disconnectAccessories(_ app: Int) {
    guard apps[app].executes, !keepsAccessories(app),
      !apps[app].observed.isDisjoint(with: Self.types)
    else { return }
    for key in accessories.subtracting(apps[app].lostAccessories).sorted() {
      tell(SystemChange(type: Self.types[1], key: key), to: app)
      apps[app].lostAccessories.insert(key)
    }
  }

  /// The app comes back to the front: what was taken from it, and is connected still, is again.
  func reconnectAccessories(_ app: Int) {
    let lost = apps[app].lostAccessories
    apps[app].lostAccessories = []
    for key in accessories.intersection(lost).sorted() {
      tell(SystemChange(type: Self.types[0], key: key), to: app)
    }
  }

  /// Whether the app has been notified already: it lost the accessory when it left the screen.
  func isTold(accessory type: String, key: String, _ app: Int) -> Bool {
    guard apps[app].lostAccessories.contains(key) else { return false }
    switch NotificationClass.shortName(type) {
    case Self.types[0]:
      apps[app].lostAccessories.remove(key)
      return false
    case Self.types[1]: return true
    default: return false
    }
  }

  private func keepsAccessories(_ app: Int) -> Bool {
    let mode = "external-accessory"
    return apps[app].configuration.backgroundModes.contains(mode)
      && apps[app].services[mode] != false
  }
}
