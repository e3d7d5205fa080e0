// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

extension AppFault {
  /// Of the app that lives now.
  private static var queue: WorkQueue { WorkQueue(label: "faulty") }

  /// A piece of work on a queue, from now on for `seconds`.
  private static func upload(for seconds: Double) {
    queue.async {
      let work = Lifetrace.beginWork("upload", kind: .network)
      queue.asyncAfter(seconds: seconds) { work.end() }
    }
  }

  /// Work in the background that no task covers, and handlers of tasks whose time is up.
  static let backgroundWork: [AppFault] = [
    AppFault(rule: "BT06", words: "work past the end of its task", moment: .didEnterBackground) {
      application in
      // The system's time may be up while the app is away: the handler ends what is left.
      let task = TaskBox()
      task.identifier = application.beginBackgroundTask(withName: "upload") {
        application.endBackgroundTask(task.identifier)
      }
      upload(for: 2.08)
      WorkQueue(label: "ends too early").asyncAfter(seconds: 2) {
        application.endBackgroundTask(task.identifier)
      }
    },
    AppFault(
      rule: "BT13",
      others: [
        "DL06": "held for long", "BT08": "held through a visit of a user who comes back before",
      ],
      words: "a task held for nothing until its time is up",
      moment: .didEnterBackground
    ) { application in
      let task = TaskBox()
      task.identifier = application.beginBackgroundTask(withName: "flush") {
        application.endBackgroundTask(task.identifier)
      }
    },
    AppFault(rule: "BT10", words: "work frozen without a task", moment: .didEnterBackground) { _ in
      upload(for: 5)
    },
    AppFault(rule: "BT11", words: "work done by luck", moment: .didEnterBackground) { _ in
      upload(for: 0.05)
    },
    AppFault(
      rule: "DL07",
      others: ["DL06": "held for long", "DL05": "the end comes too late"],
      words: "an expiration handler that ends nothing at once",
      moment: .didEnterBackground
    ) { application in
      let task = TaskBox()
      task.identifier = application.beginBackgroundTask(withName: "sync") {
        queue.asyncAfter(seconds: 1) { application.endBackgroundTask(task.identifier) }
      }
    },
    AppFault(
      rule: "DL08",
      others: [
        "DL06": "held for long", "DL05": "the end comes too late",
        "BT13": "nothing ran under it until then",
      ],
      whyMore: "a handler runs only when a task has been held until its time is up",
      words: "an expiration handler that waits",
      moment: .didEnterBackground
    ) { application in
      let task = TaskBox()
      task.identifier = application.beginBackgroundTask(withName: "sync") {
        application.pass(seconds: 2)
        application.endBackgroundTask(task.identifier)
      }
    },
  ]

  /// Background tasks that are begun too late, once too often, and for too long.
  static let tasksAtTheWrongTime: [AppFault] = [
    AppFault(
      rule: "BT03",
      others: [
        "BT01": "nobody ends the first", "DL05": "its time is up", "DL06": "held for long",
        "DL07": "its handler ends the second", "BT08": "held through a visit of the user",
      ],
      whyMore: "a task whose id is lost is never ended, which breaks each limit on its way",
      words: "a second task stored over the first",
      moment: .didEnterBackground
    ) { application in
      let task = TaskBox()
      for _ in 0..<2 {
        task.identifier = application.beginBackgroundTask(withName: "sync") {
          guard task.identifier != .invalid else { return }
          application.endBackgroundTask(task.identifier)
        }
      }
      upload(for: 2)
      queue.asyncAfter(seconds: 2) {
        application.endBackgroundTask(task.identifier)
        task.identifier = .invalid
      }
    },
    AppFault(
      rule: "BT04",
      words: "a task begun by the work that it covers",
      moment: .didEnterBackground
    ) { application in
      WorkQueue.main.asyncAfter(seconds: 0.02) {
        MainActor.assumeIsolated {
          let task = application.beginBackgroundTask(withName: "save") {}
          application.endBackgroundTask(task)
        }
      }
    },
    AppFault(
      rule: "BT08",
      others: ["DL06": "held for long", "BT13": "nothing runs under it in the background"],
      words: "a task for as long as the app is used",
      moment: .didBecomeActive
    ) { application in
      let task = TaskBox()
      task.identifier = application.beginBackgroundTask(withName: "connection") {
        application.endBackgroundTask(task.identifier)
      }
    },
    AppFault(
      rule: "RS15",
      others: [
        "MT03": "put off to a wake, it takes as long in virtual time as what a queue does meanwhile"
      ],
      words: "an index begun while a call is shown",
      moment: .willResignActive
    ) { application in
      WorkQueue.main.asyncAfter(seconds: 0.5) {
        Lifetrace.work("build index", kind: .compute) { application.pass(seconds: 0.01) }
      }
    },
  ]

  /// The handler of a task is written before its identifier is known.
  private final class TaskBox: @unchecked Sendable {
    var identifier = BackgroundTaskIdentifier.invalid
  }
}
