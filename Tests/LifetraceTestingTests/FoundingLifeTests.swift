// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import LifetraceScenario
import LifetraceTesting
import Testing
import LifetraceTrace

/// What the founding documents say of the system, in places where it is easily forgotten.
@Suite("The system of the guides")
@MainActor
struct FoundingLifeTests {
  @Test("Memory is taken from the largest app, among those that execute too")
  func largestFirst() throws {
    let steps = ["small", "large"].flatMap {
      ["launch: \($0)", "tell: {app: \($0), task: work}", "home"]
    }
    let text = "apps: [small, large]\nsteps:\n- " + steps.joined(separator: "\n- ")
    let scenario = try Scenario(parsing: text + "\n- memory-pressure\n", file: "m.yml")
    let simulator = Simulator(
      scenario,
      apps: ["small", "large"].map { (.init(bundleIdentifier: $0), { Diary() }) }
    )
    simulator.setFootprint(5 << 20, ofApp: 0)
    simulator.setFootprint(120 << 20, ofApp: 1)
    _ = try simulator.play()
    #expect(simulator.state(ofApp: 0) == .background)
    #expect(simulator.state(ofApp: 1) == .notRunning)
  }

  @Test("An app that exits on suspend is launched for each wake, and ended when it is handled")
  func exitsAfterWake() throws {
    var configuration = Application.Configuration(bundleIdentifier: "diary")
    configuration.exitsOnSuspend = true
    let (lines, life) = try diary(
      "wake: fetch; wait: 5s; expect: state == not-running; wake: fetch; wait: 5s; "
        + "launch; home; wait: 5s; wake: fetch; wait: 5s",
      configuration: configuration
    )
    let woken = ["launched by fetch, background", "ends background"]
    let used = ["launched, inactive", "active active", "resigns active", "ends inactive"]
    #expect(lines == woken + woken + used + woken)
    #expect(life.report.failures.isEmpty)
    #expect(life.events(.suspend).isEmpty)
  }

  @Test("Each task is told of its expiry, one that begins in the last seconds too")
  func lateTask() throws {
    let steps = "launch; tell: {task: early}; home; wait: 27s; tell: {task: late}; wait: 5s"
    let (_, life) = try diary(steps)
    #expect(life.events(.taskExpire).map(\.identity) == [1, 2])
  }

  @Test(
    "At the lock: as S2 has it, as iOS 4 had it, and as it is now",
    arguments: [
      ("classic", ["resigns active", "left inactive"]), ("ios4", ["resigns active"]),
      ("ios13", ["resigns active", "left background"]),
    ]
  )
  func lock(profile: String, expected: [String]) throws {
    let (lines, life) = try diary("launch; lock; wait: 1s; unlock", profile: profile)
    #expect(Array(lines.dropFirst(2).prefix(expected.count)) == expected)
    #expect(lines.last == "active active")
    #expect(lines.contains("left background") == (profile == "ios13"))
    #expect(life.events(.suspend).isEmpty == (profile == "ios4"))
  }

