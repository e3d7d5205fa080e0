// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// A mistake that an app can make, put into one that makes none.
struct AppFault: Sendable {
  /// Where the mistake is made.
  enum Moment: Hashable, Sendable {
    case didFinishLaunching, didBecomeActive, willResignActive, didEnterBackground
    case willEnterForeground, willTerminate, touch, wake
  }

  /// What a delegate with the mistake does with a wake's completion handler.
  enum Completion: Sendable { case once, never, twice, late(seconds: Double) }

  /// The rule that has to find it.
  var rule: String
  /// What others may say of it too, each with the reason.
  var others: [String: String] = [:]
  /// Why there are more of them than two; empty where there are not.
  var whyMore = ""
  /// Words for a failure.
  var words: String
  var moment: Moment
  var completion = Completion.once
  /// Which wakes are answered so; nil for all.
  var wake: BackgroundWake?
  /// The background modes that the app declares in place of its own.
  var modes: [String]?
  /// The lives that it is put into.
  var lives = LivedApp.all
  /// Whether what a scene is made for is read and forgotten.
  var forgetsURLs = false
  /// Whether a VoIP wake's call is reported to the system.
  var reportsCalls = true
  /// What comes before the mistake, in each life or only in the first.
  var before: (moment: Moment, act: @MainActor @Sendable (Application) -> Void)?
  var isBeforeFirstLifeOnly = false
  /// What belongs to the mistake at another moment, each time.
  var also: (moment: Moment, act: @MainActor @Sendable (Application) -> Void)?
  /// Whether the mistake is made at each chance, not at the first of a process alone.
  var isRepeated = false
  /// The mistake itself.
  var act: @MainActor @Sendable (Application) -> Void = { _ in }

  static let all: [AppFault] =
    deadlines + wakes + data + overwriting + main + moments + tasks + backgroundWork
    + tasksAtTheWrongTime + resources + kept + pairs + visits + stale + shown
    + refused

  private static let deadlines: [AppFault] = [
    AppFault(rule: "DL01", words: "a launch of seven seconds", moment: .didFinishLaunching) {
      $0.pass(seconds: 7)
    },
    AppFault(rule: "DL02", words: "seven seconds on the way out", moment: .didEnterBackground) {
      $0.pass(seconds: 7)
    },
    AppFault(rule: "DL03", words: "seven seconds to end", moment: .willTerminate) {
      $0.pass(seconds: 7)
    },
    AppFault(
      rule: "DL06",
      others: [
        "BT01": "its time is up before, and its handler ends nothing", "DL05": "the same",
        "DL07": "the same", "BT08": "held through a visit of the user",
      ],
      whyMore: "in the background its time is up before it is ended",
      words: "a task held for a minute",
      moment: .didBecomeActive
    ) { application in
      let task = application.beginBackgroundTask(withName: "sync") {}
      WorkQueue.main.asyncAfter(seconds: 60) { application.endBackgroundTask(task) }
    },
    AppFault(
      rule: "DL04",
      words: "twelve seconds on the way back",
      moment: .willEnterForeground
    ) { $0.pass(seconds: 12) },
    AppFault(rule: "DL11", words: "two seconds for a touch", moment: .touch) {
      $0.pass(seconds: 2)
    },
    AppFault(rule: "DL14", words: "its own deadline missed", moment: .didBecomeActive) {
      application in
      let clock = Lifetrace.openDeadline("move", budget: .seconds(1))
      WorkQueue.main.asyncAfter(seconds: 2) { clock.close() }
    },
  ]

  private static let data: [AppFault] = [
    AppFault(
      rule: "DS01",
      others: ["DS02": "where the life then ends, it is lost"],
      words: "an edit on the way out",
      moment: .didEnterBackground
    ) { _ in Lifetrace.Object("fault").dirty(bytes: 7) },
    AppFault(
      rule: "DS02",
      others: ["DS01": "where it was suspended before"],
      words: "an edit as the last thing",
      moment: .willTerminate
    ) { _ in Lifetrace.Object("fault").dirty(bytes: 7) },
    AppFault(
      rule: "DS03",
      others: [
        "DS01": "what is being saved is not saved", "DS02": "where the life then ends, it is lost",
        "DS12": "no launch reads it, and the next saves over it",
      ],
      whyMore:
        "a version that is being saved is not saved yet, and a launch behind its loss reads nothing",
      words: "a save without a task",
      moment: .didEnterBackground
    ) { _ in
      let object = Lifetrace.Object("fault")
      let version = object.dirty(bytes: 7)
      object.flushing(version: version, bytes: 7)
      WorkQueue(label: "saving").asyncAfter(seconds: 4) {
        object.durable(version: version, level: .disk, bytes: 7)
      }
    },
  ]

  private static let main: [AppFault] = [
    AppFault(
      rule: "MT01",
      others: ["DL11": "the app was active"],
      words: "the network on main",
      moment: .touch
    ) { application in
      Lifetrace.work("fetch", kind: .network) { application.pass(seconds: 1) }
    },
    AppFault(
      rule: "MT02",
      others: ["DL11": "the app was active"],
      words: "a file read on main",
      moment: .touch
    ) { application in
      Lifetrace.work("read", kind: .file) { application.pass(seconds: 0.4) }
    },
    AppFault(
      rule: "MT03",
      others: ["DL11": "the app was active"],
      words: "computing on main",
      moment: .touch
    ) { application in
      Lifetrace.work("sort", kind: .compute) { application.pass(seconds: 1.5) }
    },
    AppFault(rule: "MT04", words: "drawing elsewhere", moment: .touch) { _ in
      WorkQueue(label: "drawing").async { Lifetrace.work("draw", kind: .ui) {} }
    },
  ]

  private static let tasks: [AppFault] = [
    AppFault(
      rule: "BT01",
      others: [
        "DL05": "in the background for as long as that is granted", "DL06": "held for long",
        "DL07": "its handler ends nothing", "BT08": "held through a visit of the user",
      ],
      whyMore: "a task that nobody ends breaks each limit on its way",
      words: "a task that nobody ends",
      moment: .didEnterBackground
    ) { _ = $0.beginBackgroundTask(withName: "leak") {} },
    AppFault(
      rule: "DL05",
      others: [
        "BT01": "nobody ends it", "DL06": "held for long", "DL07": "its handler ends nothing",
        "BT08": "held through a visit of the user",
      ],
      whyMore: "a task that nobody ends breaks each limit on its way",
      words: "a task past its time",
      moment: .didEnterBackground
    ) { _ = $0.beginBackgroundTask(withName: "leak") {} },
    AppFault(rule: "BT02", words: "a task ended twice", moment: .didEnterBackground) {
      application in
      let task = application.beginBackgroundTask(withName: "twice") {}
      application.endBackgroundTask(task)
      application.endBackgroundTask(task)
    },
    AppFault(rule: "BT07", words: "a task without a handler", moment: .didEnterBackground) {
      application in
      let task = application.beginBackgroundTask(withName: "bare")
      application.endBackgroundTask(task)
    },
  ]
}
