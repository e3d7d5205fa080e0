// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTrace

extension Director {
  /// Plays the whole scenario.
  package func play() throws(HostError) -> ScenarioReport {
    try play(scenario.steps)
    tellPlannedEnds()
    for app in apps.indices { lookAtFiles(of: app) }
    return report
  }

  /// Plays some of its steps.
  package func play(_ steps: [Scenario.Step]) throws(HostError) {
    for step in steps where !gaveUp {
      if let limit, limit.isOver() {
        report.isCut = true
        gaveUp = true
      } else {
        try play(step)
      }
    }
  }

  /// Plays one step, and brings the director's knowledge up to date before it.
  package func play(_ step: Scenario.Step) throws(HostError) {
    place = step.place
    stepNumber = step.number
    report.steps += 1
    if step.steps.isEmpty { report.begins.append((world.now, place, step.number)) }
    if step.name.acts {
      seen.begin(at: world.now)
      asked.begin(at: world.now)
    }
    _ = wait(until: world.now) { false }
    if let name = step["app"], let index = scenario.apps.firstIndex(where: { $0.name == name }) {
      current = index
    }
    if isPassedOver(step) { return }
    try perform(step)
    if restarts { restart() }
    if let trouble { throw trouble }
  }

  // One line a step; what a step means stands in the file that its group is named after.
  private func perform(_ step: Scenario.Step) throws(HostError) {
    let app = current
    // A user who leaves for the home screen leaves the app in front, whichever it is.
    if step.name.needsProcess, !apps[app].isAlive, !apps[app].isPrewarmed,
      step.name != .home || front == nil
    {
      return fail("`\(apps[app].name)` is not running")
    }
    switch step.name {
    case .launch, .relaunch: launch(app, step)
    case .prewarm: prewarm(app)
    case .open: bringToFront(app, cause: "icon")
    case .openURL:
      // Unless the step names the asking app, it is the one that the user is in.
      let source =
        step["from"] ?? front.flatMap { $0 == app ? nil : apps[$0].configuration.identifier }
      bringToFront(app, cause: "url", url: .init(step["url"] ?? "", from: source))
    case .wait: wait(step)
    case .call: call(step["phase"] ?? "")
    case .interrupt:
      let reason = step["reason"] ?? "alert"
      step["phase"] == "begin" ? interrupt(reason) : endInterruption(reason)
    case .sms:
      interrupt("sms")
      step["phase"] == "accepted" ? acceptInterruption("sms") : endInterruption("sms")
    case .notificationCenter: phase(step, "notification-center")
    case .appSwitcher: phase(step, "app-switcher")
    case .banner: recordDevice("banner")
    case .home: leaveFront(cause: "home")
    case .lock: lock(passcode: step["passcode"] != "false")
    case .unlock: unlock()
    case .switchApp: switchApp(to: step["to"])
    case .wake:
      if let reason = step["reason"].flatMap(WakeReason.init) {
        wake(app, reason, payload: step["payload"] ?? "")
      }
    case .suspend: waitForSuspension(app)
    case .resume: happen(.resume, to: app, cause: "system")
    case .post: post(step)
    case .rotate: rotate(step["to"] ?? "")
    case .touch:
      var occasion = Occasion("touch")
      occasion.touch = .touch(view: step["view"] ?? "")
      happen(.touch, to: app, occasion)
    case .control: deliver(.control(step["what"] ?? ""), to: app)
    case .motion: deliver(.motion(step["what"] ?? ""), to: app)
    case .tell: tell(app, step)
    case .statusBar:
      barHeightSet = step["height"].flatMap { Int($0) } ?? barHeightSet
      isBarSetInCall = inCall
      // An app elsewhere hears of it at its return.
      if let front { happen(.statusBarChange, to: front, cause: "status-bar") }
    case .timeChange: post(SystemChange(type: "UIApplicationSignificantTimeChange"))
    case .memoryWarning: memoryWarning()
    case .memoryPressure: relieve(apps: Int(step["count"] ?? "") ?? 1)
    case .purge: purge(app, how: step["how"] ?? "suspended")
    case .terminate: end(app, .system)
    case .kill: userKill(app)
    case .crash: end(app, .crash)
    case .reboot: reboot(locked: step["locked"] == "true")
    case .mark: record(RecordedEvent(name: step["text"] ?? "") { _ in Payload.Mark() }, about: app)
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

  private func launch(_ app: Int, _ step: Scenario.Step) {
    let reason = step["reason"] ?? "icon"
    if step.name == .relaunch, apps[app].isAlive {
      tell("`\(apps[app].name)` was still running, and nothing was launched")
    }
    plan(step, app)
    if let work = WakeReason(rawValue: reason) {
      // A step that launches it wants it launched, though a user threw it out.
      apps[app].thrownOut = false
      wake(app, work, payload: step["payload"] ?? "", isAsked: true)
    } else {
      let url = step["url"].map { SystemEvent.OpenedURL($0, from: step["from"]) }
      let response = reason == "notification" ? step["payload"] ?? "" : nil
      if response == nil, step["payload"] != nil {
        tell(
          "the `payload` of the launch was dropped, as the icon brings none: say the `reason`, "
            + "notification for a tapped one, or a wake such as push"
        )
      }
      bringToFront(app, cause: reason, url: url, response: response)
    }
  }

  private func wait(_ step: Scenario.Step) {
    let app = current
    let within = step["within"]
    var limit: Int64 {
      world.now + scaled(Scenario.nanoseconds(within ?? Self.withinUsual) ?? 0)
    }
    let (isOpen, hint) = (within == nil, within == nil ? Self.waitedHint : "")
    if let state = step["until"].flatMap({ AppState(word: $0) }) {
      if !waitPatiently(
        until: limit,
        "\(apps[app].name) to be \(state.word)",
        isOpen: isOpen,
        {
          apps[app].state == state
        }
      ) {
        fail("`\(apps[app].name)` is \(apps[app].state.word), not \(state.word)", advice: hint)
      }
    } else if let question = step.question {
      ask(question, of: app, until: limit, isOpen: isOpen)
    } else if let condition = step.condition {
      waitForEvent(condition, in: app, until: limit, isOpen: isOpen)
    } else if let word = step["after"] {
      if !waitPatiently(
        until: limit,
        "\(apps[app].name) to say \(word)",
        isOpen: isOpen,
        {
          apps[app].heard.contains(word)
        }
      ) {
        fail("`\(apps[app].name)` did not say `\(word)`", advice: hint)
      }
    } else {
      let end = world.now + scaled(Scenario.nanoseconds(step["for"] ?? "0") ?? 0)
      _ = waitPatiently(until: end, "the time to pass") { false }
    }
  }

  /// Waits, and says so after a while; true also where an end that was planned has taken the app by then,
  /// as its steps are passed over from there.
  ///
  /// `isOpen` where the step says nothing of how long.
  private func waitPatiently(
    until time: Int64,
    _ what: String,
    isOpen: Bool = false,
    _ condition: () -> Bool
  ) -> Bool {
    let app = current
    guard let onWait, time - world.now > Self.patience else {
      return wait(until: time) { condition() || apps[app].hasFallen }
    }
    let early = world.now + Self.patience / 2
    if wait(until: early, { condition() || apps[app].hasFallen }) { return true }
    let left = (time - world.now) / 1_000_000_000 + 1
    onWait(place, "waiting for \(what), at most \(left) s more\(isOpen ? Self.withinHint : "")")
    return wait(until: time) { condition() || apps[app].hasFallen }
  }

  /// How long a step waits that does not say it.
  private static var withinUsual: String { "30s" }
  private static var withinHint: String { "; `within: 2s` in the step makes it shorter" }
  private static var waitedHint: String {
    "it was waited for \(withinUsual), as the step has no `within`"
  }

  /// Nanoseconds of real time that pass without a word.
  private static var patience: Int64 { 2_000_000_000 }

  private func waitForEvent(
    _ condition: EventCondition,
    in app: Int,
    until limit: Int64,
    isOpen: Bool
  ) {
    watch([condition.kind])
    world.isListening = true
    defer { world.isListening = false }
    if !waitPatiently(
      until: limit,
      "\(condition.text) of \(apps[app].name)",
      isOpen: isOpen,
      {
        seen.take(condition, of: app)
      }
    ) {
      let missed = seen.missedWords(of: app) ?? seen.forgottenWords(condition, of: app)
      fail(
        "`\(apps[app].name)` recorded no \(condition.text)\(missed == nil ? "" : " that was seen")",
        advice: missed ?? "since the step before it recorded: \(seen.summary(of: app))"
      )
    }
  }

  /// Waits until an expression holds; where it does not, the step has failed.
  private func ask(_ question: Question, of app: Int, until limit: Int64, isOpen: Bool = false) {
    world.isListening = true
    defer { world.isListening = false }
    // What was recorded up to here counts, though nobody has looked at it yet.
    for event in world.pump(until: world.now) { take(event) }
    let holds = waitPatiently(
      until: limit,
      "\(question.text) of \(apps[app].name)",
      isOpen: isOpen
    ) {
      asked.take(question, of: app, now: world.now)
    }
    if holds { return }
    let missed =
      question.needsEvent
      ? seen.missedWords(of: app) ?? asked.forgottenWords(question, of: app)
      : asked.missedWords(of: app)
    if let missed, asked.isOpen(question, of: app, now: world.now) {
      return fail("`\(apps[app].name)`: \(question.text) cannot be decided", advice: missed)
    }
    fail(
      "`\(apps[app].name)`: \(question.text) does not hold",
      advice: question.needsEvent
        ? "since the step before it recorded: \(seen.summary(of: app))"
        : asked.values(of: question, of: app, now: world.now)
    )
  }

  private func phase(_ step: Scenario.Step, _ reason: String) {
    step["phase"] == "open" ? interrupt(reason) : endInterruption(reason)
  }

  private func call(_ phase: String) {
    recordDevice("call", phase)
    switch phase {
    case "begin":
      (inCall, isBarSetInCall) = (true, false)
      interrupt("call")
    case "accept": acceptInterruption("call")
    default:
      inCall = false
      // An app that is active then, having come back during the call, sees the bar shrink.
      if let front { happen(.statusBarChange, to: front, cause: "call over") }
      endInterruption("call")
    }
  }

  private func switchApp(to name: String?) {
    if let name, let next = scenario.apps.firstIndex(where: { $0.name == name }) {
      current = next
      bringToFront(next, cause: "switch")
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
    if NotificationClass.named(change.type) == nil {
      for app in apps.indices where apps[app].state == .suspended && (only ?? app) == app {
        onNotice?(place, "`\(change.type)` does not wait for the suspended `\(apps[app].name)`")
      }
    }
    for _ in 0..<(Int(step["times"] ?? "1") ?? 1) { post(change, to: only) }
  }

  private func rotate(_ to: String) {
    recordDevice("orientation", to)
    let change = SystemChange(type: "UIDeviceOrientationDidChange", value: to)
    guard Orientation(rawValue: to)?.isFlat == true else {
      orientation = Orientation(rawValue: to) ?? orientation
      return post(change)
    }
    // Face up or down hides no turn from an app that is to hear of it at its return.
    for app in apps.indices where apps[app].executes { post(change, to: app) }
  }

  private func tell(_ app: Int, _ step: Scenario.Step) {
    guard apps[app].executes else {
      return fail(
        "`\(apps[app].name)` is \(apps[app].state.word) and cannot be told anything"
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
      if !wait(
        until: world.now + scaled(limit),
        { apps[app].state == state || apps[app].hasFallen }
      ) {
        let who = apps.count > 1 ? "`\(apps[app].name)`: " : ""
        fail("\(who)expected state \(state.word), found \(apps[app].state.word)")
      }
    case .said(let word, let limit):
      if !wait(
        until: world.now + scaled(limit),
        { apps[app].heard.contains(word) || apps[app].hasFallen }
      ) {
        fail("`\(apps[app].name)` has not said `\(word)`")
      }
    case .holds(let question, let limit):
      ask(question, of: app, until: world.now + scaled(limit))
    case .noViolations, .violation: report.judgedLater.append((expected, step.place))
    }
  }
}
