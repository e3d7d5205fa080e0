// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import LifetraceTrace
import Support

/// The life cycle as the tables say it, without a host: what each event must make an app hear.
///
/// An oracle, written apart from the director on purpose. It knows one app, and
/// one second passes after each event, so that an app with nothing to do is
/// suspended by then.
struct LifeModel {
  /// An event and the step that makes it.
  enum Event: String, CaseIterable {
    case launch, open, home
    case callBegin = "call: begin"
    case callEnd = "call: end"
    case alertBegin = "interrupt: begin"
    case alertEnd = "interrupt: end"
    case lock, unlock
    case fetch = "wake: fetch"
    case push = "wake: push"
    case memoryWarning = "memory-warning"
    case timeChange = "time-change"
    case touch = "touch: view"
    case jetsam = "purge: {how: jetsam}"
    case terminate, kill, reboot
    case beginTask = "tell: {task: hold}"
    case endTask = "tell: {end: hold}"
    case url = "open-url: x://y"
    case sms = "sms: ignored"
    case banner
  }

  private(set) var state = AppState.notRunning
  private var reasons: Set<String> = []
  private var isLocked = false
  private var comesBack = false
  private var toldUnavailable = false
  private var holdsTask = false
  private var pendingTimeChange = false
  private var thrownOut = false
  private var inCall = false
  private var barIsTall = false
  /// Seconds in the background with a task; it must be over before the task expires.
  private var secondsInBackground = 0

  private var isFront: Bool { state == .active || state == .inactive }
  private var executes: Bool { isFront || state == .background }

  /// Whether the event makes sense now.
  func allows(_ event: Event) -> Bool {
    if secondsInBackground > 15 { return event == .endTask }
    switch event {
    case .launch, .open, .url, .callBegin, .alertBegin, .sms, .lock: return !isLocked
    case .touch: return !isLocked && state != .notRunning
    case .home: return isFront
    case .callEnd: return inCall
    case .alertEnd: return reasons.contains("alert")
    case .unlock: return isLocked
    case .jetsam, .terminate, .kill: return state != .notRunning
    case .beginTask: return executes && !holdsTask
    case .endTask: return executes && holdsTask
    case .fetch, .push, .memoryWarning, .timeChange, .reboot, .banner: return true
    }
  }

  /// The callbacks that follow, in order.
  mutating func take(_ event: Event) -> [String] {
    let heard = react(event)
    if state == .background, !holdsTask { state = .suspended }
    secondsInBackground = state == .background ? secondsInBackground + 1 : 0
    return heard
  }

  private mutating func react(_ event: Event) -> [String] {
    switch event {
    case .launch, .open: return comeToFront(openURL: false)
    case .url: return comeToFront(openURL: true)
    case .home: return leave()
    case .callBegin:
      inCall = true
      return interrupt("call")
    case .callEnd:
      inCall = false
      return (isFront ? bar() : []) + resume("call")
    case .alertBegin: return interrupt("alert")
    case .alertEnd: return resume("alert")
    case .sms: return interrupt("sms") + resume("sms")
    case .lock:
      isLocked = true
      comesBack = isFront
      let out = leave()
      guard executes, !toldUnavailable else { return out }
      toldUnavailable = true
      return out + ["ProtectedDataWillBecomeUnavailable"]
    case .unlock:
      isLocked = false
      let out = executes ? available() : []
      return comesBack && state != .notRunning ? out + comeToFront(openURL: false) : out
    case .fetch: return wake("fetch")
    case .push: return wake("push")
    case .memoryWarning: return executes ? ["DidReceiveMemoryWarning"] : []
    case .timeChange:
      if state == .suspended { pendingTimeChange = true }
      return executes ? ["SignificantTimeChange"] : []
    case .touch: return state == .active ? ["touch"] : []
    case .jetsam: return end([])
    case .terminate: return end(executes ? ["WillTerminate"] : [])
    case .kill:
      defer { thrownOut = true }
      let out = state == .active ? ["WillResignActive"] : []
      return end(executes ? out + ["WillTerminate"] : [])
    case .reboot:
      let stays = thrownOut && state == .notRunning
      self = LifeModel()
      thrownOut = stays
      return []
    case .beginTask:
      holdsTask = true
      return []
    case .endTask:
      holdsTask = false
      return []
    case .banner: return []
    }
  }

