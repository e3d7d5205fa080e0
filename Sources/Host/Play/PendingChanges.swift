// SPDX-License-Identifier: Apache-2.0

/// How several changes of one type become one while nobody can be told.
enum Netting {
  /// The last value; nothing if it is the one from before.
  case lastUnlessSame
  /// Comings and goings of one key: a pair is nothing.
  case pair(coming: String, going: String)
  /// One, whatever happened, with the last value.
  case once

  /// The rule for a type, nil for one that is not queued.
  static func rule(for type: String) -> Netting? {
    switch type {
    case "EAAccessoryDidConnect", "EAAccessoryDidDisconnect":
      .pair(coming: "EAAccessoryDidConnect", going: "EAAccessoryDidDisconnect")
    case "UIScreenDidConnect", "UIScreenDidDisconnect":
      .pair(coming: "UIScreenDidConnect", going: "UIScreenDidDisconnect")
    case protectedUnavailable, protectedAvailable:
      .pair(coming: protectedAvailable, going: protectedUnavailable)
    case "UIDeviceOrientationDidChange", "UIDeviceBatteryLevelDidChange",
      "UIDeviceBatteryStateDidChange", "UIDeviceProximityStateDidChange", "UIScreenModeDidChange":
      .lastUnlessSame
    case "UIApplicationSignificantTimeChange", "NSUserDefaultsDidChange",
      "NSCurrentLocaleDidChange", "NSUbiquityIdentityDidChange":
      .once
    default: nil
    }
  }

  static let protectedAvailable = "UIApplicationProtectedDataDidBecomeAvailable"
  static let protectedUnavailable = "UIApplicationProtectedDataWillBecomeUnavailable"
}

/// A change of the system: which, of what, and the value now.
package struct SystemChange: Sendable, Hashable {
  package var type: String
  package var key: String
  package var value: String
}

/// What changed while an app was suspended, netted: one entry a type and key.
///
/// Ten thousand posts of one type take the room of one. Keys beyond
/// ``entriesMax`` are refused and counted.
struct PendingChanges {
  struct Entry {
    var change: SystemChange
    var posts: Int
    /// The value before the first post; what a last value is compared with.
    var before: String?
    /// The types that were posted: two for a pair, of which one at most is delivered.
    var types: [String]
    /// A pair that cancelled stays as a count, and is not delivered.
    var cancelled = false
  }

  static let entriesMax = 1024
  private(set) var entries: [Entry] = []
  private(set) var refused = 0

  /// Takes a change; answers the entry that it was folded into, nil for one that is not queued.
  mutating func post(_ change: SystemChange, before: String?) -> Entry? {
    guard let rule = Netting.rule(for: change.type) else { return nil }
    guard let index = entries.firstIndex(where: { Self.folds(change, into: $0.change, rule) })
    else {
      guard entries.count < Self.entriesMax else {
        refused += 1
        return nil
      }
      entries.append(Entry(change: change, posts: 1, before: before, types: [change.type]))
      return entries.last
    }
    entries[index].posts += 1
    if !entries[index].types.contains(change.type) { entries[index].types.append(change.type) }
    if case .pair = rule {
      // The state at suspension is the opposite of the first change, so a change back is nothing.
      if entries[index].cancelled {
        entries[index].cancelled = false
        entries[index].change = change
      } else {
        entries[index].cancelled = entries[index].change.type != change.type
        entries[index].change = change
      }
    } else {
      entries[index].change.value = change.value
    }
    return entries[index]
  }

  /// What is to be delivered.
  var net: [SystemChange] {
    entries.filter { entry in
      if entry.cancelled { return false }
      guard case .lastUnlessSame? = Netting.rule(for: entry.change.type) else { return true }
      return entry.before != entry.change.value
    }
    .map(\.change)
  }

  private static func folds(_ new: SystemChange, into old: SystemChange, _ rule: Netting) -> Bool {
    switch rule {
    case .pair(let coming, let going):
      (old.type == coming || old.type == going) && old.key == new.key
    case .lastUnlessSame, .once: old.type == new.type && old.key == new.key
    }
  }
}
