// SPDX-License-Identifier: Apache-2.0

// What a delegate need not write: nothing happens, launches and URLs are accepted, UI state is
// neither kept nor restored, and a wake completes at once with nothing new.

extension ApplicationDelegate {
  public var sceneDelegate: (any SceneDelegate)? { nil }

  public func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { true }

  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { true }

  public func applicationDidBecomeActive(_ application: Application) {}
  public func applicationWillResignActive(_ application: Application) {}
  public func applicationDidEnterBackground(_ application: Application) {}
  public func applicationWillEnterForeground(_ application: Application) {}
  public func applicationWillTerminate(_ application: Application) {}
  public func applicationDidReceiveMemoryWarning(_ application: Application) {}
  public func applicationSignificantTimeChange(_ application: Application) {}
  public func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {}
  public func applicationProtectedDataDidBecomeAvailable(_ application: Application) {}
  public func application(
    _ application: Application,
    didChangeStatusBarFrame oldStatusBarFrame: StatusBarFrame
  ) {}

  public func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool { true }

  public func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  public func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  public func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) { completionHandler() }

  public func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }

  public func application(_ application: Application, shouldSaveApplicationState coder: StateCoder)
    -> Bool
  { false }
  public func application(
    _ application: Application,
    shouldRestoreApplicationState coder: StateCoder
  ) -> Bool { false }
  public func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  ) {}
  public func application(
    _ application: Application,
    didDecodeRestorableStateWith coder: StateCoder
  ) {}

  public func application(_ application: Application, didReceiveUnhandledTouch view: String)
    -> Bool
  { false }

  public func application(_ application: Application, told word: String, _ value: String) {}
}
