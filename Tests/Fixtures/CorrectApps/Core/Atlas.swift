// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// As slow as it may be: three seconds for its launch, and three on the way to the background; and an
/// edit waits for a minute in front before it is saved.
///
///     - tell: {pin: Uppsala}
final class Atlas: ApplicationDelegate {
  private let pins: Document
  private let saving = WorkQueue(label: "saving pins")
  private var checkpoint: DelayedWork?

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
    guard word == "pin" else { return }
    pins.edit(pins.text + value + "\n")
    checkpoint?.cancel()
    checkpoint = saving.asyncAfter(seconds: 60) { [pins] in pins.saveOrLog() }
  }

  func applicationDidEnterBackground(_ application: Application) {
    checkpoint?.cancel()
    pins.save(on: saving, of: application)
    application.pass(seconds: 3)
  }
}
