// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp
import Synchronization

/// A file with a lock on it, as long as this lives.
final class LockedFile: Sendable {
  private let file: Int32
  private let resource: Lifetrace.Resource

  init(_ path: String, name: String, attribute: String) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if flock(file, LOCK_EX | LOCK_NB) != 0 { Lifetrace.log("no lock on \(path)", level: .error) }
    resource = Lifetrace.Resource(.init(name), .lock, attribute: .init(attribute))
    resource.acquire()
  }

  deinit {
    close(file)
    resource.release()
  }
}

/// The mail that its share extension puts into the group: locked under a task, and given back in time.
///
/// The lock on its own index stands in no shared container, and may be held over the suspension.
final class Inbox: ApplicationDelegate {
  private let mails: Document
  private let index: LockedFile
  private let shared: String
  private let taking = WorkQueue(label: "taking mails")

  init(_ home: Home) {
    mails = Document("mails.txt", in: home)
    index = LockedFile(home.path("index.db"), name: "index.db", attribute: "private")
    shared = home.shared("incoming.db")
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    mails.load()
    return true
  }

  func applicationDidEnterBackground(_ application: Application) {
    let activity = BackgroundActivity("take mails", of: application)
    taking.async { [mails, shared] in
      let lock = LockedFile(shared, name: "incoming.db", attribute: "shared")
      withExtendedLifetime(lock) {
        application.pass(seconds: 5)
        mails.edit(mails.text + "mail\n")
        mails.saveOrLog()
      }
      application.say("taken")
      activity.end()
    }
  }
}