  @Test("The last upright orientation counts: a device that is laid flat has turned all the same")
  func flat() throws {
    func turns(_ steps: String) throws -> Int {
      let text = "app: turns\nsteps:\n- launch\n- \(steps.replacing("; ", with: "\n- "))\n"
      let scenario = try Scenario(parsing: text, file: "t.yml")
      let life = try Simulator(scenario) { Turning() }.play()
      return life.callbacks().count { $0.hasPrefix("didRotate") }
    }
    #expect(try turns("home; suspend; rotate: landscape-left; rotate: face-up; open") == 1)
    #expect(try turns("rotate: landscape-left; rotate: face-up; home; suspend; open") == 1)
    #expect(
      try turns("home; suspend; rotate: landscape-left; rotate: portrait; rotate: face-up; open")
        == 0
    )
  }

  private final class Turning: ApplicationDelegate {
    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      let window = Window(name: "window")
      window.rootViewController = ViewController(name: "controller", view: View(name: "page"))
      application.keyWindow = window
      return true
    }
  }

  @Test(
    "What is back where it was is no change, on a fresh device too",
    arguments: [
      ("post: {type: UIDeviceProximityStateDidChange, value: 1}", "0", 0),
      ("post: {type: UIDeviceProximityStateDidChange, value: near}", "far", 0),
      ("post: {type: UIDeviceProximityStateDidChange, value: far}", "near", 1),
    ]
  )
  func netAgainstTheUnknown(first: String, last: String, deliveries: Int) throws {
    let second = "post: {type: UIDeviceProximityStateDidChange, value: \(last)}"
    let (_, life) = try diary("launch; home; suspend; \(first); \(second); open")
    #expect(life.events(.notificationDelivered).count == deliveries)
  }

  @Test(
    "UIKit's own names of notifications and the short ones are the same",
    .serialized,
    arguments: ["", "Notification"]
  )
  func names(suffix: String) throws {
    let (lines, _) = try diary(
      "launch; post: UIApplicationSignificantTimeChange\(suffix); "
        + "post: {type: NSCurrentLocaleDidChange\(suffix), value: da}"
    )
    #expect(
      Array(lines.dropFirst(2)) == [
        "UIApplicationSignificantTimeChange\(suffix)  active", "time active",
        "NSCurrentLocaleDidChange\(suffix) da active",
      ]
    )
  }

  @Test("Spelt in both ways while suspended it is one change, delivered once")
  func mixedNames() throws {
    let (_, life) = try diary(
      "launch; home; suspend; post: {type: NSCurrentLocaleDidChange, value: da}; "
        + "post: {type: NSCurrentLocaleDidChangeNotification, value: sv}; open"
    )
    let delivered = life.events(.notificationDelivered)
    #expect(delivered.map { life.names[Payload.NotificationDelivered($0).value] } == ["sv"])
    #expect(life.events(.notificationDropped).isEmpty)
  }

  @Test("An accessory is taken from an app that leaves, and given back at its return")
  func accessories() throws {
    func heard(
      _ steps: String,
      modes: [String] = [],
      observes: Bool = true
    ) throws -> [String] {
      let text = "app: a\nsteps:\n- launch\n- \(steps.replacing("; ", with: "\n- "))\n"
      let scenario = try Scenario(parsing: text, file: "a.yml")
      var configuration = Application.Configuration(bundleIdentifier: "a")
      configuration.backgroundModes = modes
      let radio = Radio(observes: observes)
      _ = try Simulator(scenario, configuration: configuration) { radio }.play()
      return radio.heard
    }
    let plug = "post: {type: EAAccessoryDidConnect, key: kb}"
    let pull = "post: {type: EAAccessoryDidDisconnect, key: kb}"
    let (on, off) = ("+kb active", "-kb background")
    #expect(try heard("\(plug); home; wait: 10s; open") == [on, off, "+kb inactive"])
    #expect(try heard("\(plug); home; suspend; \(pull); open") == [on, off])
    #expect(
      try heard("\(plug); home; suspend; \(pull); \(plug); open") == [on, off, "+kb inactive"]
    )
    #expect(try heard("home; suspend; \(plug); open; home; open").count == 3)
    #expect(try heard("\(plug); home; wait: 10s; open", modes: ["external-accessory"]) == [on])
    // An app without an observer has not registered for it.
    #expect(try heard("\(plug); home; open", observes: false) == [])
  }

  private final class Radio: ApplicationDelegate {
    let observes: Bool
    private(set) var heard: [String] = []
    init(observes: Bool) { self.observes = observes }

    func application(
      _ application: Application,
      didFinishLaunchingWithOptions options: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      guard observes else { return true }
      let center = application.notificationCenter
      center.addObserver(forName: .accessoryDidConnect) { [unowned self] in
        heard.append("+\($0.key) \(application.applicationState)")
      }
      center.addObserver(forName: .accessoryDidDisconnect) { [unowned self] in
        heard.append("-\($0.key) \(application.applicationState)")
      }
      return true
    }
  }

  @Test("The status bar stays as it was set, and a change elsewhere is told at the return, net")
  func statusBar() throws {
    func bars(_ steps: String) throws -> [String] {
      try diary("launch; " + steps).lines.filter { $0.hasPrefix("bar") }
    }
    #expect(try bars("status-bar: 40; interrupt: begin; interrupt: end; home; open").count == 1)
    #expect(
      try bars("home; suspend; status-bar: 40; open") == ["bar 20 to 40 inactive"]
    )
    #expect(try bars("home; status-bar: 40; suspend; status-bar: 20; open").isEmpty)
    // A call makes it as high, and its end leaves what was set.
    #expect(try bars("status-bar: 40; call: begin; call: end").count == 1)
  }

  @Test(
    "A hang outside a transition is borne; one that the system waits for is not",
    arguments: [
      ("touch: view", true), ("tell: {pass: 12}", true), ("tell: {pass: 15}; home", true),
      ("tell: {pass: 60}; home", false),
    ]
  )
  func hang(steps: String, lives: Bool) throws {
    let (_, life) = try diary("launch; \(steps)")
    #expect(life.events(.processExit).isEmpty == lives)
  }

  @Test("The notification that an app comes to the foreground: at a cold launch, with scenes")
  func sceneComes() throws {
    var configuration = Application.Configuration(bundleIdentifier: "diary")
    configuration.scenes = true
    let name = "UIApplicationWillEnterForegroundNotification"
    let with = try diary("launch", configuration: configuration, hasScene: true).lines
    #expect(with.contains("scene comes inactive"))
    #expect(with.count { $0.hasPrefix(name) } == 1)
    // The app delegate's method is not called, and without scenes neither is there a notification.
    #expect(!with.contains { $0.hasPrefix("returns") })
    #expect(try !diary("launch").lines.contains { $0.hasPrefix(name) })
    let later = try diary("wake: fetch; open", configuration: configuration, hasScene: true).lines
    #expect(later.count { $0.hasPrefix(name) } == 1)
  }

  @Test("A launch in classic has five seconds", arguments: [(4.8, true), (5.3, false)])
  func launch(seconds: Double, lives: Bool) throws {
    let (_, life) = try diary("launch", profile: "classic", launchSeconds: seconds)
    #expect(life.events(.processExit).isEmpty == lives)
  }

  @Test("A property list with a storyboard and a nib is told")
  func twoInterfaces() throws {
    let both = ["UIMainStoryboardFile": "Main", "NSMainNibFile": "Window"]
    let told = try diary(
      "launch",
      configuration: .init(bundleIdentifier: "diary", infoDictionary: both)
    ).life
    let logs = told.events(.log).map { told.names[Payload.Log($0).text] }
    #expect(logs.contains { $0.contains("(Main)") && $0.contains("(Window)") }, "\(logs)")
  }

  @Test("What no responder wants reaches the application object; a shake only in front")
  func lastResponder() throws {
    let (lines, _) = try diary(
      "launch; touch: page; control: shake; control: play; home; tell: {task: play}; "
        + "control: shake; control: play"
    )
    #expect(
      lines.filter { $0.hasPrefix("touch") || $0.hasPrefix("control") } == [
        "touch page active", "control shake active", "control play active",
        "control play background",
      ]
    )
  }

  @Test("A tapped notification brings the app to the front, with its option and its callback")
  func tapped() throws {
    let tap = "launch: {reason: notification, payload: reply}"
    #expect(
      try diary(tap).lines == [
        "launched by tapped, inactive", "tapped reply inactive", "active active",
      ]
    )
    #expect(
      try diary("launch; home; suspend; \(tap)").lines.suffix(4) == [
        "returns background", "UIApplicationWillEnterForegroundNotification  background",
        "tapped reply inactive", "active active",
      ]
    )
  }

  @Test(
    "Each reason of a launch has its key",
    arguments: ["push", "fetch", "location", "bluetooth", "voip", "url-session", "processing"]
  )
  func keys(reason: String) throws {
    #expect(
      try diary("launch: {reason: \(reason)}").lines.first == "launched by \(reason), background"
    )
  }

  @Test("Before the first unlock after a boot protected files are closed")
  func beforeFirstUnlock() throws {
    let (lines, _) = try diary("reboot: {locked: true}; launch; unlock")
    #expect(
      lines == [
        "launched, inactive", "protected inactive", "available inactive", "active active",
      ]
    )
    #expect(try diary("reboot; wake: push").lines == ["launched by push, background"])
    let life = try diary("reboot: {locked: true}; launch; unlock; lock").life
    let app = try #require(life.streams.first { $0.attributes.role == .app })
    let locks = app.events.filter { $0.kind == .device }.map { event in
      let device = Payload.Device(event)
      return "\(life.names[device.what]) \(life.names[device.value ?? .empty])"
    }
    #expect(locks == ["lock before-first-unlock", "unlock ", "lock passcode"])
  }

  @Test("A lock without a passcode closes no protected files, for apps launched behind it neither")
  func lockWithoutPasscode() throws {
    let behind = "launch; lock: {passcode: false}; wait: 5s; purge; relaunch"
    #expect(
      try diary("\(behind); unlock; lock; wait: 5s; unlock").lines.dropFirst(4) == [
        "launched, inactive", "active active", "resigns active", "left background",
        "available background", "returns background",
        "UIApplicationWillEnterForegroundNotification  background", "active active",
      ]
    )
  }

  @Test("An app that is opened while the device is locked keeps the screen at the unlock")
  func openedWhileLocked() throws {
    let text = "apps: [one, two]\nsteps: [{launch: one}, {lock: {}}, {launch: two}, {unlock: {}}]\n"
    let scenario = try Scenario(parsing: text, file: "l.yml")
    let simulator = Simulator(
      scenario,
      apps: ["one", "two"].map { (.init(bundleIdentifier: $0), { Diary() }) }
    )
    _ = try simulator.play()
    #expect(simulator.state(ofApp: 0) != .active)
    #expect(simulator.state(ofApp: 1) == .active)
  }

  @Test("A mode lasts while its service runs")
  func services() throws {
    func states(_ modes: [String], _ steps: String) throws -> (lines: [String], suspensions: Int) {
      var configuration = Application.Configuration(bundleIdentifier: "diary")
      configuration.backgroundModes = modes
      let (lines, life) = try diary("launch; " + steps, configuration: configuration)
      return (lines.filter { $0.contains("end ") }, life.events(.suspend).count)
    }
    let long = "home; wait: 300s; tell: {remaining: now}"
    #expect(
      try states(["location"], "tell: {start: location}; \(long)") == (["no end background"], 0)
    )
    #expect(try states(["audio"], "tell: {start: audio}; \(long)") == (["no end background"], 0))
    // A stay in the background before the service ran has no say, nor has a task in it.
    let again = "home; open; tell: {start: location}; tell: {task: upload}; \(long)"
    #expect(try states(["location"], again) == (["no end background"], 0))
    let late = "home; open; tell: {start: location}; home; tell: {task: late}; wait: 40s"
    #expect(
      try states(["location"], "\(late); tell: {remaining: now}") == (["no end background"], 0)
    )
    // Of audio the app need say nothing; of a location it must.
    #expect(try states(["audio"], long) == (["no end background"], 0))
    #expect(try states(["location"], "home; wait: 300s").suspensions == 1)
    // Without the mode in the property list a service keeps nobody running.
    #expect(try states([], "tell: {start: location}; home; wait: 300s").suspensions == 1)
    // When the sound stops the time begins.
    let stopped = "tell: {stop: audio}; tell: {remaining: now}; wait: 5s"
    #expect(try states(["audio"], "home; wait: 300s; \(stopped)") == (["an end background"], 1))
  }
}
