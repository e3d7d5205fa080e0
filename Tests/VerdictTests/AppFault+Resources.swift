// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

extension AppFault {
  /// Something that is taken when the app becomes active, and never given back.
  private static func held(
    _ rule: String,
    _ name: String,
    _ kind: Lifetrace.ResourceClass,
    _ attribute: String = "",
    others: [String: String] = [:]
  ) -> AppFault {
    AppFault(rule: rule, others: others, words: "\(name) held on", moment: .didBecomeActive) { _ in
      Lifetrace.Resource(.init(name), kind, attribute: .init(attribute)).acquire()
    }
  }

  /// What an app keeps while it may not.
  static let resources: [AppFault] = [
    held("RS01", "clock", .timer),
    held("RS05", "secrets.txt", .file, "complete", others: ["RS18": "it is in use while locked"]),
    held("RS09", ":8080", .socket, "listening"),
    held("RS10", "account number", .view, "sensitive"),
    held("RS11", "delete?", .alert),
    held("RS14", "photos", .query),
    held("RS16", "intro", .media, "movie"),
    held("RS19", "app://link", .other, "url"),
    held("RS21", "shared.txt", .other, "file-presenter"),
    AppFault(
      rule: "DS13",
      others: ["DS01": "the edit is never saved", "DS02": "the edit is never saved"],
      words: "a purchase acknowledged before what was bought is saved",
      moment: .didBecomeActive
    ) { _ in
      let purchase = Lifetrace.Resource("purchase", .other, attribute: "transaction")
      purchase.acquire()
      Lifetrace.Object("coins").dirty { "100".utf8 }
      purchase.release()
    },
    AppFault(
      rule: "RS20",
      words: "a poll that is begun at each leave, and never cancelled",
      moment: .didEnterBackground,
      isRepeated: true
    ) { _ in poll() },
    AppFault(
      rule: "RS25",
      words: "ticks made up for at the return",
      moment: .didBecomeActive,
      isRepeated: true
    ) { _ in
      for _ in 0..<3 { Lifetrace.Resource("fault clock", .timer).use() }
    },
    AppFault(
      rule: "DS15",
      words: "an edit given up on the way out",
      moment: .willResignActive
    ) { _ in
      let memo = Lifetrace.Object("memo")
      memo.dirty(bytes: 7)
      memo.discarded()
    },
    AppFault(
      rule: "RS06",
      others: ["PR01": "it is not given back at the return"],
      words: "a lock over the suspension",
      moment: .didEnterBackground
    ) { _ in
      Lifetrace.Resource("fault.sqlite", .lock, attribute: "shared").acquire()
    },
  ]

  /// More that an app keeps, or uses, while it may not.
  static let kept: [AppFault] = [
    held("RS07", "contacts", .other, "system-database"),
    AppFault(
      rule: "RS17",
      words: "a queue that goes on while a call is shown",
      moment: .willResignActive,
      before: (
        .didBecomeActive,
        { _ in Lifetrace.Resource("thumbnails", .other, attribute: "queue").acquire() }
      )
    ) { _ in
      WorkQueue.main.asyncAfter(seconds: 0.5) {
        Lifetrace.work("thumbnail", queue: "thumbnails") {}
      }
    },
    AppFault(
      rule: "RS18",
      words: "a protected file read while the device is locked",
      moment: .didEnterBackground
    ) { application in
      let task = application.beginBackgroundTask(withName: "read") {}
      WorkQueue.main.asyncAfter(seconds: 15) {
        Lifetrace.Resource("secrets.txt", .file, attribute: "complete").use()
        application.endBackgroundTask(task)
      }
    },
    AppFault(
      rule: "RS02",
      words: "a timer that is not started again",
      moment: .willResignActive,
      before: (.didBecomeActive, { _ in timer.acquire() })
    ) { _ in timer.release() },
    AppFault(
      rule: "NQ11",
      words: "a connection used as it was before the suspension",
      moment: .didBecomeActive,
      before: (.didFinishLaunching, { _ in connection.acquire() }),
      isRepeated: true
    ) { _ in connection.use() },
  ]

  private static let timer = Lifetrace.Resource("fault timer", .timer)
  private static let connection = Lifetrace.Resource("feed", .socket)

  /// What an app makes of its visits, and of its ends.
  static let visits: [AppFault] = [
    AppFault(
      rule: "PR05",
      words: "each end taken for a crash",
      moment: .didFinishLaunching
    ) { _ in Lifetrace.Resource("crash", .other, attribute: "previous-end").use() },
    AppFault(
      rule: "PR07",
      words: "a visit that the next launch does not end",
      moment: .didBecomeActive
    ) { _ in
      lastVisit += 1
      Lifetrace.Resource("visit", .other, attribute: "session", id: lastVisit).acquire()
    },
  ]

  /// Each visit is another one.
  @MainActor private static var lastVisit: UInt64 = 0

  /// A poll that goes on for as long as the process lives.
  @MainActor
  private static func poll() {
    WorkQueue.main.asyncAfter(seconds: 0.7) { MainActor.assumeIsolated { poll() } }
  }

  private static let cover = Lifetrace.Resource("cover", .view)
  private static let visit = Lifetrace.Resource("visit", .other, attribute: "session")

  /// What is done in one callback and undone in the wrong one, or not at all.
  static let pairs: [AppFault] = [
    AppFault(rule: "PR01", words: "a cover that stays", moment: .willResignActive) { _ in
      cover.acquire()
    },
    AppFault(
      rule: "PR02",
      others: ["PR01": "where only an interruption came"],
      words: "undone in the wrong partner",
      moment: .willEnterForeground,
      before: (.willResignActive, { _ in cover.acquire() })
    ) { _ in cover.release() },
    AppFault(
      rule: "PR04",
      words: "a visit that each interruption ends",
      moment: .didBecomeActive,
      before: (.willResignActive, { _ in visit.release() }),
      isRepeated: true
    ) { _ in visit.acquire() },
  ]

  /// Work on main at the wrong moment.
  static let moments: [AppFault] = [
    AppFault(rule: "MT05", words: "an index built at the launch", moment: .didFinishLaunching) {
      application in
      Lifetrace.work("build index", kind: .compute) { application.pass(seconds: 0.08) }
    },
    AppFault(rule: "MT06", words: "graphics before it is active", moment: .didFinishLaunching) {
      _ in
      Lifetrace.work("set up context", kind: .gl) {}
    },
    AppFault(rule: "MT07", words: "graphics in the background", moment: .didEnterBackground) {
      application in
      let task = application.beginBackgroundTask(withName: "render") {}
      WorkQueue.main.asyncAfter(seconds: 1) {
        Lifetrace.work("frame", kind: .gl) {}
        application.endBackgroundTask(task)
      }
    },
    AppFault(
      rule: "MT09",
      others: ["DL02": "of an app that takes its time there already"],
      words: "a wait on the way out",
      moment: .didEnterBackground
    ) { application in
      Lifetrace.wait("for the queue") { application.pass(seconds: 2) }
    },
  ]
}
