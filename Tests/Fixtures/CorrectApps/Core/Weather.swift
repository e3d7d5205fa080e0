// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Shows what it has fetched; it may be purged at any time, for there is nothing that it would lose.
final class Weather: ApplicationDelegate {
  private let forecast: Document
  private let fetching = WorkQueue(label: "fetching")
  private let maps = Lifetrace.Resource("maps", .cache)

  init(_ home: Home) { forecast = Document("forecast.txt", in: home) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    forecast.load()
    return true
  }

  func applicationDidBecomeActive(_ application: Application) { maps.acquire() }

  func applicationDidEnterBackground(_ application: Application) { maps.release() }

  func application(
    _ application: Application,
    performFetchWithCompletionHandler completionHandler:
      @escaping @Sendable (BackgroundFetchResult) -> Void
  ) {
    fetching.async { [forecast] in
      Lifetrace.work("download", kind: .network) { application.pass(seconds: 2) }
      forecast.edit("rain\n")
      forecast.saveOrLog()
      completionHandler(.newData)
    }
  }
}
