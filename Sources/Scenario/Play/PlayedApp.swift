// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceTrace

/// What the director knows of one app.
///
/// A class: the director asks for one word of it many times an event, and a value of that size
/// would be copied for each.
final class PlayedApp {
  /// An event that was not answered in time, and what was sent behind it.
  struct Hang {
    /// The number of the event.
    var number: UInt64
    /// The turn of main that it is, as of when it was sent; nil where it is a callback, which is recorded.
    var turn: RecordedEvent?
    /// The callbacks that wait for its end, as of when they were sent.
    var behind: [RecordedEvent] = []
  }

  /// A background task as the app reported it.
  struct Task {
    var name: String
    /// It was notified that its time is up.
    var isExpired = false
  }

  /// A wake whose completion has not been called, or whose call has not been reported.
  struct Wake {
    var reason: WakeReason
    var deadline: Int64
    /// When the app is notified that its time is nearly over; a processing wake alone is.
    var expireAt = Int64.max
    var code: UInt64
    var isCompleted = false
    /// A VoIP push wants the report of a call, which is what the system kills for.
    var awaitsReport: Bool

    /// Its time may pass unpunished: there is nothing to call, or what was asked has been done.
    var mayPass: Bool {
      reason == .voip ? !awaitsReport : !Profile.hasCompletion(wake: reason.rawValue)
    }
  }

  let name: String
  var state = AppState.notRunning
  var configuration = AppConfiguration()
  var incarnation = 0
  /// Why the app is in front without being active, in order.
  var reasons: [String] = []
  var tasks: [UInt64: Task] = [:]
  var wakes: [UInt64: Wake] = [:]
  /// Some of its tasks are not followed: which of them are open is not known.
  var hasMoreTasks = false
  /// Answers that have come and are waited for.
  var answers: [UInt64: EventReply] = [:]
  var awaited: UInt64?
  /// The numbers of the events that its process was sent and has not answered.
  var unanswered: Set<UInt64> = []
  /// What its process hangs in, of one that does not record; nil where it has answered all in time.
  var hang: Hang?
  /// The numbers that its process answered though no such event was due; no more than are told.
  var answeredAmiss: Set<UInt64> = []
  /// When it was sent the oldest event that it has not answered.
  var toldSince: Int64?
  var preserved: [String: String]?
  /// What changed while the app was suspended.
  var pending = NotificationQueue()
  /// The app was notified that protected files are closed, or has found them so.
  var knowsUnavailable = false
  /// The notifications that the app observes, by their short names.
  private(set) var observed: Set<String> = []
  /// The accessories that were taken from it when it came to the background.
  var lostAccessories: Set<String> = []
  /// How the app knows the device to be held, flat on a table aside.
  var orientation: Orientation?
  /// The status bar as the app knows it: it grows during a call.
  var statusBarHeight = 20
  /// In the background: when it may be suspended, when tasks expire, when it is killed for them.
  var suspendAt = Int64.max
  /// When it is, whether the machine has given it a processor or not.
  var suspendBy = Int64.max
  var expireAt = Int64.max
  var killAt = Int64.max
  /// Words that the app has said, the ends of its tasks and the completions of its wakes.
  var heard: Set<String> = []
  /// The launch that a user began by throwing the app out is not answered with wakes.
  var thrownOut = false

  /// The lock in the group's container that the last look found.
  var sharedLock: SharedLock?

  /// The sockets on which it listened when it was suspended.
  var listening: [ListeningSocket] = []

  /// The user has seen the report that one of its lines is no message.
  var isGarbageTold = false

  /// A scene is connected: it has been in front since its launch.
  var hasScene = false

  /// How its process, or the next one, is to end; nil again when it has ended.
  var script: ScriptedEnd?
  /// It ended as its launch step had said: the steps up to its next launch are passed over.
  var hasFallen = false

  /// Its process was started ahead of the launch, and waits for it.
  var isPrewarmed = false

  /// What it said of the services with a background mode of their own: running or not, by mode.
  var services: [String: Bool] = [:]
  /// It has reported a call since its launch: it knows the message for that.
  var saysReports = false
  /// The wakes that it has completed since its launch.
  private(set) var completed: Set<UInt64> = []
  /// A lasting mode keeps it running in the background.
  var runsOn: Bool { configuration.runsOn(services) }
  /// Its processor time when it came to the background, and when that was.
  var processorTime: (used: Int64, time: Int64)?

  var isAlive: Bool { state != .notRunning }
  var executes: Bool { isAlive && state != .suspended }
  var isFront: Bool { state == .active || state == .inactive }

  /// Words beyond this are forgotten, so that a talkative app costs bounded memory.
  static let heardMax = 1000
  /// Tasks beyond this are not followed: the app leaks them.
  static let tasksMax = 10_000

  init(name: String) { self.name = name }

  func hear(_ word: String) {
    if heard.count < Self.heardMax { heard.insert(word) }
  }

  func complete(_ wake: UInt64) {
    if completed.count < Self.heardMax { completed.insert(wake) }
  }

  func observe(_ type: String) {
    if observed.count < Self.heardMax { observed.insert(NotificationClass.shortName(type)) }
  }

  /// The process is gone, and with it everything that it held.
  func forget() {
    state = .notRunning
    reasons = []
    tasks = [:]
    hasMoreTasks = false
    wakes = [:]
    sharedLock = nil
    listening = []
    answers = [:]
    unanswered = []
    hang = nil
    answeredAmiss = []
    toldSince = nil
    knowsUnavailable = false
    statusBarHeight = 20
    hasScene = false
    services = [:]
    saysReports = false
    completed = []
    observed = []
    lostAccessories = []
    isGarbageTold = false
    processorTime = nil
    suspendAt = .max
    expireAt = .max
    killAt = .max
    pending = NotificationQueue()
  }
}
