// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import ProbeCore
import Testing
import LifetraceTrace

@Suite("Notifications queued while suspended")
@MainActor
struct QueueTests {
  /// Posts, then what is delivered at the wake-up, as `type key value`.
  struct Case: Sendable, CustomTestStringConvertible {
    var posts: [String]
    var delivered: [String]
    var testDescription: String { posts.joined(separator: "; ") }
  }

  nonisolated static let cases: [Case] = [
    Case(posts: ["EAAccessoryDidConnect a -"], delivered: ["EAAccessoryDidConnect a "]),
    Case(posts: ["EAAccessoryDidConnect a -", "EAAccessoryDidDisconnect a -"], delivered: []),
    Case(
      posts: ["EAAccessoryDidConnect a -", "EAAccessoryDidDisconnect b -"],
      delivered: ["EAAccessoryDidConnect a ", "EAAccessoryDidDisconnect b "]
    ),
    Case(
      posts: [
        "EAAccessoryDidConnect a -", "EAAccessoryDidDisconnect a -", "EAAccessoryDidConnect a -",
      ],
      delivered: ["EAAccessoryDidConnect a "]
    ),
    Case(
      posts: ["UIDeviceOrientationDidChange - landscape-left"],
      delivered: ["UIDeviceOrientationDidChange  landscape-left"]
    ),
    Case(
      posts: [
        "UIDeviceOrientationDidChange - landscape-left", "UIDeviceOrientationDidChange - portrait",
      ],
      delivered: []
    ),
    Case(
      posts: ["UIApplicationSignificantTimeChange - -", "UIApplicationSignificantTimeChange - -"],
      delivered: ["UIApplicationSignificantTimeChange  "]
    ),
    Case(
      posts: ["UIDeviceBatteryLevelDidChange - 80", "UIDeviceBatteryLevelDidChange - 79"],
      delivered: ["UIDeviceBatteryLevelDidChange  79"]
    ),
    Case(
      posts: ["UIDeviceBatteryStateDidChange - charging"],
      delivered: ["UIDeviceBatteryStateDidChange  charging"]
    ),
    Case(
      posts: ["UIDeviceProximityStateDidChange - near"],
      delivered: ["UIDeviceProximityStateDidChange  near"]
    ),
    Case(
      posts: ["UIScreenDidConnect tv -", "UIScreenDidDisconnect tv -"],
      delivered: []
    ),
    Case(posts: ["UIScreenModeDidChange - 720p"], delivered: ["UIScreenModeDidChange  720p"]),
    Case(
      posts: ["NSUserDefaultsDidChange - a", "NSUserDefaultsDidChange - b"],
      delivered: ["NSUserDefaultsDidChange  b"]
    ),
    Case(
      posts: ["NSCurrentLocaleDidChange - de_DE", "NSCurrentLocaleDidChange - sv_SE"],
      delivered: ["NSCurrentLocaleDidChange  sv_SE"]
    ),
    Case(
      posts: ["NSUbiquityIdentityDidChange - none"],
      delivered: ["NSUbiquityIdentityDidChange  none"]
    ),
    Case(posts: ["UIKeyboardWillShow - -"], delivered: []),
  ]

  static func steps(_ posts: [String]) -> String {
    posts.map { post in
      let words = post.split(separator: " ").map { $0 == "-" ? "\"\"" : String($0) }
      return "- post: {type: \(words[0]), key: \(words[1]), value: \(words[2])}\n"
    }
    .joined()
  }

  private func life(_ steps: String) throws -> SimulatedLife {
    let head = """
      app: probe
      profile: ios7
      steps:
      - launch
      - post: {type: UIDeviceOrientationDidChange, value: portrait}
      - home
      - suspend

      """
    let scenario = try Scenario(parsing: head + steps, file: "queue.yml")
    return try Simulator(scenario) { ProbeDelegate() }.play()
  }

  /// Deliveries after the suspension.
  private func delivered(_ life: SimulatedLife) -> [String] {
    let events = life.streams.flatMap(\.events)
    let resumed = events.firstIndex { $0.kind == .resume } ?? events.count
    return events[resumed...].filter { $0.kind == .notificationDelivered }.map { event in
      let words = [event.identityName, NameID(rawValue: UInt32(event[0]))].map { life.names[$0] }
      return words.joined(separator: " ") + " " + life.names[NameID(rawValue: UInt32(event[1]))]
    }
  }

  @Test("Each class arrives once, with its net value", arguments: cases)
  func netted(_ one: Case) throws {
    let life = try life(Self.steps(one.posts) + "- open\n- touch: view\n")
    #expect(delivered(life) == one.delivered)
    let events = life.streams.flatMap(\.events)
    let touch = try #require(events.firstIndex { $0.kind == .touch })
    let last = events.lastIndex { $0.kind == .notificationDelivered } ?? 0
    #expect(last < touch)
    #expect(events.filter { $0.kind == .notificationDelivered }.allSatisfy { $0.thread == .main })
  }

  @Test("Ten thousand posts take the room of one")
  func bounded() throws {
    let life = try life(
      "- post: {type: UIDeviceBatteryLevelDidChange, value: 5, times: 10000}\n- open\n"
    )
    #expect(delivered(life) == ["UIDeviceBatteryLevelDidChange  5"])
  }

  @Test("The queue dies with its app, and that is recorded")
  func dropped() throws {
    let life = try life(
      "- post: {type: NSCurrentLocaleDidChange, value: de_DE}\n- purge\n- relaunch\n"
    )
    #expect(life.events(.notificationDropped).count == 1)
    #expect(delivered(life).isEmpty)
  }
}
