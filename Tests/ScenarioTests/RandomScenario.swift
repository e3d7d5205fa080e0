// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceLifecycle
import Support
import Testing

/// A scenario of random steps, wider than what the life model knows.
///
/// Two apps, posts, motion, the status bar, several ways to come and to end. A second passes after
/// each step.
struct RandomScenario: CustomTestStringConvertible {
  var seed: UInt64
  var steps: Int
  var testDescription: String { "seed \(seed)" }

  private static let usual = [
    "open: A", "open: B", "home", "switch: A", "switch: B", "switch", "lock",
    "lock: {passcode: false}", "unlock", "call: begin", "call: end", "call: accept",
    "interrupt: begin", "interrupt: end", "sms: ignored", "sms: accepted",
    "notification-center: open", "notification-center: close", "app-switcher: open",
    "app-switcher: close", "banner", "wake: {app: A, reason: push}",
    "wake: {app: B, reason: fetch}",
    "wake: {app: A, reason: location}", "wake: {app: B, reason: bluetooth}",
    "wake: {app: A, reason: url-session}", "wake: {app: A, reason: processing}",
    "open-url: {app: A, url: x://y}", "launch: {app: B, reason: push}",
    "launch: {app: A, reason: notification}", "suspend: A", "resume: B",
    "post: {type: NSCurrentLocaleDidChange, value: sv_SE}",
    "post: {type: UIDeviceBatteryLevelDidChange, value: 7, times: 3}",
    "post: {type: EAAccessoryDidConnect, key: printer}",
    "post: {type: EAAccessoryDidDisconnect, key: printer}",
    "post: {type: NSUserDefaultsDidChange, key: theme, value: dark}",
    "post: {type: NSUserDefaultsDidChange, key: font, value: serif}",
    "post: {type: UIDeviceProximityStateDidChange, value: near}",
    "post: {type: UIDeviceProximityStateDidChange, value: far}",
    "rotate: landscape-left", "rotate: portrait", "touch: {app: A, view: save}", "control: play",
    "motion: shake", "status-bar: 40", "status-bar: 20", "time-change", "memory-warning",
    "tell: {app: A, task: upload}", "tell: {app: A, end: upload}",
    "tell: {app: B, preserve: \"yes\"}",
    "expect: {app: A, that: state == active}",
  ]
  private static let ends = [
    "purge: A", "purge: {app: B, how: polite}", "purge: {app: A, how: jetsam}", "terminate: B",
    "kill: A", "kill: B", "crash: A", "reboot",
  ]

  func text(timeScale: Double) -> String {
    var generator = SeededRandom(seed: seed)
    var lines = [
      "apps: [A, B]", "profile: \(["ios7", "ios4", "classic"][Int(seed % 3)])",
      "time-scale: \(timeScale)", "steps:", "- launch: A",
    ]
    for _ in 0..<steps {
      // Ends are rare, so that lives are long.
      let isEnd = Int.random(in: 0..<10, using: &generator) == 0
      let step = (isEnd ? Self.ends : Self.usual).randomElement(using: &generator) ?? "home"
      lines += ["- \(step)", "- wait: 1s"]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
