// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// Woken for every reason there is but a processing task; each wake is completed when its work is done.
final class Courier: ApplicationDelegate {
  private let parcels: Document
  private let track: Document
  private let work = WorkQueue(label: "courier")

  init(_ home: Home) {
    parcels = Document("parcels.txt", in: home)
    track = Document("track.txt", in: home)
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    parcels.load()
    track.load()
    return true
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    keep("pushed \(userInfo["aps"] ?? "")", in: parcels) { completionHandler(.newData) }
  }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { work.asyncAfter(seconds: 5) { completionHandler(.noData) } }

  func application(
    _ application: Application,
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping @Sendable () -> Void
  ) {
    // It is UIKit's, and called on main.
    keep("downloaded \(identifier)", in: parcels) { WorkQueue.main.async { completionHandler() } }
  }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    if reason == .voip {
      // The call is reported first; what is said in it can wait.
      Application.shared.reportNewIncomingCall("courier")
      completionHandler(.newData)
      parcels.edit(parcels.text + "called\n")
      parcels.save(on: work, of: application)
    } else {
      keep(reason.rawValue, in: track) { completionHandler(.newData) }
    }
  }

  private func keep(
    _ line: String,
    in document: Document,
    _ completion: @escaping @Sendable () -> Void
  ) {
    document.edit(document.text + line + "\n")
    work.async {
      document.saveOrLog()
      completion()
    }
  }
}
