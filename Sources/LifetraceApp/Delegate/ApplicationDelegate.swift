// SPDX-License-Identifier: Apache-2.0

/// What an app core implements to hear of its life: UIKit's protocol, callback by callback.
///
///     final class Notes: ApplicationDelegate {
///       func applicationDidEnterBackground(_ application: Application) { store.flush() }
///     }
///
/// Every method has an empty default. The names and the order in which they come
/// are UIKit's, so the same file compiles there, with two aliases:
///
///     typealias Application = UIApplication
///     typealias ApplicationDelegate = UIResponder & UIApplicationDelegate
///
/// and one for `BackgroundFetchResult` and `BackgroundTaskIdentifier` where it uses
/// them. A URL is its text here: a delegate that opens some says `typealias URL =
/// String`. What UIKit has no word for (``application(_:told:_:)``, the scene half,
/// ``StateCoder``) is left to a file of this side. All methods run on the main
/// actor, and each is recorded with its begin, its end and what it returned.
@MainActor
public protocol ApplicationDelegate: AnyObject {
  /// The scene half of the app, where the system has scenes; nil for an app without.
  var sceneDelegate: (any SceneDelegate)? { get }

  /// The first code of the app; false refuses the URL it was launched with.
  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The launch is nearly done and the saved UI state is back.
  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool

  /// The app is in front and gets touches from here.
  func applicationDidBecomeActive(_ application: Application)
  /// The app is about to lose touches: an interruption, or the way to the background.
  func applicationWillResignActive(_ application: Application)
  /// The app is off the screen and may be suspended once this returns.
  func applicationDidEnterBackground(_ application: Application)
  /// The app is on its way back to the screen.
  func applicationWillEnterForeground(_ application: Application)
  /// The process ends after this; never called for a suspended app.
  func applicationWillTerminate(_ application: Application)
  /// Memory is short, and the app should release some.
  func applicationDidReceiveMemoryWarning(_ application: Application)
  /// Midnight, carrier time, daylight saving.
  func applicationSignificantTimeChange(_ application: Application)
  /// The device is being locked: protected files close soon.
  func applicationProtectedDataWillBecomeUnavailable(_ application: Application)
  /// The device is unlocked: protected files can be opened.
  func applicationProtectedDataDidBecomeAvailable(_ application: Application)
  /// The status bar changed its height, as it does during a call.
  func application(
    _ application: Application,
    didChangeStatusBarFrame oldStatusBarFrame: StatusBarFrame
  )

  /// Another app or the user opens a URL; false says that it is not understood. Not with scenes.
  func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool

  /// A push arrived; the completion must be called within 30 s.
  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  )
  /// The system lets the app fetch; the completion must be called within 30 s.
  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  )
  /// Downloads that went on without the app are done.
  func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  )
  /// Location, Bluetooth, VoIP or a processing task: what UIKit hands to other frameworks.
  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  )

  /// Whether the UI state may be kept; asked on the way to the background.
  func application(_ application: Application, shouldSaveApplicationState coder: StateCoder) -> Bool
  /// The time of a processing wake is nearly over: stop its work and call its completion.
  ///
  /// Stands for the `expirationHandler` of a `BGTask`; an app that does not complete the wake within
  /// some four seconds is killed.
  func applicationProcessingWillExpire(_ application: Application)

  /// Whether the kept UI state is to be used; asked between will- and didFinishLaunching.
  func application(_ application: Application, shouldRestoreApplicationState coder: StateCoder)
    -> Bool
  /// Put what you want back into `coder`.
  func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  )
  /// Take back what you put in.
  func application(
    _ application: Application,
    didDecodeRestorableStateWith coder: StateCoder
  )

  /// A touch that no view, controller, window or application object wanted; true if handled.
  func application(_ application: Application, didReceiveUnhandledTouch view: String) -> Bool

  /// A remote control or shake event that no responder wanted; true if handled.
  func application(_ application: Application, didReceiveUnhandledControl event: String) -> Bool

  /// The user tapped a notification, which has brought the app to the front.
  ///
  /// Recorded under the name of `userNotificationCenter(_:didReceive:withCompletionHandler:)`, and
  /// called where that is: behind willEnterForeground or the launch, before didBecomeActive.
  func application(
    _ application: Application,
    didReceiveNotificationResponse payload: String
  )

  /// A word that a scenario sends the app, such as `edit: "Dear diary"`.
  ///
  /// UIKit has no such callback: it stands for the user's hand on a view that the
  /// harness does not model.
  func application(_ application: Application, told word: String, _ value: String)
}

/// What a wake handler's completion call reports.
public enum BackgroundFetchResult: String, Sendable {
  case newData, noData, failed
}

/// Wakes that have no method of their own in the application delegate.
public enum BackgroundWake: String, Sendable {
  case location, bluetooth, voip, processing
}

/// The height of the status bar in points.
public struct StatusBarFrame: Sendable, Hashable {
  /// Points; 20 usually, 40 in a call.
  public var height: Int

  /// A status bar of that height.
  public init(height: Int) { self.height = height }
}
