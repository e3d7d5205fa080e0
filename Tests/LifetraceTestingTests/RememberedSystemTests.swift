// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceTesting
import LifetraceTrace
import Testing

/// What the system keeps in mind while an app does not run: what was there, who threw it out, the last turn.
@Suite("What the system remembers")
@MainActor
struct RememberedSystemTests {
  @Test(
    "What was there before counts, where it has a name: what comes twice is no change, and goes once",
    arguments: [
      (["Connect"], []), (["Connect", "Disconnect"], ["UIScreenDidDisconnect"]),
      (["Disconnect", "Connect"], []), (["Disconnect"], ["UIScreenDidDisconnect"]),
    ]
  )
  func halves(posts: [String], delivered: [String]) throws {
    let said = posts.map { "post: {type: UIScreenDid\($0), key: wall}" }.joined(separator: "; ")
    let (_, life) = try diary(
      "launch; post: {type: UIScreenDidConnect, key: wall}; home; suspend; \(said); open"
    )
    let told = life.events(.notificationDelivered).map { life.names[$0.identityName] }
    #expect(told == ["UIScreenDidConnect"] + delivered)
    #expect(life.verdicts.allSatisfy { !$0.rule.hasPrefix("NQ") || $0.outcome != .violated })
  }

  @Test("Face up or down is no value that a suspended app would hear of")
  func flatIsNoValue() throws {
    let (_, life) = try diary(
      "launch; home; suspend; rotate: landscape-left; rotate: face-up; open"
    )
    let values = life.events(.notificationDelivered).map { Payload.NotificationDelivered($0).value }
    #expect(values.map { life.names[$0] } == ["landscape-left"])
  }

  @Test(
    "A height of the status bar that is set in a call stays until it is set again",
    arguments: [
      ("call: begin; status-bar: 20; call: end", 0), ("call: begin; call: accept; open", 1),
    ]
  )
  func barInACall(steps: String, changes: Int) throws {
    let (_, life) = try diary("launch; \(steps)")
    #expect(life.callbacks().count { $0.contains("StatusBarFrame") } == changes)
  }

  @Test("A launch in the background does not undo that the user threw the app out")
  func staysOut() throws {
    var configuration = Application.Configuration(bundleIdentifier: "diary")
    configuration.backgroundModes = ["location", "fetch"]
    let (lines, _) = try diary(
      "launch; kill; wake: location; wait: 40s; terminate; wake: fetch; wait: 5s",
      profile: "ios17",
      configuration: configuration
    )
    #expect(lines.count { $0.hasPrefix("launched") } == 2)
  }
}
