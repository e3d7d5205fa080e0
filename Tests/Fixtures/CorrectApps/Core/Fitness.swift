// SPDX-License-Identifier: Apache-2.0
import LifetraceApp

/// Launched ahead of the user, by pushes, fetches and places, and by the user at last.
final class Fitness: ApplicationDelegate {
  private let laps: Document
  private let counting = WorkQueue(label: "counting")

  init(_ home: Home) { laps = Document("laps.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    laps.load()
    let isForWork = launchOptions?[.location] != nil || launchOptions?[.remoteNotification] != nil
    application.say(isForWork ? "launched for work" : "launched")
    return true
  }

  func application(
    _ application: Application,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { count("push", completionHandler) }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { count("fetch", completionHandler) }

  func application(
    _ application: Application,
    handleBackgroundWake reason: BackgroundWake,
    completionHandler: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) { count(reason.rawValue, completionHandler) }

  private func count(
    _ what: String,
    _ completion: @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    laps.edit(laps.text + what + "\n")
    counting.async { [laps] in
      laps.saveOrLog()
      completion(.newData)
    }
  }
}
