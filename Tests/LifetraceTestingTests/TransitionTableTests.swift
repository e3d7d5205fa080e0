// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTesting
import LifetraceLifecycle
import ProbeCore
import Support
import Testing
import LifetraceTrace

/// The rows of the state table: a scenario that reaches a state, an event, and what must follow.
struct TransitionRow: Sendable, CustomTestStringConvertible {
  var from: String
  var event: String
  var state: AppState
  /// Only the state callbacks, without `application`.
  var callbacks: [String]

  var testDescription: String { "\(from), \(event)" }

  /// The steps that bring a fresh app into a state.
  static let reach: [String: String] = [
    "not running": "",
    "active": "- launch",
    "inactive": "- launch\n- interrupt: begin",
    "background": "- launch\n- tell: {task: hold}\n- home",
    "suspended": "- launch\n- home\n- suspend",
  ]

  init(_ from: String, _ event: String, _ state: AppState, _ callbacks: String = "") {
    self.from = from
    self.event = event
    self.state = state
    self.callbacks = callbacks.split(separator: " ").map(String.init)
  }

  static let launch = "willFinishLaunching didFinishLaunching"
  static let all: [TransitionRow] = [
    .init("not running", "launch", .active, launch + " DidBecomeActive"),
    .init("not running", "launch: {reason: push}", .suspended, launch + " push"),
    .init("not running", "wake: fetch", .suspended, launch + " fetch"),
    .init("not running", "open-url: x://y", .active, launch + " openURL DidBecomeActive"),
    .init("not running", "touch: view", .notRunning),
    .init("not running", "reboot", .notRunning),

    .init("active", "launch", .active),
    .init("active", "call: begin", .inactive, "WillResignActive"),
    .init("active", "banner", .active),
    .init("active", "sms: ignored", .active, "WillResignActive DidBecomeActive"),
    .init("active", "sms: accepted", .suspended, "WillResignActive DidEnterBackground"),
    .init("active", "home", .suspended, "WillResignActive DidEnterBackground"),
    .init("active", "switch", .suspended, "WillResignActive DidEnterBackground"),
    .init(
      "active",
      "lock",
      .suspended,
      "WillResignActive DidEnterBackground ProtectedDataWillBecomeUnavailable"
    ),
    .init("active", "wake: push", .active, "push"),
    .init("active", "memory-warning", .active, "DidReceiveMemoryWarning"),
    .init("active", "purge: {how: jetsam}", .notRunning),
    .init("active", "terminate", .notRunning, "WillTerminate"),
    .init("active", "kill", .notRunning, "WillResignActive WillTerminate"),
    .init("active", "reboot", .notRunning),
    .init("active", "crash", .notRunning),
    .init("active", "touch: view", .active, "touch"),
    .init("active", "time-change", .active, "SignificantTimeChange"),
    .init("active", "open-url: x://y", .active, "WillResignActive DidBecomeActive openURL"),

    .init("inactive", "interrupt: end", .active, "DidBecomeActive"),
    .init("inactive", "call: begin", .inactive),
    .init("inactive", "home", .suspended, "DidEnterBackground"),
    .init("inactive", "lock: {passcode: false}", .suspended, "DidEnterBackground"),
    .init("inactive", "wake: push", .inactive, "push"),
    .init("inactive", "memory-warning", .inactive, "DidReceiveMemoryWarning"),
    .init("inactive", "touch: view", .inactive),
    .init("inactive", "terminate", .notRunning, "WillTerminate"),
    .init("inactive", "purge: {how: jetsam}", .notRunning),
    .init("inactive", "reboot", .notRunning),

    .init("background", "open", .active, "WillEnterForeground DidBecomeActive"),
    .init("background", "open-url: x://y", .active, "WillEnterForeground openURL DidBecomeActive"),
    .init("background", "call: begin", .background),
    .init("background", "lock", .background, "ProtectedDataWillBecomeUnavailable"),
    .init("background", "wake: fetch", .background, "fetch"),
    .init("background", "tell: {end: hold}", .suspended),
    .init("background", "memory-warning", .background, "DidReceiveMemoryWarning"),
    .init("background", "purge: {how: polite}", .notRunning, "WillTerminate"),
    .init("background", "purge: {how: jetsam}", .notRunning),
    .init("background", "terminate", .notRunning, "WillTerminate"),
    .init("background", "kill", .notRunning, "WillTerminate"),
    .init("background", "reboot", .notRunning),
    .init("background", "touch: view", .background),
    .init("background", "time-change", .background, "SignificantTimeChange"),

    .init("suspended", "open", .active, "WillEnterForeground DidBecomeActive"),
    .init("suspended", "launch", .active, "WillEnterForeground DidBecomeActive"),
    .init("suspended", "open-url: x://y", .active, "WillEnterForeground openURL DidBecomeActive"),
    .init("suspended", "call: begin", .suspended),
    .init("suspended", "lock", .suspended),
    .init("suspended", "wake: fetch", .suspended, "fetch"),
    .init("suspended", "memory-warning", .suspended),
    .init("suspended", "touch: view", .suspended),
    .init("suspended", "time-change", .suspended),
    .init("suspended", "purge", .notRunning),
    .init("suspended", "terminate", .notRunning),
    .init("suspended", "kill", .notRunning),
    .init("suspended", "reboot", .notRunning),
  ]
}

@Suite("The state table, in virtual time")
@MainActor
struct TransitionTableTests {
  @Test("Each state and event", arguments: TransitionRow.all)
  func row(_ row: TransitionRow) throws {
    let reach = try #require(TransitionRow.reach[row.from])
    let text = "app: probe\nsteps:\n\(reach)\n- mark: here\n- \(row.event)\n- wait: 1s\n"
    let scenario = try Scenario(parsing: text, file: "row.yml")
    let simulator = Simulator(scenario) { ProbeDelegate() }
    let life = try simulator.play()
    #expect(simulator.state() == row.state)
    #expect(life.callbacksAfterMark == row.callbacks)
    // Whatever happens, every edge is one that the system makes.
    #expect(life.violations.filter { $0.rule.hasPrefix("ST") }.isEmpty)
  }
}

extension SimulatedLife {
  /// The callbacks behind the step `mark`, in the short words of the table.
  var callbacksAfterMark: [String] {
    // A mark about an app that does not run stands nowhere: then all of it is behind the mark.
    var seen = !events(.mark).contains { names[names[$0.site].name] == "here" }
    var out: [String] = []
    for stream in streams {
      for event in stream.events {
        let name = names[names[event.site].name]
        if event.kind == .mark, name == "here" { seen = true }
        if seen, event.kind == .callbackBegin { out += Self.short(name) }
      }
    }
    return out
  }

  private static func short(_ name: String) -> [String] {
    switch name {
    case "application:willFinishLaunchingWithOptions:": ["willFinishLaunching"]
    case "application:didFinishLaunchingWithOptions:": ["didFinishLaunching"]
    case "application:openURL:options:": ["openURL"]
    case "application:didReceiveRemoteNotification:fetchCompletionHandler:": ["push"]
    case "application:performFetchWithCompletionHandler:": ["fetch"]
    case "application:didReceiveUnhandledTouch:": ["touch"]
    case "application:didReceiveUnhandledControl:": ["control"]
    case _ where name.hasPrefix("told") || name.contains("ApplicationState"): []
    case _ where name.hasPrefix("application"): [String(name.dropFirst("application".count))]
    default: [name]
    }
  }
}
