// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// Its database lies in the app group, in WAL mode, and the connection stays open over each suspension.
///
/// Transactions run under a background task; idle, the connection has only the locks that SQLite keeps.
///
///     - tell: {spend: 12}
final class Ledger: ApplicationDelegate {
  private let database: WALDatabase
  private let writing = WorkQueue(label: "writing ledger")
  private let object = Lifetrace.Object("ledger.sqlite")
  private let lock = Lifetrace.Resource("ledger.sqlite", .lock, attribute: "shared")

  init(_ home: Home) { database = WALDatabase(path: home.shared("ledger.sqlite")) }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    object.restored(version: database.version, bytes: 8)
    return true
  }

  func application(_ application: Application, told word: String, _ value: String) {
    guard word == "spend" else { return }
    let version = object.dirty(bytes: 8)
    let activity = BackgroundActivity("write ledger", of: application)
    writing.async { [database, lock, object] in
      lock.acquire()
      let isWritten = database.write(version: version)
      lock.release()
      if isWritten {
        object.durable(version: version, level: .disk, bytes: 8)
      } else {
        object.failed(version: version, why: "write")
      }
      activity.end()
    }
  }
}
