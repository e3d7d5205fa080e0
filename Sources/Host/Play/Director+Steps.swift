// SPDX-License-Identifier: Apache-2.0
import HostWire
import Lifecycle
import Recorder
import Trace

extension Director {
  /// Plays the whole scenario.
  package func play() throws(HostError) -> ScenarioReport {
    try play(scenario.steps)
    return report
  }

  /// Plays some of its steps.
  package func play(_ steps: [Scenario.Step]) throws(HostError) {
    for step in steps { try play(step) }
  }

  /// Plays one step, and brings the director's knowledge up to date before it.
  package func play(_ step: Scenario.Step) throws(HostError) {
    place = step.place
    report.steps += 1
    _ = wait(until: world.now) { false }
    if let name = step["app"], let index = scenario.apps.firstIndex(where: { $0.name == name }) {
      current = index
    }
    try perform(step)
  }

  // One line a step; what a step means stands in the file that its group is named after.
  private func perform(_ step: Scenario.Step) throws(HostError) {
    let app = current
    switch step.name {
    case .launch, .relaunch: try launch(app, step)
    case .open: try bringToFront(app, cause: "icon")
    case .openURL: try bringToFront(app, cause: "url", url: step["url"] ?? "")
    case .wait: try wait(step)
    case .call: call(step["phase"] ?? "")
    case .interrupt:
      let reason = step["reason"] ?? "alert"
      step["phase"] == "begin" ? interrupt(reason) : endInterruption(reason)
    case .sms:
      interrupt("sms")
      step["phase"] == "accepted" ? leaveFront(cause: "sms") : endInterruption("sms")
    case .notificationCenter: phase(step, "notification-center")
    case .appSwitcher: phase(step, "app-switcher")
    case .banner: recordDevice("banner")
    case .home: leaveFront(cause: "home")
    case .lock: lock(passcode: step["passcode"] != "false")
    case .unlock: try unlock()
    case .switchApp: try switchApp(to: step["to"])
    case .wake: try wake(app, step)
    case .suspend: waitForSuspension(app)
    case .resume: wakeUp(app, reason: "system")
    case .post: post(step)
    case .rotate: rotate(step["to"] ?? "")
    case .touch: touch(app, .touch(view: step["view"] ?? ""))
    case .control: deliver(.control(step["what"] ?? ""), to: app)
    case .motion: deliver(.motion(step["what"] ?? ""), to: app)
    case .tell: tell(app, step)
    case .statusBar: changeStatusBar(app, to: Int(step["height"] ?? "") ?? 20)
    case .timeChange:
      post(SystemChange(type: "UIApplicationSignificantTimeChange", key: "", value: ""))
    case .memoryWarning: memoryWarning()
    case .memoryPressure: relieve(apps: Int(step["count"] ?? "") ?? 1)
    case .purge: purge(app, how: step["how"] ?? "suspended")
    case .terminate: terminate(app, cause: "system")
    case .kill: userKill(app)
    case .crash: die(app, Death(cause: "crash", code: 11))
    case .reboot: reboot()
    case .mark: record(RecordedEvent(.mark, name: step["text"] ?? ""), about: app)
    case .expect: check(step)
    case .repeated:
      for _ in 0..<(Int(step["times"] ?? "") ?? 0) { try play(step.steps) }
    case .choose:
      for _ in 0..<(Int(step["times"] ?? "1") ?? 1) {
        guard let chosen = step.steps.randomElement(using: &generator) else { break }
        try play(chosen)
      }
    }
  }

  /// A step that cannot be played as things stand.
  func fail(_ message: String, advice: String = "") {
    report.failures.append(ScenarioProblem(place: place, message: message, advice: advice))
  }

  private func launch(_ app: Int, _ step: Scenario.Step) throws(HostError) {
    let reason = step["reason"] ?? "icon"
    if let wake = WakeReason(rawValue: reason) {
      guard !apps[app].isAlive else { return try self.wake(app, step) }
      try start(app, reason: reason, wake: wake)
      if apps[app].isAlive { begin(wake, in: app, payload: "") }
    } else {
      try bringToFront(app, cause: reason, url: step["url"])
    }
  }

  private func wait(_ step: Scenario.Step) throws(HostError) {
    let app = current
    let limit = world.now + scaled(nanoseconds(of: step["within"] ?? "30s") ?? 0)
    if let state = step["until"].flatMap(AppState.init(scenarioName:)) {
      if !wait(until: limit, { apps[app].state == state }) {
        fail("`\(apps[app].name)` is \(apps[app].state.scenarioName), not \(state.scenarioName)")
      }
    } else if let word = step["after"] {
      if !wait(until: limit, { apps[app].heard.contains(word) }) {
        fail("`\(apps[app].name)` did not say `\(word)`")
      }
    } else {
      pass(scaled(nanoseconds(of: step["for"] ?? "0") ?? 0))
    }
  }

  private func phase(_ step: Scenario.Step, _ reason: String) {
    step["phase"] == "open" ? interrupt(reason) : endInterruption(reason)
  }

  private func call(_ phase: String) {
    recordDevice("call", phase)
    switch phase {
    case "begin":
      inCall = true
      interrupt("call")
    case "accept": leaveFront(cause: "call")
    default:
      inCall = false
      endInterruption("call")
    }
  }

  private func switchApp(to name: String?) throws(HostError) {
    if let name, let next = scenario.apps.firstIndex(where: { $0.name == name }) {
      current = next
      try bringToFront(next, cause: "switch")
    } else {
      leaveFront(cause: "switch")
    }
  }

  private func post(_ step: Scenario.Step) {
    let change = SystemChange(
      type: step["type"] ?? "",
      key: step["key"] ?? "",
      value: step["value"] ?? ""
    )
    let only = step["app"] == nil ? nil : current
    for _ in 0..<(Int(step["times"] ?? "1") ?? 1) { post(change, to: only) }
  }

  private func rotate(_ to: String) {
    recordDevice("orientation", to)
    post(SystemChange(type: "UIDeviceOrientationDidChange", key: "", value: to))
  }

  private func touch(_ app: Int, _ event: SystemEvent) {
    // Only an active app hears of touches; in any other state they go nowhere.
    if apps[app].state == .active { deliver(event, to: app) }
  }

  private func tell(_ app: Int, _ step: Scenario.Step) {
    guard apps[app].executes else {
      return fail(
        "`\(apps[app].name)` is \(apps[app].state.scenarioName) and cannot be told anything"
      )
    }
    for argument in step.arguments where argument.name != "app" {
      deliver(.tell(word: argument.name, value: .string(argument.value)), to: app)
    }
  }

  private func check(_ step: Scenario.Step) {
    let app = current
    guard let expected = step["that"].flatMap(Expectation.init) else { return }
    switch expected {
    case .state(let state, let limit):
      if !wait(until: world.now + scaled(limit), { apps[app].state == state }) {
        fail("expected state \(state.scenarioName), found \(apps[app].state.scenarioName)")
      }
    case .said(let word):
      if !apps[app].heard.contains(word) { fail("`\(apps[app].name)` has not said `\(word)`") }
    case .noViolations, .violation: report.judgedLater.append((expected, step.place))
    }
  }
}
