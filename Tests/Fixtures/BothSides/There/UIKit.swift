// SPDX-License-Identifier: Apache-2.0

// What UIKit declares, as far as a delegate meets it: names, labels and types are those of its headers.
// There methods are optional; here that is said by defaults that do nothing.

struct URL: CustomStringConvertible {
  var description: String
}

@MainActor class UIResponder {
  init() {}
}

enum UIBackgroundFetchResult: UInt {
  case newData, noData, failed
}

struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  let rawValue: Int
  static let invalid = Self(rawValue: 0)
}

final class UIApplication: UIResponder {
  enum State: Int {
    case active, inactive, background
  }

  struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
  }

  struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    static let sourceApplication = Self(rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
  }

  var applicationState = State.inactive
  var isProtectedDataAvailable = true
  var backgroundTimeRemaining: Double { .greatestFiniteMagnitude }

  nonisolated func beginBackgroundTask(
    withName taskName: String?,
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .init(rawValue: 1) }

  nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

@MainActor protocol UIApplicationDelegate: AnyObject {
  func application(
    _ application: UIApplication,
    willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  func applicationDidBecomeActive(_ application: UIApplication)
  func applicationWillResignActive(_ application: UIApplication)
  func applicationDidEnterBackground(_ application: UIApplication)
  func applicationWillEnterForeground(_ application: UIApplication)
  func applicationWillTerminate(_ application: UIApplication)
  func applicationDidReceiveMemoryWarning(_ application: UIApplication)
  func applicationSignificantTimeChange(_ application: UIApplication)
  func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication)
  func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication)
  func application(
    _ app: UIApplication,
    open url: URL,
    options: [UIApplication.OpenURLOptionsKey: Any]
  ) -> Bool
  func application(
    _ application: UIApplication,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
  )
  func application(
    _ application: UIApplication,
    performFetchWithCompletionHandler completionHandler:
      @escaping (UIBackgroundFetchResult) -> Void
  )
  func application(
    _ application: UIApplication,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  )
}

/// A life of the delegate there: what UIKit would call, in its order.
@MainActor
public enum There {
  /// What the delegate has heard of it.
  public static func play() -> [String] {
    let shared = SharedDelegate()
    let (application, delegate) = (UIApplication(), shared as any UIApplicationDelegate)
    _ = delegate.application(application, willFinishLaunchingWithOptions: [:])
    _ = delegate.application(application, didFinishLaunchingWithOptions: [:])
    application.applicationState = .active
    delegate.applicationDidBecomeActive(application)
    delegate.applicationDidReceiveMemoryWarning(application)
    delegate.applicationSignificantTimeChange(application)
    delegate.applicationWillResignActive(application)
    application.applicationState = .background
    delegate.applicationDidEnterBackground(application)
    delegate.applicationProtectedDataWillBecomeUnavailable(application)
    application.isProtectedDataAvailable = false
    delegate.application(application, didReceiveRemoteNotification: [:]) { _ in }
    delegate.application(application, performFetchWithCompletionHandler: { _ in })
    delegate.application(application, handleEventsForBackgroundURLSession: "x") {}
    application.isProtectedDataAvailable = true
    delegate.applicationProtectedDataDidBecomeAvailable(application)
    delegate.applicationWillEnterForeground(application)
    application.applicationState = .active
    delegate.applicationDidBecomeActive(application)
    delegate.applicationWillResignActive(application)
    delegate.applicationDidBecomeActive(application)
    _ = delegate.application(
      application,
      open: URL(description: "notes:today"),
      options: [.sourceApplication: "com.example.mail"]
    )
    delegate.applicationWillTerminate(application)
    return shared.heard
  }
}
