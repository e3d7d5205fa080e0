// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

// Each method runs the callbacks of one transition and then (or first) makes it, so that the
// state seen inside a callback is the one UIKit shows there: willResignActive still *active*,
// didBecomeActive already *active*, didEnterBackground already *background*,
// willEnterForeground still *background*.

extension Application {
  func finishLaunching(_ launch: SystemEvent.Launch) -> EventReply {
    applicationState = launch.background ? .background : .inactive
    isProtectedDataAvailable = launch.protectedDataAvailable
    wantedOrientation = launch.orientation.flatMap(InterfaceOrientation.init(device:))
    if launch.background { limitBackgroundTime(true) }
    AppTrace.transition(
      from: .notRunning,
      to: launch.background ? .background : .inactive,
      cause: launch.reason
    )
    var options: [LaunchOptionsKey: Any] = [.reason: launch.reason]
    if let url = launch.url, !usesScenes {
      options[.url] = url.url
      if let source = url.source { options[.sourceApplication] = source }
    }
    if let wake = launch.wake { options[LaunchOptionsKey(wake)] = true }
    if launch.reason == "notification" { options[.notificationResponse] = true }

    let file = configuration.mainInterface
    AppTrace.mark("user interface loaded" + (file.isEmpty ? "" : " from \(file)"))
    let will = askDelegate("application:willFinishLaunchingWithOptions:") {
      $0.application(self, willFinishLaunchingWithOptions: options)
    }
    if let kept = launch.restoration { restore(kept) }
    let did = askDelegate("application:didFinishLaunchingWithOptions:") {
      $0.application(self, didFinishLaunchingWithOptions: options)
    }
    notificationCenter.post(.didFinishLaunching)
    AppTrace.mark("run loop started")
    if !launch.background {
      connectScene(opening: launch.url)
      // A scene comes to the foreground at a cold launch too, and the notification says so.
      if connectedScene { notificationCenter.post(.willEnterForeground) }
    }
    // The window is visible only now.
    if !launch.background { present() }
    return EventReply(accepted: will && did)
  }

  private func restore(_ kept: [String: String]) {
    let coder = StateCoder(values: kept)
    let wanted = askDelegate("application:shouldRestoreApplicationState:") {
      $0.application(self, shouldRestoreApplicationState: coder)
    }
    guard wanted else { return }
    tellDelegate("application:didDecodeRestorableStateWithCoder:") {
      $0.application(self, didDecodeRestorableStateWith: coder)
    }
  }

  /// Makes the scene, and hands it the URL that it is made for.
  private func connectScene(opening url: SystemEvent.OpenedURL?) {
    guard usesScenes, let scene = delegate?.sceneDelegate else {
      // The system has given the URL to a scene that does not exist here.
      if let url, configuration.scenes && surroundings.system.scenes { _ = open(url) }
      return
    }
    connectedScene = true
    let options = ConnectionOptions(urlContexts: Set(url.map { [OpenURLContext($0)] } ?? []))
    call("scene:willConnectToSession:options:") {
      scene.sceneWillConnect(self, options: options)
    }
    call("sceneWillEnterForeground") {
      scene.sceneWillEnterForeground(self)
    }
  }

  func becomeActive(_ cause: String) {
    guard applicationState == .inactive else { return }
    applicationState = .active
    AppTrace.transition(from: .inactive, to: .active, cause: cause)
    tellState(
      scene: "sceneDidBecomeActive",
      { $0.sceneDidBecomeActive(self) },
      delegate: "applicationDidBecomeActive",
      { $0.applicationDidBecomeActive(self) }
    )
    notificationCenter.post(.didBecomeActive)
  }

  func resignActive(_ cause: String) {
    guard applicationState == .active else { return }
    tellState(
      scene: "sceneWillResignActive",
      { $0.sceneWillResignActive(self) },
      delegate: "applicationWillResignActive",
      { $0.applicationWillResignActive(self) }
    )
    notificationCenter.post(.willResignActive)
    applicationState = .inactive
    AppTrace.transition(from: .active, to: .inactive, cause: cause)
  }

  func enterBackground(_ cause: String) -> EventReply {
    // A background launch on a system that says so is in the background already.
    if applicationState == .inactive {
      applicationState = .background
      AppTrace.transition(from: .inactive, to: .background, cause: cause)
    }
    guard applicationState == .background else { return EventReply(accepted: false) }
    limitBackgroundTime(true)
    // Up to iOS 10 an app that went there by a lock reads *inactive* in its callback.
    if cause == "lock", surroundings.system.lockReadsInactive { applicationState = .inactive }
    defer { applicationState = .background }
    tellState(
      scene: "sceneDidEnterBackground",
      { $0.sceneDidEnterBackground(self) },
      delegate: "applicationDidEnterBackground",
      { $0.applicationDidEnterBackground(self) }
    )
    notificationCenter.post(.didEnterBackground)
    return EventReply(preserved: preserve())
  }

  private func preserve() -> [String: String]? {
    let coder = StateCoder()
    let wanted = askDelegate("application:shouldSaveApplicationState:") {
      $0.application(self, shouldSaveApplicationState: coder)
    }
    guard wanted else { return nil }
    tellDelegate("application:willEncodeRestorableStateWithCoder:") {
      $0.application(self, willEncodeRestorableStateWith: coder)
    }
    return coder.values
  }

  func enterForeground(_ cause: String, opening url: SystemEvent.OpenedURL? = nil) {
    guard applicationState == .background else { return }
    // It is on its way to the screen: what is asked for in the callback is granted.
    limitBackgroundTime(false)
    if usesScenes, !connectedScene {
      connectScene(opening: url)
    } else {
      tellState(
        scene: "sceneWillEnterForeground",
        { $0.sceneWillEnterForeground(self) },
        delegate: "applicationWillEnterForeground",
        { $0.applicationWillEnterForeground(self) }
      )
      // For a scene that does not exist here.
      if let url { _ = open(url) }
    }
    notificationCenter.post(.willEnterForeground)
    applicationState = .inactive
    AppTrace.transition(from: .background, to: .inactive, cause: cause)
    present()
  }

  func terminate() {
    if usesScenes, connectedScene, let scene = delegate?.sceneDelegate {
      call("sceneDidDisconnect") {
        scene.sceneDidDisconnect(self)
      }
    }
    tellDelegate("applicationWillTerminate") { $0.applicationWillTerminate(self) }
    notificationCenter.post(.willTerminate)
  }

  func open(_ url: SystemEvent.OpenedURL) -> EventReply {
    if usesScenes, let scene = delegate?.sceneDelegate {
      AppTrace.giving(url.url) {
        call("scene:openURLContexts:") {
          scene.scene(self, openURLContexts: [OpenURLContext(url)])
        }
      }
      return EventReply()
    }
    let options: [OpenURLOptionsKey: Any] = url.source.map { [.sourceApplication: $0] } ?? [:]
    let accepted = askDelegate("application:openURL:options:") {
      $0.application(self, open: url.url, options: options)
    }
    return EventReply(accepted: accepted)
  }
}
