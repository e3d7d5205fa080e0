// SPDX-License-Identifier: Apache-2.0

/// What the system calls in an app, in the words of the delegate.
///
///     Callback(named: "sceneDidEnterBackground(_:)")      // .didEnterBackground
///
/// One case stands for the app-delegate, the scene and the scene-phase form.
public enum Callback: String, CaseIterable, Sendable, Hashable {
  // The start, before the delegate is asked.
  case main
  case applicationMain
  case loadInterface

  // Launch.
  case willFinishLaunching
  case shouldRestoreState
  case didDecodeState
  case didFinishLaunching
  case sceneWillConnect
  case sceneDidDisconnect

  // Transitions.
  case didBecomeActive
  case willResignActive
  case didEnterBackground
  case willEnterForeground
  case willTerminate

  // Preservation.
  case shouldSaveState
  case willEncodeState

  // System changes.
  case didReceiveMemoryWarning
  case protectedDataWillBecomeUnavailable
  case protectedDataDidBecomeAvailable
  case significantTimeChange
  case didChangeStatusBarFrame

  // Requests and wakes.
  case openURL
  case didReceiveRemoteNotification
  case performFetch
  case handleEventsForBackgroundURLSession
  case backgroundTaskLaunch
  case didUpdateLocations
  case bluetoothEvent
  case didReceivePush
  case expirationHandler

  // Rotation.
  case shouldAutorotate
  case supportedInterfaceOrientations
  case willRotate
  case willAnimateRotation
  case didRotate
  case willTransitionToSize

  /// The callback of a name as apps and logs write it, or nil for one that is none of the system's.
  ///
  /// Takes selectors (`applicationDidEnterBackground:`), Swift names
  /// (`sceneDidEnterBackground(_:)`), notification names and the short form.
  public init?(named name: String) {
    if let exact = Self.byName[name] {
      self = exact
      return
    }
    var base = Substring(name)
    if base.hasPrefix("UI") && base.hasSuffix("Notification") {
      base = base.dropFirst(2).dropLast(12)
    }
    let parts = base.split { $0 == ":" || $0 == "(" || $0 == ")" }
    let ignored: Set<Substring> = ["_", "application", "scene", "app", "applicationDelegate"]
    guard let word = parts.first(where: { !ignored.contains($0) }) else { return nil }
    for prefix in ["application", "Application", "scene", "Scene", ""] where word.hasPrefix(prefix)
    {
      var short = String(word.dropFirst(prefix.count))
      if let first = short.first { short = first.lowercased() + short.dropFirst() }
      if let known = Self.byName[short] ?? Self.aliases[short] {
        self = known
        return
      }
    }
    return nil
  }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  private static let aliases: [String: Callback] = [
    "willFinishLaunchingWithOptions": .willFinishLaunching,
    "didFinishLaunchingWithOptions": .didFinishLaunching,
    "active": .didBecomeActive,
    "willConnectTo": .sceneWillConnect,
    "willConnectToSession": .sceneWillConnect,
    "didDisconnect": .sceneDidDisconnect,
    "open": .openURL,
    "openURLContexts": .openURL,
    "shouldSaveApplicationState": .shouldSaveState,
    "shouldSaveSecureApplicationState": .shouldSaveState,
    "shouldRestoreApplicationState": .shouldRestoreState,
    "shouldRestoreSecureApplicationState": .shouldRestoreState,
    "willEncodeRestorableStateWithCoder": .willEncodeState,
    "willEncodeRestorableState": .willEncodeState,
    "didDecodeRestorableStateWithCoder": .didDecodeState,
    "didDecodeRestorableState": .didDecodeState,
    "performFetchWithCompletionHandler": .performFetch,
    "didReceiveRemoteNotification": .didReceiveRemoteNotification,
    "handleEventsForBackgroundURLSession": .handleEventsForBackgroundURLSession,
    "willRotateToInterfaceOrientation": .willRotate,
    "willAnimateRotationToInterfaceOrientation": .willAnimateRotation,
    "didRotateFromInterfaceOrientation": .didRotate,
    "viewWillTransitionToSize": .willTransitionToSize,
    // The first letter is lower by then.
    "uIApplicationMain": .applicationMain,
    // Of a processing task.
    "bGTask.expirationHandler": .expirationHandler,
  ]
}
