// SPDX-License-Identifier: Apache-2.0
import Lifecycle
import Support
import Testing
import Trace

/// The whole small world: every event in every state under every condition.
@Suite struct LifecycleModelTests {
  static let worlds: [LifecycleConditions] = {
    var worlds: [LifecycleConditions] = []
    for profile in Profile.all {
      for bits in 0..<128 {
        var one = LifecycleConditions()
        one.profile = profile
        one.hasPasscode = bits & 1 != 0
        one.isStillInterrupted = bits & 2 != 0
        one.exitsOnSuspend = bits & 4 != 0
        one.holdsSharedLock = bits & 8 != 0
        one.hasSavedState = bits & 16 != 0
        one.userKillIsPolite = bits & 32 != 0
        one.profile.hasMultitasking = bits & 64 == 0
        worlds.append(one)
      }
    }
    return worlds
  }()

  @Test func everyAnswerMovesAlongLegalEdgesAndCallsOnlyWhoRuns() {
    for given in Self.worlds {
      for state in AppState.allCases {
        for event in LifecycleEvent.allCases {
          let answer = LifecycleModel.response(to: event, in: state, given)
          var now = state
          for step in answer.steps {
            switch step {
            case .become(let next):
              #expect(now.canBecome(next), "\(event) in \(state): \(now) > \(next)")
              now = next
            case .call, .deliver, .deliverQueue, .handleWake, .expireTasks:
              #expect(now.executes == true, "\(event) in \(state): \(step) in \(now)")
            case .queue: #expect(now == .suspended)
            case .drop: break
            }
          }
          if !given.profile.hasMultitasking || given.exitsOnSuspend, state == .active {
            #expect(now != .background || event == .wake, "\(event) leaves it in the background")
          }
        }
      }
    }
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

  @Test func aBackgroundLaunchIsNeverInactive() {
    let answer = LifecycleModel.response(to: .wake, in: .notRunning)
    #expect(answer.states == [.background])
    #expect(answer.steps.last == .handleWake)
  }

  /// The table as documents show it.
  @Test func theTable() {
    var lines = ["# State, event, what the system does", ""]
    lines.append("Made from `LifecycleModel` by a test; states as in `AppState`.")
    lines.append("")
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
    #expect(queue.deliver().map(\.key) == ["scanner"])
    #expect(queue.isEmpty)
    queue.post("UIScreenDidDisconnectNotification", key: "tv")
    queue.post("UIScreenDidConnectNotification", key: "tv")
    queue.post("UIScreenDidDisconnectNotification", key: "tv")
    let tv = queue.deliver()
    #expect(tv.map(\.type) == ["UIScreenDidDisconnectNotification"])
    #expect(tv.first?.posts == 3)
  }

  @Test func theLastValueWins() {
    var queue = NotificationQueue()
    for value in ["10", "20", "30"] { queue.post("UIDeviceBatteryLevelDidChange", value: value) }
    queue.post("UIDeviceOrientationDidChange", value: "left", before: "portrait")
    queue.post("UIDeviceOrientationDidChange", value: "portrait")
    #expect(queue.deliver().map(\.value) == ["30"])
  }

  @Test func settingsAreOneWithAllTheirKeys() {
    var queue = NotificationQueue()
    for key in ["theme", "font", "theme"] {
      queue.post("NSUserDefaultsDidChange", key: key, value: key)
    }
    #expect(queue.deliver().map(\.value) == ["theme,font"])
  }

  @Test func tenThousandPostsCostOneEntry() {
    var queue = NotificationQueue()
    for number in 0..<10_000 {
      queue.post("NSCurrentLocaleDidChange", value: "")
      queue.post("UIScreenModeDidChange", key: "main", value: "\(number)")
    }
    #expect(queue.deliver().count == 2)
  }

  @Test func whatIsNotListedIsNotQueued() {
    var queue = NotificationQueue()
    queue.post("UITouch")
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
      let delivered = queue.deliver().map { NotificationClass.named($0.type)?.types[0] ?? "" }
      #expect(Set(delivered).count == delivered.count, "seed \(seed)")
      for kind in delivered { #expect(changes[kind] != nil, "seed \(seed)") }
    }
  }
}
