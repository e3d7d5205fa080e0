// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// As slow as it may be: three seconds for its launch, and three on the way to the background.
///
///     - tell: {pin: Uppsala}
final class Atlas: ApplicationDelegate {
  private let pins: Document
  private let saving = WorkQueue(label: "saving pins")

  init(_ home: Home) { pins = Document("pins.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    pins.load()
    application.pass(seconds: 3)
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "pin" { pins.editForNow(pins.text + value + "\n") }
  }

  func applicationDidEnterBackground(_ application: Application) {
    pins.save(on: saving, of: application)
    application.pass(seconds: 3)
  }
}
