// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import Support
import Testing
import LifetraceTrace

/// The whole small world: every event in every state under every condition.
@Suite struct LifecycleModelTests {
  /// All combinations of the switches that `flags` says, under `profile`.
  static func worlds(_ profile: Profile) -> [LifecycleConditions] {
    let flags: [WritableKeyPath<LifecycleConditions, Bool>] = [
      \.hasPasscode, \.isLocked, \.wasInFront, \.missedUnlock, \.isStillInterrupted,
      \.exitsOnSuspend, \.holdsSharedLock, \.hasSavedState, \.userKillIsPolite, \.refusesWakes,
      \.statusBarDiffers, \.profile.hasMultitasking,
    ]
    var worlds = [LifecycleConditions()]
    worlds[0].profile = profile
    for flag in flags {
      worlds += worlds.map { world in
        var other = world
        other[keyPath: flag].toggle()
        return other
      }
    }
    return worlds
  }

  @Test(arguments: Profile.all)
  func everyAnswerMovesAlongLegalEdgesAndCallsOnlyWhoRuns(_ profile: Profile) {
    var wrong: [String] = []
    for given in Self.worlds(profile) {
      for state in AppState.allCases {
        for event in LifecycleEvent.allCases {
          let steps = LifecycleModel.response(to: event, in: state, given).steps
          var now = state
          for step in steps {
            if case .become(let next) = step {
              if !now.canBecome(next) { wrong.append("\(event) in \(state): \(now) > \(next)") }
              now = next
            } else if case .end = step {
              if now == .notRunning { wrong.append("\(event) in \(state): it ends twice") }
              now = .notRunning
            } else if step == .queue {
              if now != .suspended { wrong.append("\(event) in \(state): queued in \(now)") }
            } else if step != .drop, now.executes != true {
              wrong.append("\(event) in \(state): \(step) in \(now)")
            }
          }
          // A wake of an app that exits on suspend is handled there, and then the app is ended.
          if given.exitsOnSuspend && event != .wake || !given.profile.hasMultitasking,
            state == .active || state == .notRunning, now == .background
          {
            wrong.append("\(event) in \(state) leaves it in a background that there is not")
          }
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(10))")
  }

  @Test func theCallbacksOfTheGuides() {
    func calls(_ event: LifecycleEvent, _ state: AppState) -> [Callback] {
      LifecycleModel.response(to: event, in: state).callbacks
    }
    #expect(
      calls(.open, .notRunning) == [
        .main, .applicationMain, .loadInterface, .willFinishLaunching, .didFinishLaunching,
        .didBecomeActive,
      ]
    )
    #expect(calls(.leave, .active) == [.willResignActive, .didEnterBackground])
    #expect(calls(.open, .suspended) == [.willEnterForeground, .didBecomeActive])
    #expect(calls(.openURL, .active) == [.willResignActive, .didBecomeActive, .openURL])
    #expect(
      calls(.lock, .active)
        == [.willResignActive, .didEnterBackground, .protectedDataWillBecomeUnavailable]
    )
    #expect(calls(.openURL, .background) == [.willEnterForeground, .openURL, .didBecomeActive])
    #expect(calls(.interruptionBegins, .active) == [.willResignActive])
    #expect(calls(.interruptionEnds, .inactive) == [.didBecomeActive])
    #expect(calls(.banner, .active) == [])
    #expect(
      calls(.unlock, .background)
        == [.protectedDataDidBecomeAvailable, .willEnterForeground, .didBecomeActive]
    )
  }

  @Test func willTerminateIsCalledExactlyWhereTheTableSays() {
    for cause in TerminationCause.allCases {
      for state in [AppState.inactive, .active, .background, .suspended] {
        let calls = LifecycleModel.response(to: .end(cause), in: state).callbacks
        let isCalled = calls.contains(.willTerminate)
        switch cause {
        case .system, .exitsOnSuspend: #expect(isCalled == (state != .suspended))
        default: #expect(!isCalled, "\(cause) in \(state)")
        }
      }
    }
    var classic = LifecycleConditions()
    classic.profile = .classic
    classic.userKillIsPolite = true
    #expect(LifecycleModel.response(to: .end(.user), in: .active, classic).callbacks == [])
  }

  @Test func theConditionsOfTheGuides() {
    func calls(
      _ event: LifecycleEvent,
      _ state: AppState,
      _ change: (inout LifecycleConditions) -> Void
    ) -> [Callback] {
      var given = LifecycleConditions()
      change(&given)
      return LifecycleModel.response(to: event, in: state, given).callbacks
    }
    #expect(
      calls(.lock, .active) { $0.exitsOnSuspend = true } == [.willResignActive, .willTerminate]
    )
    #expect(
      calls(.leave, .active) { $0.profile.hasMultitasking = false }
        == [.willResignActive, .willTerminate]
    )
    #expect(calls(.interruptionEnds, .inactive) { $0.isStillInterrupted = true } == [])
    #expect(
      calls(.openURL, .suspended) { $0.connectsScene = true }
        == [.willEnterForeground, .didBecomeActive]
    )
    #expect(calls(.openURL, .notRunning) { $0.connectsScene = true }.last == .didBecomeActive)
    #expect(!calls(.openURL, .notRunning) { $0.connectsScene = true }.contains(.openURL))
    #expect(calls(.wake, .notRunning) { $0.refusesWakes = true } == [])
    #expect(!calls(.wake, .notRunning) { $0.exitsOnSuspend = true }.isEmpty)
    #expect(calls(.wake, .notRunning) { $0.profile.hasMultitasking = false } == [])
    #expect(calls(.wake, .notRunning) { $0.profile = .classic }.last == .didEnterBackground)
    #expect(
      calls(.unlock, .background) { $0.wasInFront = false }
        == [.protectedDataDidBecomeAvailable]
    )
    #expect(
      calls(.open, .suspended) { $0.missedUnlock = true }
        == [.protectedDataDidBecomeAvailable, .willEnterForeground, .didBecomeActive]
    )
    #expect(
      calls(.interruptionEnds, .inactive) { $0.statusBarDiffers = true }
        == [.didChangeStatusBarFrame, .didBecomeActive]
    )
    #expect(calls(.open, .background) { $0.isLocked = true } == [.willEnterForeground])
    #expect(calls(.end(.user), .active) { $0.userKillIsPolite = true } == [.willTerminate])
  }

  @Test func aBackgroundLaunchIsNeverInactive() {
    let answer = LifecycleModel.response(to: .wake, in: .notRunning)
    #expect(answer.states == [.background])
    #expect(answer.steps.last == .handleWake)
  }

  /// The table as documents show it.
  @Test func theTable() {
    var lines = ["# State, event, what the system does", ""]
    lines += [
      "Made from `LifecycleModel` by a test. The host plays these steps for real processes, the",
      "simulator in virtual time; `TransitionTableTests` plays the cells and compares them with the",
      "guides. **Bold** are states, plain words are callbacks, *italics* are what else is done.",
      "",
      "Profile ios13, a passcode, the app in front at the lock, no interruption beside the one that",
      "ends, nothing queued or saved. `LifecycleConditions` lists what else an answer depends on.",
      "A callback is the app delegate's or, where the app has scenes, the scene delegate's: openURL is",
      "`application:openURL:options:` or `scene:openURLContexts:`; a URL that has a scene connected (at",
      "the launch, or at the first time in front) comes with `scene:willConnectToSession:options:`.",
      "",
    ]
    let states: [AppState] = [.notRunning, .inactive, .active, .background, .suspended]
    lines.append("| event | " + states.map(\.word).joined(separator: " | ") + " |")
    lines.append("|---" + String(repeating: "|---", count: states.count) + "|")
    for event in LifecycleEvent.allCases {
      let cells = states.map { Self.cell(LifecycleModel.response(to: event, in: $0)) }
      lines.append("| \(Self.word(event)) | " + cells.joined(separator: " | ") + " |")
    }
    #expect(
      Golden.difference(lines.joined(separator: "\n") + "\n", "Sources/Lifecycle/LIFECYCLE.md")
        == nil
    )
  }

  private static func word(_ event: LifecycleEvent) -> String {
    if case .end(let cause) = event { "end: \(cause.rawValue)" } else { "\(event)" }
  }

  private static func cell(_ answer: LifecycleResponse) -> String {
    guard !answer.steps.isEmpty else { return "–" }
    return answer.steps.map { step in
      switch step {
      case .become(let state): "**\(state.word)**"
      case .end: "**not-running**"
      case .call(let callback): "\(callback)"
      default: "*\(step)*"
      }
    }.joined(separator: ", ")
  }
}

