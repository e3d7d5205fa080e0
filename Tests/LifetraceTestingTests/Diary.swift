// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp
import LifetraceScenario
import LifetraceTesting

/// An app that notes what it sees in each callback, and does what a scenario tells it.
final class Diary: ApplicationDelegate, SceneDelegate {
  private(set) var lines: [String] = []
  var hasScene = false
  /// Seconds that didFinishLaunching takes.
  var launchSeconds = 0.0
  var sceneDelegate: (any SceneDelegate)? { hasScene ? self : nil }

  func note(_ what: String) { lines.append("\(what) \(Application.shared.applicationState)") }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    let keys: [(Application.LaunchOptionsKey, String)] = [
      (.notificationResponse, "tapped"), (.voip, "voip"), (.fetch, "fetch"),
      (.processing, "processing"), (.backgroundURLSession, "url-session"), (.location, "location"),
      (.remoteNotification, "push"), (.bluetoothCentrals, "bluetooth"),
    ]
    let given = keys.filter { options?[$0.0] != nil }.map(\.1).joined(separator: ",")
    note("launched\(given.isEmpty ? "" : " by \(given)"),")
    if !application.isProtectedDataAvailable { note("protected") }
    let names: [SystemNotificationCenter.Name] = [
      .willEnterForeground, .currentLocaleDidChange, .significantTimeChange,
      .proximityStateDidChange, .systemTimeZoneDidChange,
    ]
    for name in names {
      application.notificationCenter.addObserver(forName: name) { [unowned self] in
        note("\($0.name.rawValue) \($0.value)")
      }
    }
    application.pass(seconds: launchSeconds)
    return true
  }

  func applicationDidBecomeActive(_ application: Application) { note("active") }
  func applicationWillResignActive(_ application: Application) { note("resigns") }
  func applicationDidEnterBackground(_ application: Application) { note("left") }
  func applicationWillEnterForeground(_ application: Application) { note("returns") }
  func applicationWillTerminate(_ application: Application) { note("ends") }
  func sceneWillEnterForeground(_ application: Application) { note("scene comes") }
  func applicationSignificantTimeChange(_ application: Application) { note("time") }
  func applicationProtectedDataDidBecomeAvailable(_ application: Application) { note("available") }
  func application(_ application: Application, didChangeStatusBarFrame old: StatusBarFrame) {
    note("bar \(old.height) to \(application.statusBarFrame.height)")
  }
  func application(_ app: Application, didReceiveUnhandledTouch view: String) -> Bool {
    note("touch \(view)")
    return true
  }
  func application(_ app: Application, didReceiveUnhandledControl event: String) -> Bool {
    note("control \(event)")
    return true
  }
  func application(_ app: Application, didReceiveNotificationResponse payload: String) {
    note("tapped \(payload)")
  }
  func application(_ application: Application, told word: String, _ value: String) {
    switch word {
    case "pass": application.pass(seconds: Double(value) ?? 0)
    case "task": _ = application.beginBackgroundTask(withName: value) {}
    case "start": BackgroundService(rawValue: value).map(application.startService)
    case "stop": BackgroundService(rawValue: value).map(application.stopService)
    case "remaining":
      note(application.backgroundTimeRemaining > 1_000_000 ? "no end" : "an end")
    case "protection": note(application.isProtectedDataAvailable ? "open" : "closed")
    case "read": Lifetrace.Resource(.init(value), .file, attribute: "complete").use()
    default: break
    }
  }
}

/// Plays steps for one diary and returns what stands in it from the first `mark` on.
@MainActor
func diary(
  _ steps: String,
  profile: String = "ios13",
  configuration: Application.Configuration = .init(bundleIdentifier: "diary"),
  launchSeconds: Double = 0,
  hasScene: Bool = false
) throws -> (lines: [String], life: SimulatedLife) {
  let text = "app: diary\nprofile: \(profile)\nsteps:\n- \(steps.replacing("; ", with: "\n- "))\n"
  let scenario = try Scenario(parsing: text, file: "diary.yml")
  let diary = Diary()
  diary.hasScene = hasScene
  diary.launchSeconds = launchSeconds
  let life = try Simulator(scenario, configuration: configuration) { diary }.play()
  return (diary.lines, life)
}
