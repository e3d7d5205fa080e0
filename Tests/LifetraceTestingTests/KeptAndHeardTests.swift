// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceScenario
import LifetraceLifecycle
import LifetraceTesting
import LifetraceTrace
import Testing

/// What an app gives the system to keep, and what it hears of the system.
@Suite("State that is kept, and changes that are heard")
@MainActor
struct KeptAndHeardTests {
  /// Counts its screens in what the system keeps, and observes the locale until it resigns.
  private final class Delegate: ApplicationDelegate {
    private(set) var found: [String] = []
    private(set) var heard: [String] = []
    private var screen = 0

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      application.notificationCenter.addObserver(forName: .currentLocaleDidChange) {
        self.heard.append("\($0.name.rawValue) \($0.value)")
      }
      return true
    }

    func applicationWillResignActive(_ application: Application) {
      application.notificationCenter.removeObservers(forName: .currentLocaleDidChange)
    }

    func application(_ application: Application, shouldSaveApplicationState coder: StateCoder)
      -> Bool
    { true }

    func application(_ application: Application, shouldRestoreApplicationState coder: StateCoder)
      -> Bool
    { true }

    func application(
      _ application: Application,
      willEncodeRestorableStateWith coder: StateCoder
    ) { coder.encode("screen \(screen + 1)", forKey: "screen") }

    func application(
      _ application: Application,
      didDecodeRestorableStateWith coder: StateCoder
    ) {
      found.append(coder.decodeString(forKey: "screen") ?? "nothing")
      screen += 1
      #expect(coder.decodeString(forKey: "draft") == nil)
    }
  }

  private func play(_ steps: String) throws -> (Delegate, SimulatedLife) {
    let delegate = Delegate()
    let text = "app: keeper\nsteps: [\(steps)]\n"
    let scenario = try Scenario(parsing: text, file: "keeper.yml")
    let life = try Simulator(scenario) { delegate }.play()
    #expect(life.report.failures.isEmpty)
    return (delegate, life)
  }

  @Test("What was encoded comes back after a purge, and not after the user has thrown the app out")
  func restoration() throws {
    let (purged, _) = try play("launch, home, purge, relaunch, home, purge, relaunch")
    #expect(purged.found == ["screen 1", "screen 2"])
    let (killed, _) = try play("launch, home, kill, launch")
    #expect(killed.found == [])
  }

  @Test("Who observes no longer hears nothing, and what nobody hears is not handled")
  func observers() throws {
    let (delegate, life) = try play(
      """
      launch, {post: {type: NSCurrentLocaleDidChange, value: sv_SE}}, {wait: 1s},
      {interrupt: begin}, {post: {type: NSCurrentLocaleDidChange, value: de_DE}}, {wait: 1s}
      """
    )
    #expect(delegate.heard == ["NSCurrentLocaleDidChange sv_SE"])
    #expect(life.events(.notificationDelivered).count == 2)
    #expect(life.events(.notificationHandled).count == 1)
  }

  @Test("Each name of a system change is one of those that are queued for a suspended app")
  func names() {
    let names: [SystemNotificationCenter.Name] = [
      .orientationDidChange, .significantTimeChange, .batteryLevelDidChange,
      .batteryStateDidChange, .proximityStateDidChange, .accessoryDidConnect,
      .accessoryDidDisconnect, .screenDidConnect, .screenDidDisconnect, .screenModeDidChange,
      .userDefaultsDidChange, .currentLocaleDidChange, .ubiquityIdentityDidChange,
      .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
      .systemTimeZoneDidChange, .systemClockDidChange, .calendarDayChanged,
      .contentSizeCategoryDidChange,
    ]
    let queued = NotificationClass.all.flatMap(\.types)
    #expect(Set(names) == Set(queued.map { .init(rawValue: $0) }))
    // UIKit's own names, of which two do not end so.
    #expect(names.count { !$0.rawValue.hasSuffix("Notification") } == 2)
  }

  @Test("The rules are asked once, however often one looks")
  func judgedOnce() throws {
    let (_, life) = try play("launch, home, suspend")
    let first = life.verdicts
    #expect(!first.isEmpty && life.verdicts == first)
    #expect(life.checker.finish() == first)
    #expect(life.violations == first.filter { $0.outcome == .violated && $0.severity == .error })
  }
}
