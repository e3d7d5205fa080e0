// SPDX-License-Identifier: Apache-2.0
import Glibc
import Lifetrace
import LifetraceApp

extension AppFault {
  private static let locale = Lifetrace.Name("NSCurrentLocaleDidChange")
  private static let dates = Lifetrace.Resource("fault dates", .cache, attribute: locale)

  @MainActor
  private static func observe(_ application: Application, for seconds: Double) {
    application.notificationCenter.addObserver(forName: .currentLocaleDidChange) { _ in
      application.pass(seconds: seconds)
    }
  }

  /// What an app keeps of the system, which changes while it is away.
  static let stale: [AppFault] = [
    AppFault(rule: "NQ08", words: "dates made once and for all", moment: .didBecomeActive) { _ in
      dates.acquire()
    },
    AppFault(
      rule: "NQ09",
      others: ["NQ08": "nobody handles the change"],
      words: "dates used as they were before the suspension",
      moment: .didBecomeActive,
      before: (.didFinishLaunching, { _ in dates.acquire() }),
      isRepeated: true
    ) { _ in dates.use() },
    AppFault(
      rule: "NQ10",
      others: ["DL11": "where the app is active when it changes"],
      words: "all made anew before anybody sees it",
      moment: .didFinishLaunching
    ) { observe($0, for: 1.5) },
    AppFault(
      rule: "NQ12",
      others: ["NQ08": "nobody handles the change"],
      words: "dates that an earlier launch has written",
      moment: .didFinishLaunching
    ) { _ in dates.use() },
    AppFault(
      rule: "NQ13",
      words: "an observer more at each return",
      moment: .didBecomeActive,
      isRepeated: true
    ) { observe($0, for: 0) },
  ]

  private static let level = Lifetrace.Resource("fault level", .media, attribute: "game")
  private static let song = Lifetrace.Resource("fault song", .media, attribute: "audio")
  private static let account = Lifetrace.Resource("fault account", .view, attribute: "sensitive")

  /// What an app shows and plays when it is not, or not alone, in front.
  static let shown: [AppFault] = [
    AppFault(
      rule: "RS03",
      others: [
        "MT07": "the last frame is drawn in the background",
        "RS01": "it draws by putting itself off",
      ],
      words: "as many frames under an alert as without",
      moment: .didBecomeActive
    ) { draw($0) },
    AppFault(
      rule: "RS04",
      words: "a game that goes on by itself",
      moment: .didBecomeActive,
      also: (.willResignActive, { _ in level.release() }),
      isRepeated: true
    ) { _ in level.acquire() },
    AppFault(
      rule: "RS22",
      words: "a song that does not go on",
      moment: .willResignActive,
      before: (.didBecomeActive, { _ in song.acquire() })
    ) { _ in song.release() },
    AppFault(
      rule: "RS23",
      words: "an account number in the app switcher",
      moment: .didBecomeActive,
      also: (.didEnterBackground, { _ in account.release() }),
      isRepeated: true
    ) { _ in account.acquire() },
    AppFault(rule: "MT08", words: "a bar drawn in the background", moment: .didEnterBackground) {
      application in
      let task = application.beginBackgroundTask(withName: "show") {}
      WorkQueue.main.asyncAfter(seconds: 1) {
        Lifetrace.work("progress", kind: .ui) {}
        application.endBackgroundTask(task)
      }
    },
  ]

  /// Four frames a second for as long as it is not in the background.
  @MainActor
  private static func draw(_ application: Application) {
    Lifetrace.work("frame", kind: .gl) {}
    WorkQueue.main.asyncAfter(seconds: 0.25) {
      MainActor.assumeIsolated {
        if application.applicationState != .background { draw(application) }
      }
    }
  }

  private static let diary = Lifetrace.Object("diary")

  /// What the system refuses, and what arrives.
  static let refused: [AppFault] = [
    AppFault(
      rule: "DS08",
      others: ["DS01": "it is never saved", "DS02": "it is never saved"],
      words: "a save that is refused, and never made again",
      moment: .didEnterBackground
    ) { application in
      let task = application.beginBackgroundTask(withName: "save") {}
      WorkQueue.main.asyncAfter(seconds: 15) {
        diary.failed(version: diary.dirty(bytes: 7), errno: EPERM, why: "open")
        application.endBackgroundTask(task)
      }
    },
    AppFault(
      rule: "DS10",
      others: ["DS12": "what an earlier launch has saved is written over"],
      words: "what could not be read is taken for empty",
      moment: .didFinishLaunching
    ) { _ in
      // A folder, which nobody can read as a file.
      _ = try? Lifetrace.restore(diary, from: "/")
      diary.durable(version: diary.dirty(bytes: 7), level: .disk, bytes: 7)
    },
    AppFault(
      rule: "RS24",
      words: "the URL of a launch is read and forgotten",
      // A launch by a URL, and another one later: only these are asked that.
      moment: .didFinishLaunching,
      lives: LivedApp.besides,
      forgetsURLs: true
    ),
    AppFault(
      rule: "MS01",
      others: ["BT10": "the work on it is frozen", "BT11": "the item that began it was lucky"],
      words: "a message handed on, and no task for it",
      moment: .didEnterBackground
    ) { _ in
      let queue = WorkQueue(label: "arrivals")
      queue.async {
        let work = Lifetrace.beginWork("handle", kind: .other)
        Lifetrace.receive(nil, from: "server", bytes: 7)
        queue.asyncAfter(seconds: 5) { work.end() }
      }
    },
  ]
}
