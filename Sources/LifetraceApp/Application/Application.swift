// SPDX-License-Identifier: Apache-2.0
package import LifetraceAppProtocol
package import Synchronization

/// The application object: it takes what the system sends, in turn, and calls its delegate.
///
///     // main.swift
///     Application.main(
///       configuration: .init(bundleIdentifier: "com.example.notes"), delegate: Notes())
///
/// Whatever it does is recorded: each turn of the main run loop, each callback
/// with its begin and end, each state transition, background task, wake and
/// notification. Background tasks may be begun and ended on any thread, all
/// else happens on the main actor.
@MainActor
public final class Application: Responder {
  /// What `applicationState` can say: a suspended app cannot ask.
  public enum State: Sendable {
    /// In front and getting touches.
    case active
    /// In front, without touches.
    case inactive
    /// Not visible, but running.
    case background
  }

  /// Keys of the options that a launch comes with.
  public struct LaunchOptionsKey: Hashable, Sendable {
    let name: String
    /// The URL that the app was launched to open.
    public static let url = LaunchOptionsKey(name: "url")
    /// Why it was launched, such as `icon` or `push`.
    public static let reason = LaunchOptionsKey(name: "reason")
    /// The app that asked for the URL to be opened, where it is known.
    public static let sourceApplication = LaunchOptionsKey(name: "source")
    /// A push is the reason.
    public static let remoteNotification = LaunchOptionsKey(name: "remote-notification")
    /// A location is the reason.
    public static let location = LaunchOptionsKey(name: "location")
    /// A Bluetooth accessory is the reason.
    public static let bluetoothCentrals = LaunchOptionsKey(name: "bluetooth")
    /// The user tapped a notification; what it says comes by
    /// ``ApplicationDelegate/application(_:didReceiveNotificationResponse:)``.
    public static let notificationResponse = LaunchOptionsKey(name: "notification")
    /// Downloads that went on without the app are the reason.
    public static let backgroundURLSession = LaunchOptionsKey(name: "url-session")
    /// A VoIP push is the reason.
    public static let voip = LaunchOptionsKey(name: "voip")
    /// A background fetch is the reason.
    public static let fetch = LaunchOptionsKey(name: "fetch")
    /// A processing task is the reason.
    public static let processing = LaunchOptionsKey(name: "processing")

    init(name: String) { self.name = name }

    init(_ wake: WakeReason) {
      self =
        switch wake {
        case .push: .remoteNotification
        case .location: .location
        case .bluetooth: .bluetoothCentrals
        case .fetch: .fetch
        case .voip: .voip
        case .urlSession: .backgroundURLSession
        case .processing: .processing
        }
    }
  }

  /// Keys of the options that a URL comes with.
  public struct OpenURLOptionsKey: Hashable, Sendable {
    let name: String
    /// The bundle identifier of the app that asked, where it is known.
    public static let sourceApplication = OpenURLOptionsKey(name: "source")
  }

  /// Active, inactive or background.
  public internal(set) var applicationState = State.background
  /// The delegate that receives every callback.
  public var delegate: (any ApplicationDelegate)?
  /// The window that touches go to.
  public var keyWindow: Window?
  /// Whether files with complete protection can be opened.
  public internal(set) var isProtectedDataAvailable = true
  /// The height of the status bar.
  public internal(set) var statusBarFrame = StatusBarFrame(height: 20)
  /// How the interface stands.
  public internal(set) var interfaceOrientation = InterfaceOrientation.portrait
  /// What the device was last seen to ask for; nothing before it turned.
  var wantedOrientation: InterfaceOrientation?
  /// Observers of the system's notifications.
  public let notificationCenter: SystemNotificationCenter
  /// The object that motion events go to; it is chosen by the app, not by a touch.
  public var motionReceiver: (any MotionReceiver)?

