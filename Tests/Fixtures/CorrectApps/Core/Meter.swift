// SPDX-License-Identifier: Apache-2.0
import CorrectAppsInC
import LifetraceApp

/// An app whose core is in C and speaks through `lifetrace.h`; this is its shell.
///
///     - tell: {reading: 4711}
final class Meter: ApplicationDelegate {
  private let path: String
  private let saving = WorkQueue(label: "saving readings")
  private var checkpoint: DelayedWork?

  init(_ home: Home) { path = home.path("readings.txt") }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    meter_load(path)
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "reading" else { return }
    meter_add(value)
    checkpoint?.cancel()
    checkpoint = saving.asyncAfter(seconds: 60) { [path] in meter_save(path) }
  }

  func applicationDidEnterBackground(_ application: Application) {
    checkpoint?.cancel()
    let activity = BackgroundActivity("save readings", of: application)
    saving.async { [path] in
      meter_save(path)
      activity.end()
    }
  }
}
