// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// A correct delegate, with one mistake added: once in each process, at the first chance, unless it is
/// one that repeats.
final class FaultyDelegate: ApplicationDelegate {
  private let correct: any ApplicationDelegate
  private let fault: AppFault
  private var isDone = false
  private var isPrepared: Bool
  private let forgetful: ForgetfulScene?

  /// `isFirst`: no process of the app has lived before.
  init(_ correct: any ApplicationDelegate, _ fault: AppFault, isFirst: Bool) {
    self.correct = correct
    self.fault = fault
    forgetful = fault.forgetsURLs ? correct.sceneDelegate.map(ForgetfulScene.init) : nil
    isPrepared = fault.before == nil || fault.isBeforeFirstLifeOnly && !isFirst
  }

  var sceneDelegate: (any SceneDelegate)? { forgetful ?? correct.sceneDelegate }

  private func err(_ moment: AppFault.Moment, _ application: Application) {
    if let before = fault.before, moment == before.moment, !isPrepared {
      isPrepared = true
      before.act(application)
    }
    if let also = fault.also, moment == also.moment { also.act(application) }
    guard moment == fault.moment, isPrepared, !isDone else { return }
    isDone = !fault.isRepeated
    fault.act(application)
  }

  private func answered(
    _ wake: BackgroundWake? = nil,
    _ handler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) -> @Sendable (BackgroundFetchResult) -> Void {
    guard fault.moment == .wake, !isDone, fault.wake == nil || fault.wake == wake else {
      return handler
    }
    isDone = true
    switch fault.completion {
    case .once: return handler
    case .never: return { _ in }
    case .twice:
      return {
        handler($0)
        handler($0)
      }
    case .late(let seconds):
      return { result in
        WorkQueue(label: "late").asyncAfter(seconds: seconds) { handler(result) }
      }
    }
  }

  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool { correct.application(application, willFinishLaunchingWithOptions: launchOptions) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    err(.didFinishLaunching, application)
    return correct.application(application, didFinishLaunchingWithOptions: launchOptions)
  }

  func applicationDidBecomeActive(_ application: Application) {
    correct.applicationDidBecomeActive(application)
    err(.didBecomeActive, application)
  }

  func applicationWillResignActive(_ application: Application) {
    correct.applicationWillResignActive(application)
    err(.willResignActive, application)
  }

  func applicationDidEnterBackground(_ application: Application) {
    correct.applicationDidEnterBackground(application)
    err(.didEnterBackground, application)
  }

  func applicationWillEnterForeground(_ application: Application) {
    correct.applicationWillEnterForeground(application)
    err(.willEnterForeground, application)
  }

  func applicationWillTerminate(_ application: Application) {
    correct.applicationWillTerminate(application)
    err(.willTerminate, application)
  }

  func applicationDidReceiveMemoryWarning(_ application: Application) {
    correct.applicationDidReceiveMemoryWarning(application)
  }

  func applicationSignificantTimeChange(_ application: Application) {
    correct.applicationSignificantTimeChange(application)
  }

  func applicationProtectedDataWillBecomeUnavailable(_ application: Application) {
    correct.applicationProtectedDataWillBecomeUnavailable(application)
  }

  func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
    correct.applicationProtectedDataDidBecomeAvailable(application)
  }

  func application(
    _ application: Application,
    didChangeStatusBarFrame oldStatusBarFrame: StatusBarFrame
  ) { correct.application(application, didChangeStatusBarFrame: oldStatusBarFrame) }

  func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool { correct.application(app, open: url, options: options) }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    correct.application(
      application,
      didReceiveRemoteNotification: userInfo,
      fetchCompletionHandler: answered(nil, completionHandler)
    )
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    correct.application(
      application,
      performFetchWithCompletionHandler: answered(nil, completionHandler)
    )
  }

  func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    correct.application(
      application,
      handleEventsForBackgroundURLSession: identifier,
      completionHandler: completionHandler
    )
  }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if reason == .voip, !fault.reportsCalls { return completionHandler(.newData) }
    correct.application(
      application,
      handleBackgroundWake: reason,
      completionHandler: answered(reason, completionHandler)
    )
  }

  func application(
    _ application: Application,
    shouldSaveApplicationState coder: StateCoder
  ) -> Bool { correct.application(application, shouldSaveApplicationState: coder) }

  func application(
    _ application: Application,
    shouldRestoreApplicationState coder: StateCoder
  ) -> Bool { correct.application(application, shouldRestoreApplicationState: coder) }

  func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  ) { correct.application(application, willEncodeRestorableStateWith: coder) }

  func application(
    _ application: Application,
    didDecodeRestorableStateWith coder: StateCoder
  ) { correct.application(application, didDecodeRestorableStateWith: coder) }

  func application(_ application: Application, didReceiveUnhandledTouch view: String) -> Bool {
    err(.touch, application)
    return correct.application(application, didReceiveUnhandledTouch: view)
  }

  func application(_ application: Application, told word: String, _ value: String) {
    correct.application(application, told: word, value)
  }
}
