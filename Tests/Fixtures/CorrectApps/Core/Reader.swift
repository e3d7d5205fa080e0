// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Books: where the user was comes back after a purge, bookmarks after every end.
///
///     - tell: {turn: 12}           # to another page
///     - tell: {bookmark: 12}
final class Reader: ApplicationDelegate {
  private let bookmarks: Document
  private let saving = WorkQueue(label: "saving bookmarks")
  private let pages = Lifetrace.Resource("rendered pages", .cache)
  private var page = "cover"

  init(_ home: Home) { bookmarks = Document("bookmarks.txt", in: home) }

  func application(
    _ application: Application,
    willFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    bookmarks.load()
    return true
  }

  func application(_ application: Application, shouldSaveApplicationState coder: StateCoder) -> Bool
  { true }

  func application(_ application: Application, shouldRestoreApplicationState coder: StateCoder)
    -> Bool
  { true }

  func application(
    _ application: Application,
    willEncodeRestorableStateWith coder: StateCoder
  ) { coder.encode(page, forKey: "page") }

  func application(
    _ application: Application,
    didDecodeRestorableStateWith coder: StateCoder
  ) { page = coder.decodeString(forKey: "page") ?? page }

  func applicationDidBecomeActive(_ application: Application) {
    pages.acquire()
    application.say("at \(page)")
  }

  func application(_ application: Application, told word: String, _ value: String) {
    if word == "turn" { page = value }
    if word == "bookmark" {
      bookmarks.edit(bookmarks.text + value + "\n")
      bookmarks.save(on: saving, of: application)
    }
  }

  func applicationDidReceiveMemoryWarning(_ application: Application) { pages.release() }

  func applicationDidEnterBackground(_ application: Application) { pages.release() }

  /// The last bookmark may still be waiting for its turn on the queue.
  func applicationWillTerminate(_ application: Application) { bookmarks.saveOrLog() }
}