@Suite struct NotificationQueueTests {
  @Test func pairsCancel() {
    var queue = NotificationQueue()
    queue.post("EAAccessoryDidConnect", key: "printer")
    queue.post("EAAccessoryDidConnect", key: "scanner")
    queue.post("EAAccessoryDidDisconnect", key: "printer")
    let net = queue.take()
    #expect(net.delivered.map(\.key) == ["scanner"])
    #expect(net.undone.map(\.type) == ["EAAccessoryDidConnect", "EAAccessoryDidDisconnect"])
    #expect(queue.isEmpty)
    queue.post("UIScreenDidDisconnectNotification", key: "tv")
    queue.post("UIScreenDidConnectNotification", key: "tv")
    queue.post("UIScreenDidDisconnectNotification", key: "tv")
    let tv = queue.take().delivered
    #expect(tv.map(\.type) == ["UIScreenDidDisconnectNotification"])
    #expect(tv.first?.posts == 3)
    // Where it is known what was so before, the last one counts against that.
    queue.post("UIScreenDidConnect", key: "tv", before: "UIScreenDidConnectNotification")
    #expect(queue.take().delivered.isEmpty)
    queue.post("UIScreenDidConnect", key: "tv", before: "UIScreenDidConnect")
    queue.post("UIScreenDidDisconnect", key: "tv")
    #expect(queue.take().delivered.map(\.type) == ["UIScreenDidDisconnect"])
  }

