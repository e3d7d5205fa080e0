// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Interrupted in all ways while the user types: the timer stops and the draft is saved each time.
///
///     - tell: {type: "See you at"}
final class Messenger: ApplicationDelegate {
  private let draft: Document
  private let saving = WorkQueue(label: "saving draft")
  private let indicator = Lifetrace.Resource("typing indicator", .timer)
  private var blink: DelayedWork?

  init(_ home: Home) { draft = Document("message.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    draft.load()
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "type" { draft.editForNow(value) }
  }

  func applicationDidBecomeActive(_ application: Application) {
    indicator.acquire()
    scheduleBlink()
    application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { change in
      application.say("types \(change.value)")
    }
  }

  func applicationWillResignActive(_ application: Application) {
    blink?.cancel()
    blink = nil
    indicator.release()
    application.notificationCenter.removeObservers(forName: .currentLocaleDidChange)
    draft.save(on: saving, of: application)
  }

  func application(
    _ application: Application,
    didChangeStatusBarFrame oldStatusBarFrame: StatusBarFrame
  ) { application.say("bar \(application.statusBarFrame.height)") }

  private func scheduleBlink() {
    blink = WorkQueue.main.asyncAfter(seconds: 0.5) { [weak self] in
      MainActor.assumeIsolated { self?.blinkOnce() }
    }
  }

  private func blinkOnce() {
    indicator.use()
    scheduleBlink()
  }
}
