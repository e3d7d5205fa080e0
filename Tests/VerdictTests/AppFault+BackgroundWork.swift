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
      others: ["DL06": "held for long"],
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

  /// The handler of a task is written before its identifier is known.
  private final class TaskBox: @unchecked Sendable {
    var identifier = BackgroundTaskIdentifier.invalid
  }
}
