// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

/// Its file is refused while the device is locked: what a push brings then is kept in another one, which
/// is not, until the unlock.
///
/// No file of a simulation is protected: the app says what the device would have answered.
final class Diary: ApplicationDelegate {
  private let pages: Document
  private let arrived: Document
  /// Whether it knows what stands in its file.
  private var isRead = false

  init(_ home: Home) {
    pages = Document("pages.txt", in: home)
    arrived = Document("arrived.txt", in: home)
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    if application.isProtectedDataAvailable { read() } else { pages.refuseRead() }
    arrived.load()
    if isRead { put() }
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "write" { write(value) }
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if application.isProtectedDataAvailable {
      write("she wrote")
    } else {
      if isRead {
        pages.edit(pages.text + "she wrote\n")
        pages.object.failed(version: pages.object.version, errno: EPERM, why: "locked")
        pages.revert()
      }
      arrived.edit(arrived.text + "she wrote\n")
      arrived.saveOrLog()
    }
    completionHandler(.newData)
  }

  func applicationProtectedDataDidBecomeAvailable(_ application: Application) {
    if !isRead { read() }
    put()
  }

  private func read() {
    pages.load()
    isRead = true
  }

  private func write(_ line: String) {
    pages.edit(pages.text + line + "\n")
    pages.saveOrLog()
  }

  /// What has arrived meanwhile goes into its place.
  private func put() {
    guard !arrived.text.isEmpty else { return }
    pages.edit(pages.text + arrived.text)
    guard (try? pages.save()) != nil else { return }
    arrived.remove()
  }
}