  @Test func theLastValueWins() {
    var queue = NotificationQueue()
    for value in ["10", "20", "30"] { queue.post("UIDeviceBatteryLevelDidChange", value: value) }
    queue.post("UIDeviceOrientationDidChange", value: "left", before: "portrait")
    queue.post("UIDeviceOrientationDidChange", value: "portrait")
    #expect(queue.take().delivered.map(\.value) == ["30"])
  }

  @Test func settingsAreOneWithAllTheirKeys() {
    var queue = NotificationQueue()
    for key in ["theme", "font", "theme", ""] {
      queue.post("NSUserDefaultsDidChange", key: key, value: "\(key)!")
    }
    let net = queue.take().delivered
    #expect(net.map(\.key) == ["theme,font"])
    #expect(net.map(\.value) == ["!"])
    #expect(net.map(\.posts) == [4])
  }

  @Test func tenThousandPostsCostOneEntry() {
    var queue = NotificationQueue()
    for number in 0..<10_000 {
      queue.post("NSCurrentLocaleDidChange", value: "")
      queue.post("UIScreenModeDidChange", key: "main", value: "\(number)")
    }
    #expect(queue.take().delivered.count == 2)
  }

  @Test func whatIsNotListedIsNotQueued() {
    var queue = NotificationQueue()
    #expect(queue.post("UITouch") == nil)
    #expect(queue.isEmpty)
    #expect(queue.dropped == 1)
  }

  @Test func noClassIsMoreThanOneDelivery() {
    let seed = SeededRandom.seed
    var random = SeededRandom(seed: seed)
    let types = NotificationClass.all.flatMap(\.types)
    for _ in 0..<200 {
      var queue = NotificationQueue()
      var changes: [String: Int] = [:]
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        let type = types[Int.random(in: 0..<types.count, using: &random)]
        queue.post(type, value: "\(Int.random(in: 0..<3, using: &random))")
        changes[NotificationClass.named(type)?.types[0] ?? "", default: 0] += 1
      }
      let delivered = queue.take().delivered.map {
        NotificationClass.named($0.type)?.types[0] ?? ""
      }
      #expect(Set(delivered).count == delivered.count, "seed \(seed)")
      for kind in delivered { #expect(changes[kind] != nil, "seed \(seed)") }
    }
  }
}
