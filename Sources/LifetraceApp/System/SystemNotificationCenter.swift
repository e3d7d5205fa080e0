// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceAppProtocol

/// Where an app hears of changes in the system, such as a new locale or a connected accessory.
///
///     application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { note in … }
///
/// Changes made while the app was suspended come at its wake-up, once for each type, before the
/// first touch. A delivery without an observer is recorded as delivered and not as handled.
@MainActor
public final class SystemNotificationCenter {
  /// A change of the system that is delivered to the app.
  public struct Notification: Sendable, Hashable {
    /// The kind of change.
    public var name: Name
    /// Which accessory, screen … for the types that have several.
    public var key: String
    /// The value after the change, as text.
    public var value: String
  }

  /// The name of a notification, as UIKit spells it; without `Notification` at its end it is the same.
  public struct Name: RawRepresentable, Hashable, Sendable {
    /// The name as it was given, such as `NSCurrentLocaleDidChangeNotification`.
    public let rawValue: String
    /// The notification spelt so.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// As notifications are recorded: without the word that all of them end with.
    fileprivate var short: Substring {
      rawValue.hasSuffix("Notification") ? rawValue.dropLast(12) : Substring(rawValue)
    }

    /// Whether both are names of one notification.
    public static func == (one: Name, other: Name) -> Bool { one.short == other.short }

    /// Hashes what both spellings have in common.
    public func hash(into hasher: inout Hasher) { hasher.combine(short) }
  }

  /// An observer, where it was added, and what the trace knows it by.
  private struct Observer {
    let block: @MainActor (Notification) -> Void
    /// Of two from one place, one is too many.
    let site: Lifetrace.Site
    let registration: Lifetrace.Resource
  }

  private var observers: [Name: [Observer]] = [:]
  private var registered: UInt64 = 0
  var surroundings: (any Surroundings)?

  init() {}

  /// Whether the process has ended.
  private var isOver: Bool { surroundings?.isOver ?? false }

  /// Calls `block` on the main actor at each delivery of `name`.
  ///
  /// The registration is recorded as a resource that the app holds, with the place in the source.
  public func addObserver(
    forName name: Name,
    using block: @escaping @MainActor (Notification) -> Void,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    registered += 1
    let registration = Lifetrace.Resource(
      .init(String(name.short)),
      .other,
      attribute: "observer",
      id: registered
    )
    registration.acquire(file: file, line: line)
    let site = AppTrace.site(file, line)
    let observer = Observer(block: block, site: site, registration: registration)
    observers[name, default: []].append(observer)
    surroundings?.send(.observes(name.rawValue))
  }

  /// Forgets the observers of `name`.
  public func removeObservers(
    forName name: Name,
    file: StaticString = #fileID,
    line: UInt32 = #line
  ) {
    for observer in observers[name] ?? [] { observer.registration.release(file: file, line: line) }
    observers[name] = nil
  }

  /// Hands a change of the system to the observers, and records it.
  func deliver(_ notification: Notification) {
    AppTrace.notificationDelivered(
      type: notification.name.rawValue,
      key: notification.key,
      value: notification.value
    )
    for observer in observers[notification.name] ?? [] where !isOver {
      let begun = surroundings?.now ?? 0
      observer.block(notification)
      AppTrace.notificationHandled(
        type: notification.name.rawValue,
        key: notification.key,
        took: (surroundings?.now ?? 0) - begun,
        at: observer.site
      )
    }
  }

  /// Reports the app's own state; these are not system changes and are not recorded as such.
  func post(_ name: Name) {
    for observer in observers[name] ?? [] where !isOver {
      observer.block(Notification(name: name, key: "", value: ""))
    }
  }
}

