// SPDX-License-Identifier: Apache-2.0

/// A class of system changes that is queued while an app is suspended, and how posts become one.
public struct NotificationClass: Hashable, Sendable {
  /// How several posts of one class and key become at most one delivery.
  public enum Rule: Hashable, Sendable {
    /// The first and the second name undo each other: an even number of changes is none.
    case pair(String, String)
    /// The last value; none if it is the value from before.
    case lastUnlessSame
    /// Only the last value is delivered.
    case last
    /// Once, with all keys together.
    case union

    /// Whether posts about several keys become one.
    public var joinsKeys: Bool { self == .union }
  }

  /// The names of its notifications.
  public var types: [String]
  /// How they are netted.
  public var rule: Rule

  /// The classes that the guides list, and those that Foundation and UIKit make up for at the resume.
  ///
  /// Of the calendar day Foundation says that one notification comes, however many days have passed.
  public static let all: [NotificationClass] = [
    .init(
      ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"],
      .pair("EAAccessoryDidConnect", "EAAccessoryDidDisconnect")
    ),
    .init(["UIDeviceOrientationDidChange"], .lastUnlessSame),
    .init(["UIApplicationSignificantTimeChange"], .union),
    .init(["UIDeviceBatteryLevelDidChange"], .last),
    .init(["UIDeviceBatteryStateDidChange"], .last),
    .init(["UIDeviceProximityStateDidChange"], .lastUnlessSame),
    protectedData,
    .init(
      ["UIScreenDidConnect", "UIScreenDidDisconnect"],
      .pair("UIScreenDidConnect", "UIScreenDidDisconnect")
    ),
    .init(["UIScreenModeDidChange"], .last),
    .init(["NSUserDefaultsDidChange"], .union),
    .init(["NSCurrentLocaleDidChange"], .union),
    .init(["NSUbiquityIdentityDidChange"], .last),
    .init(["NSSystemTimeZoneDidChange"], .lastUnlessSame),
    .init(["NSSystemClockDidChange"], .union),
    .init(["NSCalendarDayChanged"], .union),
    .init(["UIContentSizeCategoryDidChange"], .lastUnlessSame),
  ]

  /// The one that a profile may leave out.
  public static let protectedData = NotificationClass(
    [
      "UIApplicationProtectedDataWillBecomeUnavailable",
      "UIApplicationProtectedDataDidBecomeAvailable",
    ],
    .pair(
      "UIApplicationProtectedDataWillBecomeUnavailable",
      "UIApplicationProtectedDataDidBecomeAvailable"
    )
  )

  private init(_ types: [String], _ rule: Rule) {
    self.types = types
    self.rule = rule
  }

  /// The class of a notification, with or without `Notification` at its end; nil for one that is not queued.
  public static func named(_ type: String) -> NotificationClass? {
    let short = shortName(type)
    return all.first { $0.types.contains(short) }
  }

  /// Whether the notification is one half of a pair, which the other half undoes.
  package static func isPair(_ type: String) -> Bool {
    if case .pair? = named(type)?.rule { true } else { false }
  }

  /// The value that a device has of it before anything was posted, in the words of `value`; nil where
  /// there is none, or it does not matter.
  package func initial(like value: String) -> String? {
    switch types[0] {
    case "UIDeviceOrientationDidChange": return "portrait"
    case "UIDeviceProximityStateDidChange":
      let pairs = [("yes", "no"), ("true", "false"), ("YES", "NO"), ("near", "far")]
      return pairs.first { $0.0 == value || $0.1 == value }?.1 ?? "0"
    default: return nil
    }
  }

  /// The name without `Notification` at its end.
  package static func shortName(_ type: String) -> String {
    type.hasSuffix("Notification") ? String(type.dropLast(12)) : type
  }
}
