// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON

/// A message from the system to an app: the left-hand side of a life cycle.
///
/// The host sends these over the socket to real processes, the simulator hands
/// them to the runtime directly; both sides mean the same by them.
package enum SystemEvent: Sendable, Hashable {
  /// The first event of a process: will- and didFinishLaunching, restoration between them.
  case launch(Launch)
  /// The next four carry why: `home`, `call`, `lock` …; the last one a URL too, if it connects a scene.
  case becomeActive(cause: String)
  case resignActive(cause: String)
  case enterBackground(cause: String)
  case enterForeground(cause: String, url: OpenedURL? = nil)
  case openURL(OpenedURL)
  /// The user tapped a notification, which says so much.
  case notificationResponse(payload: String)
  /// The app's last callback; the process ends afterwards by itself.
  case terminate
  case memoryWarning
  case protectedData(available: Bool)
  /// The app runs again, and finds protected files so: no notification, and no callback.
  case protection(available: Bool)
  case significantTimeChange
  case statusBarFrame(old: Int, new: Int)
  /// A background mode has work for the app; it calls completion `id` when done, within `seconds`
  /// (nominal; 0 for not said).
  case wake(reason: WakeReason, id: UInt64, payload: String, seconds: Double)
  /// A system notification, after netting; see ``NotificationType`` in the host.
  case notification(type: String, key: String, value: String)
  /// A touch in a view.
  case touch(view: String)
  /// Remote control or shake: goes to the first responder.
  case control(String)
  /// Accelerometer, gyroscope, magnetometer, location: goes to the object that asked for it.
  case motion(String)
  case rotate(Orientation)
  /// The background task's time is over.
  case expire(task: UInt64)
  /// The time of a processing wake is nearly over.
  case expireWake(UInt64)
  /// A word between the scenario and the app, such as `edit: "Dear diary"`.
  case tell(word: String, value: JSON)

  /// A URL, and the app that asks for it to be opened, where it is known.
  package struct OpenedURL: Sendable, Hashable {
    package var url: String
    package var source: String?

    package init(_ url: String, from source: String? = nil) {
      self.url = url
      self.source = source
    }
  }

  /// How a process came to life.
  package struct Launch: Sendable, Hashable {
    package var reason: String
    package var background: Bool
    package var url: OpenedURL?
    package var wake: WakeReason?
    /// What the app gave the system to keep when it last went to the background.
    package var restoration: [String: String]?
    package var protectedDataAvailable: Bool
    package var incarnation: Int
    /// How the device was last held, flat on a table aside; nil when it has not turned yet.
    package var orientation: Orientation?

    package init(
      reason: String,
      background: Bool = false,
      url: OpenedURL? = nil,
      wake: WakeReason? = nil,
      restoration: [String: String]? = nil,
      protectedDataAvailable: Bool = true,
      incarnation: Int = 1,
      orientation: Orientation? = nil
    ) {
      self.reason = reason
      self.background = background
      self.url = url
      self.wake = wake
      self.restoration = restoration
      self.protectedDataAvailable = protectedDataAvailable
      self.incarnation = incarnation
      self.orientation = orientation
    }
  }
}

/// Why the system wakes an app that is not in front.
package enum WakeReason: String, Sendable, Hashable, CaseIterable {
  case push, fetch, location, bluetooth, voip
  case urlSession = "url-session"
  case processing
}

/// How the device is held.
package enum Orientation: String, Sendable, Hashable, CaseIterable {
  case portrait
  case upsideDown = "portrait-upside-down"
  case landscapeLeft = "landscape-left"
  case landscapeRight = "landscape-right"
  case faceUp = "face-up"
  case faceDown = "face-down"

  /// Flat on a table: nothing turns by it.
  package var isFlat: Bool { self == .faceUp || self == .faceDown }
}

extension SystemEvent {
  /// UIKit's name for the method that a tapped notification calls.
  package static let notificationResponseCallback =
    "userNotificationCenter:didReceiveNotificationResponse:withCompletionHandler:"

  /// Whether the system waits for the app to get through with it, and kills one that does not.
  ///
  /// An app that is slow with anything else hangs, which the system reports and bears.
  package var isTransition: Bool {
    switch self {
    case .launch, .becomeActive, .resignActive, .enterBackground, .enterForeground, .openURL,
      .notificationResponse, .terminate, .rotate, .wake:
      true
    case .memoryWarning, .protectedData, .protection, .significantTimeChange, .statusBarFrame,
      .notification,
      .touch, .control, .motion, .expire, .expireWake,
      .tell:
      false
    }
  }

  /// The word on the wire, and the name of the run-loop turn.
  package var name: String {
    switch self {
    case .launch: "launch"
    case .becomeActive: "become-active"
    case .resignActive: "resign-active"
    case .enterBackground: "enter-background"
    case .enterForeground: "enter-foreground"
    case .openURL: "open-url"
    case .notificationResponse: "notification-response"
    case .terminate: "terminate"
    case .memoryWarning: "memory-warning"
    case .protectedData: "protected-data"
    case .protection: "protection"
    case .significantTimeChange: "significant-time-change"
    case .statusBarFrame: "status-bar-frame"
    case .wake: "wake"
    case .notification: "notification"
    case .touch: "touch"
    case .control: "control"
    case .motion: "motion"
    case .rotate: "rotate"
    case .expire: "expire"
    case .expireWake: "expire-wake"
    case .tell: "tell"
    }
  }
}
