// SPDX-License-Identifier: Apache-2.0

/// The deadlines and habits of one generation of the system.
///
///     Profile.named("ios7")?.backgroundTask.kill      // 180 s
///
/// Rules take every threshold from here, the host every budget. Times are nominal nanoseconds; a
/// recording made in compressed time states the factor, and the reader scales. Where the sources
/// disagree there is a switch, named C1 to C13 after the list of conflicts.
public struct Profile: Sendable, Hashable {
  /// How long something may take: from `warn` on it is too slow, from `kill` on the system acts.
  public struct Limit: Sendable, Hashable {
    /// The length that is worth a warning, in nominal nanoseconds.
    public var warn: Int64
    /// The length at which the system kills, in nominal nanoseconds.
    public var kill: Int64

    /// A limit of that many seconds.
    public init(warn: Double, kill: Double) {
      self.warn = Int64(warn * 1e9)
      self.kill = Int64(kill * 1e9)
    }

    /// One limit for both.
    public init(_ seconds: Double) { self.init(warn: seconds, kill: seconds) }
  }

  /// The name of the profile, such as `ios13`.
  public var name: String
  /// What is not known of that system, in a sentence or two; empty where its figures are its own.
  public internal(set) var remark = ""

  /// D1: from the start of the process to handling events.
  public var launch = Limit(warn: 5, kill: 20)
  /// D2: didEnterBackground must return, even when a background task was begun.
  public var enterBackground = Limit(warn: 5, kill: 10)
  /// D2w and D4: other transitions on main; the sources name the kill, and a quarter of it warns.
  public var transition = Limit(warn: 2.5, kill: 10)
  /// D3, the limit of `applicationWillTerminate`.
  public var terminate = Limit(5)
  /// D5: a background task, from entering the background.
  public var backgroundTask = Limit(30)
  /// So long before the end of its time a task's handler is called, in nominal nanoseconds: 26 s into
  /// 30 s, in logs of real devices.
  package var expirationLead: Int64 { min(backgroundTask.kill / 6, 4_000_000_000) }
  /// D5w: a task held longer than this is reported in the foreground too.
  ///
  /// The warning and its half minute are of the systems that grant as much in the background; before
  /// them it is what was granted there.
  public var taskAge = Limit(30)
  /// BT06, BT10: work that goes on after its background task was ended.
  ///
  /// Half of the time that the host leaves an app behind its last task. No source gives a figure.
  public var taskTail = Limit(0.05)
  /// D6 to D8, D10: fetch, push, refresh and URL-session handlers.
  public var wakeHandler = Limit(30)
  /// D9: a processing task.
  public var processingTask = Limit(600)
  /// D11: a Bluetooth wake.
  public var bluetoothWake = Limit(10)
  /// D12: from a VoIP push to the call report.
  public var voipReport = Limit(warn: 5, kill: 7.5)
  /// D13: blocking inside an expiration handler.
  public var expirationHandler = Limit(1)
  /// D14: main blocked while active.
  public var hang = Hang()
  /// D15: protected files after a lock.
  public var protectedFiles = Limit(10)
  /// D16: handlers of queued notifications at a wake, together.
  public var wakeNotifications = Limit(1)
  /// MT02: file access on main.
  public var mainFile = Limit(warn: 0.016, kill: 0.25)
  /// MT03: computing on main.
  public var mainCompute = Limit(warn: 0.1, kill: 1)
  /// MT05: computing on main at a launch; half of what can be felt later, for the user waits.
  public var launchWork = Limit(warn: 0.05, kill: 0.25)
  /// DS05: edits older than this should have had a checkpoint.
  public var checkpoint = Limit(300)
  /// ST16: inactive for longer, with no reason open.
  public var stuckInactive = Limit(60)
  /// PR01, RS02: from didBecomeActive to the undoing of what was done on the way out.
  public var undo = Limit(1)
  /// RS03: a stay in the inactive state that shows how often the app draws there.
  public var frames = Limit(1)
  /// RS03: from which share of the active app's frames on an inactive one has not slowed down.
  public var unthrottledFrames = 0.5
  /// RS12: computing all the time in the background.
  public var backgroundCPU = Limit(60)
  /// RS12: from which share of that time on it is all the time.
  public var busyShare = 0.8
  /// RS08, RS13: a footprint that is worth releasing some of, in bytes.
  public var largeFootprint: UInt64 = 50_000_000
  /// RS08: which share of the foreground's footprint is as good as all of it.
  public var keptFootprint = 0.9
  /// RS20, RS25: how many chains side by side, or ticks of a timer at once, are too many; fewer may be
  /// meant so.
  public var pile = 3

  /// C1: what a lock puts a foreground app into.
  public var lockEndsIn = LockState.background
  /// C2: whether a user's kill calls willTerminate.
  public var terminateOnUserKill = Permission.may
  /// Whether a location launches an app that a user threw out, as from iOS 8 on.
  public var locationsOutliveUserKill = true
  /// C10: whether the protected-data notifications are queued.
  public var queuesProtectedData = true
  /// Whether a launch in the background calls didEnterBackground, as the figures of the first guides show.
  public var backgroundLaunchIsEntering = false
  /// Whether an app may have scenes.
  public var hasScenes = false
  /// Whether there is a background at all: devices of iOS 3.2 and before have none.
  public var hasMultitasking = true

