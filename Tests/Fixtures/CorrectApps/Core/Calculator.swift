// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// It has no background (`UIApplicationExitsOnSuspend`): whatever takes it from the user saves at once.
///
///     - tell: {enter: 2 + 2}
final class Calculator: ApplicationDelegate {
  private let tape: Document

  init(_ home: Home) { tape = Document("tape.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    tape.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "enter" { tape.editForNow(tape.text + value + "\n") }
  }

  func applicationWillResignActive(_ application: Application) { tape.saveOrLog() }

  func applicationWillTerminate(_ application: Application) { tape.saveOrLog() }
}
