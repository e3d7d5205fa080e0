// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// Its file can be read only while the device is unlocked: it is closed before that ends, and opened after.
///
///     - tell: {secret: swordfish}
final class Vault: ApplicationDelegate {
  private let secrets: Document
  private let handle = Lifetrace.Resource("secrets.txt", .file, attribute: "complete")
  private var file: Int32 = -1

  init(_ home: Home) { secrets = Document("secrets.txt", in: home) }

  isolated deinit { close() }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if application.isProtectedDataAvailable { secrets.load() }
    return true
  }

  func applicationDidBecomeActive(_ application: Application) { open() }

  func applicationWillResignActive(_ application: Application) {
    // A few bytes, and the lock may follow at once.
    secrets.saveOrLog(level: .kernel)
    close()
  }

  func applicationProtectedDataWillBecomeUnavailable(_ application: Application) { close() }

  func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
    application.say("unlocked")
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "secret" { secrets.editForNow(value) }
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if application.isProtectedDataAvailable {
      open()
      handle.use()
      close()
    }
    completionHandler(application.isProtectedDataAvailable ? .newData : .noData)
  }

  private func open() {
    guard file < 0 else { return }
    file = Glibc.open(secrets.path, O_RDONLY | O_CLOEXEC)
    if file >= 0 { handle.acquire() }
  }

  private func close() {
    guard file >= 0 else { return }
    Glibc.close(file)
    file = -1
    handle.release()
  }
}
