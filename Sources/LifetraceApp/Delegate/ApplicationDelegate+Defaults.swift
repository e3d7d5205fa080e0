// SPDX-License-Identifier: Apache-2.0

// What a delegate need not write: nothing happens, launches and URLs are accepted, UI state is
// neither kept nor restored, and a wake completes at once with nothing new.

extension ApplicationDelegate {
  /// No scenes by default.
  public var sceneDelegate: (any SceneDelegate)? { nil }

  /// Yes by default.
  public func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { true }

  /// Yes by default.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { true }

  /// Nothing by default.
  public func applicationDidBecomeActive(_ application: Application) {}
  /// Nothing by default.
  public func applicationWillResignActive(_ application: Application) {}
  /// Nothing by default.
  public func applicationDidEnterBackground(_ application: Application) {}
  /// Nothing by default.
  public func applicationWillEnterForeground(_ application: Application) {}
  /// Nothing by default.
  public func applicationWillTerminate(_ application: Application) {}
  /// Nothing by default.
  public func applicationDidReceiveMemoryWarning(_ application: Application) {}
  /// Nothing by default.
  public func applicationSignificantTimeChange(_ application: Application) {}
  /// Nothing by default.
  public func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {}
  /// Nothing by default.
  public func applicationProtectedDataDidBecomeAvailable(_ application: Application) {}
  /// Nothing by default.
  public func application(
    _ application: Application,
    didChangeStatusBarFrame oldStatusBarFrame: StatusBarFrame
  ) {}

  /// Yes by default.
  public func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool { true }

  /// Completes at once by default.
  public func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  /// Completes at once by default.
  public func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  /// Completes at once by default.
  public func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  /// Completes at once by default.
  public func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  /// No by default.
  public func application(_ application: Application, shouldSaveApplicationState coder: StateCoder)
    -> Bool
  { false }
  /// No by default.
  public func application(
    _ application: Application,
    shouldRestoreApplicationState coder: StateCoder
  ) -> Bool { false }
  /// Nothing by default.
  public func applicationProcessingWillExpire(_ application: Application) {}
  /// Nothing by default.
  public func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  ) {}
  /// Nothing by default.
  public func application(
    _ application: Application,
    didDecodeRestorableStateWith coder: StateCoder
  ) {}

  /// No by default.
  public func application(_ application: Application, didReceiveUnhandledTouch view: String)
    -> Bool
  { false }

  /// No by default.
  public func application(_ application: Application, didReceiveUnhandledControl event: String)
    -> Bool
  { false }

  /// Nothing by default.
  public func application(
    _ application: Application,
    didReceiveNotificationResponse payload: String
  ) {}

  /// Nothing by default.
  public func application(_ application: Application, told word: String, _ value: String) {}
}
