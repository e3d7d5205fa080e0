// SPDX-License-Identifier: Apache-2.0

// Compiled twice: against LifetraceApp, and against the declarations of UIKit. What differs stands in
// the `Aliases.swift` of each side, and in what an app writes as `#if canImport(UIKit)`.
#if !UIKIT
import LifetraceApp
#endif

/// A delegate that notes what it is called for.
final class SharedDelegate: ApplicationDelegate {
  var heard: [String] = []
  private var task = BackgroundTaskIdentifier.invalid

  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    heard.append("will finish launching")
    return true
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    heard.append(launchOptions?[.url] == nil ? "did finish launching" : "launched for a URL")
    return true
  }

  func applicationDidBecomeActive(_ application: Application) {
    heard.append("active: \(application.applicationState == .active)")
  }

  func applicationWillResignActive(_ application: Application) { heard.append("will resign") }

  func applicationDidEnterBackground(_ application: Application) {
    heard.append("background: \(application.applicationState == .background)")
    task = application.beginBackgroundTask(withName: "save") { [self] in
      application.endBackgroundTask(task)
    }
    application.endBackgroundTask(task)
    task = .invalid
  }

  func applicationWillEnterForeground(_ application: Application) { heard.append("foreground") }

  func applicationWillTerminate(_ application: Application) { heard.append("will terminate") }

  func applicationDidReceiveMemoryWarning(_ application: Application) { heard.append("memory") }

  func applicationSignificantTimeChange(_ application: Application) { heard.append("time") }

  func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
    heard.append("locked: \(application.isProtectedDataAvailable)")
  }

  func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
    heard.append("unlocked: \(application.isProtectedDataAvailable)")
  }

  func application(
    _ app: Application,
    open url: URL,
    options: [Application.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {
    heard.append("open \(url) for \(options[.sourceApplication] ?? "nobody")")
    return true
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (BackgroundFetchResult) -> Void
  ) {
    heard.append("push")
    completionHandler(.newData)
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler: @escaping (BackgroundFetchResult) -> Void
  ) {
    heard.append("fetch")
    completionHandler(.noData)
  }

  func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) {
    heard.append("session \(identifier)")
    completionHandler()
  }
}
