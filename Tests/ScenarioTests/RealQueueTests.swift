// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import ProbeCore
import Support
import TestThreads
import Testing
import LifetraceTrace

@Suite("Real processes hear of the net change", .serialized, .waits)
struct RealQueueTests {
  @Test("Each class once, on main, before the first touch; a cancelled pair not at all")
  func net() throws {
    let types = [
      "UIDeviceOrientationDidChange", "UIApplicationSignificantTimeChange",
      "UIDeviceBatteryLevelDidChange", "UIDeviceBatteryStateDidChange",
      "UIDeviceProximityStateDidChange", "UIScreenModeDidChange", "NSUserDefaultsDidChange",
      "NSCurrentLocaleDidChange", "NSUbiquityIdentityDidChange", "EAAccessoryDidConnect",
      "UIScreenDidConnect",
    ]
    var text = "app: probe\nprofile: ios7\ntime-scale: 0.05\nsteps:\n- launch\n- home\n- suspend\n"
    for type in types {
      text += "- post: {type: \(type), key: a, value: one}\n"
      text += "- post: {type: \(type), key: a, value: two}\n"
    }
    text += "- post: {type: EAAccessoryDidConnect, key: gone}\n"
    text += "- post: {type: EAAccessoryDidDisconnect, key: gone}\n"
    text += "- post: {type: UIDeviceBatteryLevelDidChange, value: \"5\", times: 10000}\n"
    text += "- open\n- touch: save\n"
    let played = try Played(text)
    let stream = try #require(played.streams.first { $0.attributes.app == "probe" })
    let resumed = try #require(stream.events.firstIndex { $0.kind == .resume })
    let touched = try #require(stream.events.firstIndex { $0.kind == .touch })
    let delivered = stream.events.filter { $0.kind == .notificationDelivered }
    #expect(
      delivered.map { played.name($0.identity) }.sorted()
        == (types + ["UIDeviceBatteryLevelDidChange"]).sorted()
    )
    #expect(delivered.allSatisfy { $0.thread == .main })
    #expect(stream.events[..<resumed].allSatisfy { $0.kind != .notificationDelivered })
    #expect(stream.events[touched...].allSatisfy { $0.kind != .notificationDelivered })
    #expect(!delivered.contains { played.name($0[0]) == "gone" })
    let values = delivered.filter { played.name($0[0]) == "a" }.map { played.name($0[1]) }
    #expect(Set(values) == ["two"])
  }

  @Test("A random life of a real process is what the model says", arguments: [11, 12] as [UInt64])
  func walk(seed: UInt64) throws {
    let walk = Walk(seed: seed, steps: 150)
    let by = seed % 2 == 0 ? "freezer" : "signal"
    let scenario = try Scenario(
      parsing: "app: probe\ntime-scale: 0.02\nsuspend-by: \(by)\nsteps: []\n",
      file: "walk.yml"
    )
    var starts: [Int64] = []
    let probe = ["\(TestProgram.products)/Probe"]
    var patient = Played.patient(scenario)
    // The model counts seconds of the scenario; a loaded machine takes more of them.
    patient.backgroundTask.kill = patient.launch.kill
    let played = try Played(scenario, command: probe, profile: patient) { host in
      defer { host.close() }
      for (index, event) in walk.events.enumerated() {
        starts.append(host.now)
        let text = "app: probe\ntime-scale: 0.02\nsteps:\n- \(event.rawValue)\n- wait: 1s"
        for step in try Scenario(parsing: text, file: "").steps { try host.play(step) }
        guard host.state() == walk.states[index] else {
          Issue.record(
            "seed \(seed), step \(index) \(event): \(host.state()), model \(walk.states[index])"
          )
          break
        }
      }
      return ScenarioReport()
    }
    compare(walk, starts, played.heard, seed: seed)
    #expect(played.violations.filter { $0.rule.hasPrefix("ST") }.isEmpty)
    #expect(played.leftBehind == 0)
  }
}
