// SPDX-License-Identifier: Apache-2.0
package import LifetraceAppProtocol

extension Application {
  /// Takes one event of the system, as one recorded turn of the main run loop.
  package func handle(_ event: SystemEvent) -> EventReply {
    // No turn: nothing of the app is called.
    if case .protection = event { return perform(event) }
    let id = nextIdentity()
    return AppTrace.turn(event.name, id: id) {
      let reply = perform(event)
      drawViews()
      return reply
    }
  }

  /// Runs items of the main queue, as one recorded turn of the main run loop.
  package func serveMainQueue(_ items: () -> Void) {
    AppTrace.turn("main queue", id: nextIdentity()) {
      items()
      drawViews()
    }
  }

  // The whole protocol at a glance: the app's reaction to each event of the system.
  private func perform(_ event: SystemEvent) -> EventReply {
    switch event {
    case .launch(let launch): return finishLaunching(launch)
    case .becomeActive(let cause): becomeActive(cause)
    case .resignActive(let cause): resignActive(cause)
    case .enterBackground(let cause): return enterBackground(cause)
    case .enterForeground(let cause, let url): enterForeground(cause, opening: url)
    case .openURL(let url): return open(url)
    case .notificationResponse(let payload):
      tellDelegate(SystemEvent.notificationResponseCallback) {
        $0.application(self, didReceiveNotificationResponse: payload)
      }
    case .terminate: terminate()
    case .memoryWarning: receiveMemoryWarning()
    case .protectedData(let available): changeProtectedData(available)
    case .protection(let available): isProtectedDataAvailable = available
    case .significantTimeChange:
      deliver(SystemNotificationCenter.Name.significantTimeChange.rawValue, key: "", value: "")
    case .statusBarFrame(_, let new): changeStatusBarFrame(new)
    case .wake(let reason, let id, let payload, let seconds):
      wake(reason, id: id, payload: payload, seconds: seconds)
    case .notification(let type, let key, let value): deliver(type, key: key, value: value)
    case .touch(let view): route(touchIn: view)
    case .control(let what): route(control: what)
    case .motion(let what): route(motion: what)
    case .rotate(let orientation): rotate(to: orientation)
    case .expire(let task): expire(task: task)
    case .expireWake:
      tellDelegate("BGTask.expirationHandler") { $0.applicationProcessingWillExpire(self) }
    case .tell(let word, let value):
      call("told \(word)") {
        delegate?.application(self, told: word, value.scalarText ?? value.text)
      }
    }
    return EventReply()
  }

  /// Calls the app, recorded under the name; not once the process is over.
  func call(_ name: String, _ body: () -> Void) {
    guard !surroundings.isOver else { return }
    AppTrace.callback(name, id: nextIdentity(), body)
  }

  /// The same, for an answer, which is recorded too.
  func ask(_ name: String, _ body: () -> Bool) -> Bool {
    guard !surroundings.isOver else { return true }
    return AppTrace.question(name, id: nextIdentity(), body)
  }

  /// Calls the delegate, recorded under UIKit's name for the method.
  func tellDelegate(_ name: String, _ call: (any ApplicationDelegate) -> Void) {
    guard let delegate else { return }
    self.call(name) { call(delegate) }
  }

  /// Calls the delegate for an answer, which is recorded too.
  func askDelegate(_ name: String, _ call: (any ApplicationDelegate) -> Bool) -> Bool {
    guard let delegate else { return true }
    return ask(name) { call(delegate) }
  }

  /// Calls the scene delegate if the app has one, else the app delegate.
  func tellState(
    scene sceneName: String,
    _ sceneCall: (any SceneDelegate) -> Void,
    delegate name: String,
    _ call: (any ApplicationDelegate) -> Void
  ) {
    if usesScenes, let scene = delegate?.sceneDelegate {
      self.call(sceneName) { sceneCall(scene) }
    } else {
      tellDelegate(name, call)
    }
  }

  private func deliver(_ type: String, key: String, value: String) {
    notificationCenter.deliver(
      .init(name: .init(rawValue: type), key: key, value: value)
    )
    switch SystemNotificationCenter.Name(rawValue: type) {
    case .significantTimeChange:
      tellDelegate("applicationSignificantTimeChange") {
        $0.applicationSignificantTimeChange(self)
      }
    case .orientationDidChange:
      if let orientation = Orientation(rawValue: value) { rotate(to: orientation) }
    default: break
    }
  }

  private func receiveMemoryWarning() {
    tellDelegate("applicationDidReceiveMemoryWarning") {
      $0.applicationDidReceiveMemoryWarning(self)
    }
    notificationCenter.post(.didReceiveMemoryWarning)
  }

  private func changeProtectedData(_ available: Bool) {
    let name: SystemNotificationCenter.Name =
      available ? .protectedDataDidBecomeAvailable : .protectedDataWillBecomeUnavailable
    if available { isProtectedDataAvailable = true }
    notificationCenter.deliver(.init(name: name, key: "", value: available ? "yes" : "no"))
    if available {
      tellDelegate("applicationProtectedDataDidBecomeAvailable") {
        $0.applicationProtectedDataDidBecomeAvailable(self)
      }
    } else {
      tellDelegate("applicationProtectedDataWillBecomeUnavailable") {
        $0.applicationProtectedDataWillBecomeUnavailable(self)
      }
      isProtectedDataAvailable = false
    }
  }

  private func changeStatusBarFrame(_ height: Int) {
    let old = statusBarFrame
    statusBarFrame = StatusBarFrame(height: height)
    notificationCenter.deliver(
      .init(name: .statusBarFrameDidChange, key: "", value: String(height))
    )
    tellDelegate("application:didChangeStatusBarFrame:") {
      $0.application(self, didChangeStatusBarFrame: old)
    }
  }
}