  private mutating func end(_ callbacks: [String]) -> [String] {
    let (locked, call) = (isLocked, inCall)
    self = LifeModel()
    inCall = call
    isLocked = locked
    return callbacks
  }

  private mutating func available() -> [String] {
    guard toldUnavailable, !isLocked else { return [] }
    toldUnavailable = false
    return ["ProtectedDataDidBecomeAvailable"]
  }

  private mutating func wakeUp() -> [String] {
    guard state == .suspended else { return [] }
    state = .background
    let queued = pendingTimeChange ? ["SignificantTimeChange"] : []
    pendingTimeChange = false
    defer {
      // Behind the lock it finds its files closed.
      if isLocked { toldUnavailable = true }
    }
    return queued + available()
  }

  private mutating func comeToFront(openURL: Bool) -> [String] {
    let url = openURL ? ["openURL"] : []
    switch state {
    case .active:
      return openURL ? ["WillResignActive"] + bar() + ["DidBecomeActive", "openURL"] : []
    case .inactive:
      reasons = []
      state = .active
      return url + bar() + ["DidBecomeActive"]
    case .background, .suspended:
      let queued = wakeUp()
      state = .active
      return queued + ["WillEnterForeground"] + url + bar() + ["DidBecomeActive"]
    case .notRunning, .unknown:
      thrownOut = false
      state = .active
      return ["willFinishLaunching", "didFinishLaunching"] + url + bar() + ["DidBecomeActive"]
    }
  }

  private mutating func leave() -> [String] {
    guard isFront else { return [] }
    let out =
      state == .active ? ["WillResignActive", "DidEnterBackground"] : ["DidEnterBackground"]
    state = .background
    reasons = []
    return out
  }

  private mutating func interrupt(_ reason: String) -> [String] {
    guard isFront else { return [] }
    reasons.insert(reason)
    defer { state = .inactive }
    return state == .active ? ["WillResignActive"] : []
  }

  private mutating func resume(_ reason: String) -> [String] {
    reasons.remove(reason)
    guard state == .inactive, reasons.isEmpty else { return [] }
    state = .active
    return bar() + ["DidBecomeActive"]
  }

  /// The status bar is tall during a call; an app learns it before it is active.
  private mutating func bar() -> [String] {
    guard barIsTall != inCall else { return [] }
    barIsTall = inCall
    return ["statusBar"]
  }

  private mutating func wake(_ handler: String) -> [String] {
    guard state == .notRunning else { return wakeUp() + [handler] }
    guard !thrownOut else { return [] }
    state = .background
    toldUnavailable = isLocked
    return ["willFinishLaunching", "didFinishLaunching", handler]
  }
}

/// A random walk through the model.
struct Walk {
  var events: [LifeModel.Event] = []
  var expected: [[String]] = []
  var states: [AppState] = []

  init(seed: UInt64, steps: Int) {
    var generator = SeededRandom(seed: seed)
    var model = LifeModel()
    while events.count < steps {
      let possible = LifeModel.Event.allCases.filter { model.allows($0) }
      // Ends are rare, so that lives are long.
      let rare: Set<LifeModel.Event> = [.jetsam, .terminate, .kill, .reboot]
      guard let event = possible.randomElement(using: &generator) else { break }
      if rare.contains(event), !Int.random(in: 0..<4, using: &generator).isMultiple(of: 4) {
        continue
      }
      events.append(event)
      expected.append(model.take(event))
      states.append(model.state)
    }
  }
}

/// The callbacks of a trace in the model's words; nil for one that the model does not speak of.
func shortName(_ name: String) -> String? {
  switch name {
  case "application:willFinishLaunchingWithOptions:": "willFinishLaunching"
  case "application:didFinishLaunchingWithOptions:": "didFinishLaunching"
  case "application:openURL:options:": "openURL"
  case "application:didReceiveRemoteNotification:fetchCompletionHandler:": "push"
  case "application:performFetchWithCompletionHandler:": "fetch"
  case "application:didReceiveUnhandledTouch:": "touch"
  case "application:didChangeStatusBarFrame:": "statusBar"
  case _ where name.hasPrefix("told") || name.contains("ApplicationState"): nil
  case _ where name.hasPrefix("application"): String(name.dropFirst("application".count))
  default: name
  }
}