extension SystemNotificationCenter.Name {
  /// The device is held another way.
  public static let orientationDidChange = Self(
    rawValue: "UIDeviceOrientationDidChangeNotification"
  )
  /// Midnight, carrier time, daylight saving.
  public static let significantTimeChange = Self(
    rawValue: "UIApplicationSignificantTimeChangeNotification"
  )
  /// The battery's charge has changed.
  public static let batteryLevelDidChange = Self(
    rawValue: "UIDeviceBatteryLevelDidChangeNotification"
  )
  /// The battery began to charge, or stopped.
  public static let batteryStateDidChange = Self(
    rawValue: "UIDeviceBatteryStateDidChangeNotification"
  )
  /// Something is near the screen.
  public static let proximityStateDidChange = Self(
    rawValue: "UIDeviceProximityStateDidChangeNotification"
  )
  /// An accessory was connected.
  public static let accessoryDidConnect = Self(rawValue: "EAAccessoryDidConnectNotification")
  /// An accessory was disconnected.
  public static let accessoryDidDisconnect = Self(rawValue: "EAAccessoryDidDisconnectNotification")
  /// An external display came.
  public static let screenDidConnect = Self(rawValue: "UIScreenDidConnectNotification")
  /// An external display went.
  public static let screenDidDisconnect = Self(rawValue: "UIScreenDidDisconnectNotification")
  /// The mode of a screen.
  public static let screenModeDidChange = Self(rawValue: "UIScreenModeDidChangeNotification")
  /// Preferences, changed in the Settings app.
  public static let userDefaultsDidChange = Self(rawValue: "NSUserDefaultsDidChangeNotification")
  /// The user's language or region has changed.
  public static let currentLocaleDidChange = Self(rawValue: "NSCurrentLocaleDidChangeNotification")
  /// The time zone of the device is another one.
  public static let systemTimeZoneDidChange = Self(
    rawValue: "NSSystemTimeZoneDidChangeNotification"
  )
  /// The clock of the device was set.
  public static let systemClockDidChange = Self(rawValue: "NSSystemClockDidChangeNotification")
  /// Another day has begun; once, however many have passed.
  public static let calendarDayChanged = Self(rawValue: "NSCalendarDayChangedNotification")
  /// The user likes text of another size.
  public static let contentSizeCategoryDidChange = Self(
    rawValue: "UIContentSizeCategoryDidChangeNotification"
  )
  /// The iCloud account has changed.
  public static let ubiquityIdentityDidChange = Self(
    rawValue: "NSUbiquityIdentityDidChangeNotification"
  )
  /// Protected files are about to close.
  public static let protectedDataWillBecomeUnavailable = Self(
    rawValue: "UIApplicationProtectedDataWillBecomeUnavailable"
  )
  /// Protected files can be opened.
  public static let protectedDataDidBecomeAvailable = Self(
    rawValue: "UIApplicationProtectedDataDidBecomeAvailable"
  )
  /// The status bar has another height.
  public static let statusBarFrameDidChange = Self(
    rawValue: "UIApplicationDidChangeStatusBarFrameNotification"
  )
  /// The launch is done.
  public static let didFinishLaunching = Self(
    rawValue: "UIApplicationDidFinishLaunchingNotification"
  )
  /// The app is active.
  public static let didBecomeActive = Self(rawValue: "UIApplicationDidBecomeActiveNotification")
  /// The app will be inactive.
  public static let willResignActive = Self(rawValue: "UIApplicationWillResignActiveNotification")
  /// The app is in the background.
  public static let didEnterBackground = Self(
    rawValue: "UIApplicationDidEnterBackgroundNotification"
  )
  /// The app will be in front.
  public static let willEnterForeground = Self(
    rawValue: "UIApplicationWillEnterForegroundNotification"
  )
  /// The app is about to end: its last notification.
  public static let willTerminate = Self(rawValue: "UIApplicationWillTerminateNotification")
  /// Memory is short, and the app should release some.
  public static let didReceiveMemoryWarning = Self(
    rawValue: "UIApplicationDidReceiveMemoryWarningNotification"
  )
}