  /// The app's property list, as far as the runtime reads it.
  public nonisolated let configuration: Configuration
  nonisolated let surroundings: any Surroundings
  nonisolated let tasks = Mutex(TaskTable())
  /// The VoIP wakes whose calls were not reported yet, oldest first.
  nonisolated let calls = Mutex<[UInt64]>([])
  nonisolated let handedOut = Atomic<UInt64>(1)
  var connectedScene = false
  /// The root controller has said how it wants to stand at first.
  var isPresented = false
  /// The last set of orientations that was not the property list's has been complained of.
  var complainedOfOrientations = false
  /// Views that are to be drawn once the app is on the screen, in the order in which they asked.
  var undrawn: [View] = []
  weak var firstResponder: Responder?

  package init(configuration: Configuration, surroundings: any Surroundings) {
    self.configuration = configuration
    self.surroundings = surroundings
    notificationCenter = SystemNotificationCenter()
    super.init(name: "application")
    notificationCenter.surroundings = surroundings
  }

  /// The application object of this process, or of the simulated app that is running now.
  public nonisolated static var shared: Application {
    guard let application = current.withLock({ $0 }) else {
      preconditionFailure("Application.shared before Application.main(delegate:)")
    }
    return application
  }

  /// The one that ``shared`` answers with: written at start, and by the simulator at each switch.
  package nonisolated static let current = Mutex<Application?>(nil)

  /// A number that no other span of this app has.
  nonisolated func nextIdentity() -> UInt64 {
    handedOut.add(1, ordering: .relaxed).oldValue
  }

  var usesScenes: Bool {
    configuration.scenes && surroundings.system.scenes && delegate?.sceneDelegate != nil
  }
}

extension Application {
  /// The keys of the property list that change how the system treats the app.
  public struct Configuration: Sendable, Hashable {
    /// The bundle identifier, such as `org.example.notes`.
    public var bundleIdentifier: String
    /// `UIApplicationExitsOnSuspend`: the app ends where others are suspended.
    public var exitsOnSuspend = false
    /// `UIBackgroundModes`: what the app may do in the background.
    public var backgroundModes: [String] = []
    /// Use the scene delegate where the system has scenes.
    public var scenes = false
    /// The version of the SDK it was built with; below 4.0 there is no background.
    public var linkedSDK = ""
    /// `UIMainStoryboardFile`, or `NSMainNibFile`: the one file that the interface is loaded from.
    public var mainInterface = ""
    /// The nib that a property list names beside a storyboard, against the rule that there is one.
    var secondInterface = ""
    /// `UISupportedInterfaceOrientations`: those the app can turn to.
    public var supportedOrientations: Set<InterfaceOrientation> = Set(InterfaceOrientation.allCases)

    /// The configuration of an ordinary app with that bundle identifier.
    public init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

    /// What a property list says; both spellings of `UIApplicationExit(s)OnSuspend` are known.
    public init(bundleIdentifier: String, infoDictionary: [String: String]) {
      self.init(bundleIdentifier: bundleIdentifier)
      let flag = infoDictionary["UIApplicationExitsOnSuspend"]
      let misspelt = infoDictionary["UIApplicationExitOnSuspend"]
      exitsOnSuspend = ["YES", "true", "1"].contains(flag ?? misspelt ?? "")
      backgroundModes =
        infoDictionary["UIBackgroundModes"]?.split(separator: ",").map(String.init) ?? []
      linkedSDK = infoDictionary["DTSDKName"] ?? ""
      scenes = infoDictionary["UIApplicationSceneManifest"] != nil
      mainInterface =
        infoDictionary["UIMainStoryboardFile"] ?? infoDictionary["NSMainNibFile"] ?? ""
      if infoDictionary["UIMainStoryboardFile"] != nil {
        secondInterface = infoDictionary["NSMainNibFile"] ?? ""
      }
      if let listed = infoDictionary["UISupportedInterfaceOrientations"] {
        supportedOrientations = Set(
          listed.split(separator: ",").compactMap { InterfaceOrientation(infoValue: $0) }
        )
      }
    }

    /// The part that the host needs to know.
    package var wire: AppConfiguration {
      var out = AppConfiguration()
      out.identifier = bundleIdentifier
      out.exitsOnSuspend = exitsOnSuspend
      out.backgroundModes = backgroundModes
      out.scenes = scenes
      out.linkedSDK = linkedSDK
      return out
    }
  }
}
