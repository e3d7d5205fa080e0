// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// The device is locked, and with a passcode that is what protects files.
struct DeviceLock: Sendable {
  /// When it was locked, on the clock of the host.
  let time: HostTime
  /// The event that says so.
  let sequence: UInt64
  /// Whether files are protected by it; nil where that is not said.
  let hasPasscode: Bool?
  /// Whether the device has not been unlocked since it started: more files are closed then.
  let isBeforeFirstUnlock: Bool

  /// The value of such a lock's event.
  static let beforeFirstUnlock = "before-first-unlock"

  /// The lock that an event tells of; nil for one that tells of none.
  init?(_ event: borrowing Event, _ names: borrowing Names) {
    guard event.kind == .device else { return nil }
    let device = Payload.Device(event)
    guard names[device.what] == "lock" else { return nil }
    sequence = event.sequence
    // A process that starts behind the lock is told for how long that has stood.
    let age = event.observer == .host ? max(0, device.number ?? 0) : 0
    time = HostTime(rawValue: event.time.rawValue &- age)
    // The host always says; without a word it means a lock without a passcode.
    let value = names[device.value ?? .empty]
    isBeforeFirstUnlock = value == Self.beforeFirstUnlock
    let isPasscode = value == "passcode" || isBeforeFirstUnlock
    let isHost = event.observer == .host
    hasPasscode = isPasscode ? true : isHost ? false : nil
  }

  /// Whether an event tells that the device is unlocked.
  static func isUnlock(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    guard event.kind == .device else { return false }
    return names[Payload.Device(event).what] == "unlock"
  }

  /// Why it is not sure that files are protected; nil where it is.
  var doubt: Sentence? {
    hasPasscode == nil ? "whether the device has a passcode is not recorded" : nil
  }
}

extension Names {
  /// Whether an attribute is that of a file which cannot be read while the device is locked.
  borrowing func isComplete(_ attribute: NameID) -> Bool {
    ["complete", "NSFileProtectionComplete"].contains(self[attribute])
  }

  /// Whether it is that of a file which cannot be read before the first unlock, and can from then on.
  borrowing func isUntilFirstUnlock(_ attribute: NameID) -> Bool {
    [
      "completeUntilFirstUserAuthentication",
      "NSFileProtectionCompleteUntilFirstUserAuthentication",
    ].contains(self[attribute])
  }
}