  /// The thresholds of a blocked main thread.
  public struct Hang: Sendable, Hashable {
    /// A perceptible hang, in nanoseconds.
    public var hang: Int64 = 250_000_000
    /// Reported by the system.
    public var severe: Int64 = 1_000_000_000
    /// Killed, while the system waits for the app.
    public var kill: Int64 = 10_000_000_000

    /// What can be felt, and what is worse, as one limit.
    public var felt: Limit {
      get {
        var limit = Limit(0)
        (limit.warn, limit.kill) = (hang, severe)
        return limit
      }
      set { (hang, severe) = (newValue.warn, newValue.kill) }
    }

    /// Thresholds with the usual values.
    public init() {}
  }

  /// What a lock puts a foreground app into.
  public enum LockState: Sendable, Hashable {
    /// It resigns, stays inactive behind the lock, and goes on executing.
    case inactive
    /// The background; in didEnterBackground it still reads *inactive*.
    case backgroundReadingInactive
    /// The background.
    case background
  }

  /// Whether something must, may or must not happen.
  public enum Permission: Sendable, Hashable {
    case must, may, mustNot
  }

  /// A profile with today's thresholds under a name of its own.
  public init(name: String) { self.name = name }
}

extension Profile {
  /// How long an app has for a wake of that reason, as the trace spells it.
  public func limit(ofWake reason: String) -> Limit {
    switch reason {
    case "processing": processingTask
    case "bluetooth": bluetoothWake
    case "voip": voipReport
    default: wakeHandler
    }
  }

  /// How long the system waits for a callback; nil for one without a deadline of its own.
  package func limit(of callback: Callback) -> Limit? {
    switch callback {
    case .didEnterBackground: enterBackground
    case .willTerminate: terminate
    case .expirationHandler: expirationHandler
    case .willResignActive, .willEnterForeground, .didBecomeActive, .openURL, .sceneWillConnect:
      transition
    default: nil
    }
  }

  /// Whether the app says when it is done with a wake of that reason.
  ///
  /// For a location or a Bluetooth event there is nothing to call: the time is the wake's.
  public static func hasCompletion(wake reason: String) -> Bool {
    reason != "location" && reason != "bluetooth"
  }

  /// As the founding documents have it: five seconds and death, for a launch too.
  public static let classic: Profile = {
    var profile = Profile(name: "classic")
    profile.launch = Limit(5)
    profile.enterBackground = Limit(5)
    profile.backgroundTask = Limit(600)
    profile.taskAge = profile.backgroundTask
    profile.lockEndsIn = .backgroundReadingInactive
    profile.terminateOnUserKill = .mustNot
    profile.backgroundLaunchIsEntering = true
    profile.locationsOutliveUserKill = false
    return profile
  }()

  /// Ten minutes for a background task.
  public static let ios4: Profile = {
    var profile = Profile(name: "ios4")
    profile.backgroundTask = Limit(600)
    profile.taskAge = profile.backgroundTask
    profile.lockEndsIn = .inactive
    profile.locationsOutliveUserKill = false
    return profile
  }()

  /// Three minutes for a background task.
  public static let ios7: Profile = {
    var profile = Profile(name: "ios7")
    profile.backgroundTask = Limit(180)
    profile.taskAge = profile.backgroundTask
    profile.locationsOutliveUserKill = false
    return profile
  }()

  /// Half a minute for a background task, scenes; the default.
  public static let ios13: Profile = {
    var profile = Profile(name: "ios13")
    profile.hasScenes = true
    profile.queuesProtectedData = false
    return profile
  }()

  /// As the guide of 2017 has it.
  public static let ios2017: Profile = {
    var profile = Profile(name: "ios2017")
    profile.backgroundTask = Limit(180)
    profile.taskAge = profile.backgroundTask
    return profile
  }()

  /// As ``ios13``: no source gives a figure of iOS 17 that differs.
  public static let ios17: Profile = {
    var profile = ios13
    profile.name = "ios17"
    profile.remark =
      "Those of `ios13`: no source that we know gives a figure of iOS 14 to 18 that differs."
    return profile
  }()

  /// As ``ios13``: no source gives a figure of iOS 26 that differs.
  public static let ios26: Profile = {
    var profile = ios13
    profile.name = "ios26"
    profile.remark =
      "Those of `ios13`: no source that we know gives a figure of iOS 26 that differs. Its continued "
      + "processing tasks, which run on while the user sees their progress, are not modelled."
    return profile
  }()

  /// All built-in profiles, oldest first.
  public static let all = [classic, ios4, ios7, ios13, ios2017, ios17, ios26]

  /// The profile for recordings that name none.
  public static let standard = ios13

  /// The built-in profile of that name, or nil.
  public static func named(_ name: String) -> Profile? { all.first { $0.name == name } }
}
