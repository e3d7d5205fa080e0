// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// Shows dates as the user has them: it hears of locale, time, account and accessories, queued or at once.
final class Calendar: ApplicationDelegate {
  private let agenda: Document
  private let saving = WorkQueue(label: "saving agenda")

  init(_ home: Home) { agenda = Document("agenda.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    agenda.load()
    for name: SystemNotificationCenter.Name in [
      .currentLocaleDidChange, .significantTimeChange, .batteryLevelDidChange,
      .batteryStateDidChange, .userDefaultsDidChange, .ubiquityIdentityDidChange,
      .accessoryDidConnect, .accessoryDidDisconnect, .screenDidConnect, .orientationDidChange,
      .proximityStateDidChange,
    ] {
      application.notificationCenter.addObserver(forName: name) { [weak self] change in
        self?.layOut(change, application)
      }
    }
    return true
  }

  private func layOut(
    _ change: SystemNotificationCenter.Notification,
    _ application: Application
  ) {
    application.say("\(change.name.rawValue) \(change.value)")
    agenda.edit(agenda.text + change.name.rawValue + "\n")
    agenda.save(on: saving, of: application)
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { completionHandler(.noData) }
}
