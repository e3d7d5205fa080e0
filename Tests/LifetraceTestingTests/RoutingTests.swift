// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceApp
import LifetraceTesting
import Testing
import LifetraceTrace

/// An app with a window: a button in a list, and a controller that turns.
private final class Screen: ApplicationDelegate {
  final class List: View {
    override func touchesEnded(in view: View) -> Bool { view.name == "row" }
  }

  final class Controller: ViewController {
    override func controlReceived(_ event: String) -> Bool {
      if event == "draw" { for _ in 0..<3 { view.setNeedsDisplay() } }
      return event != "shake"
    }
    override var supportedInterfaceOrientations: Set<InterfaceOrientation> {
      [.portrait, .landscapeLeft]
    }
    func save() {}
  }

  final class Motion: MotionReceiver {
    func motionReceived(_ event: String) {}
  }

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    let list = List(name: "list")
    list.addSubview(View(name: "row"))
    list.addSubview(View(name: "gap"))
    let button = Control(name: "save")
    list.addSubview(button)
    let controller = Controller(name: "controller", view: list)
    button.addTarget(controller, action: "save") { $0.save() }
    let window = Window(name: "window")
    window.rootViewController = controller
    application.keyWindow = window
    controller.becomeFirstResponder()
    application.motionReceiver = Motion()
    return true
  }
}

@Suite("Where events go")
@MainActor
struct RoutingTests {
  private func heard(_ step: String, profile: String = "ios13") throws -> [String] {
    let text = "app: screen\nprofile: \(profile)\nsteps:\n- launch\n- mark: here\n- \(step)\n"
    let scenario = try Scenario(parsing: text, file: "route.yml")
    return try Simulator(scenario) { Screen() }.play().callbacksAfterMark
  }

  @Test("A touch: the view in which it occurred, and up the responder chain")
  func chain() throws {
    #expect(try heard("touch: row") == ["row.touchesEnded", "list.touchesEnded"])
    #expect(
      try heard("touch: gap") == [
        "gap.touchesEnded", "list.touchesEnded", "controller.touchesEnded", "window.touchesEnded",
        "touch",
      ]
    )
  }

  @Test("A control repackages touches into an action message")
  func targetAction() throws {
    #expect(try heard("touch: save") == ["save.touchesEnded", "controller.save"])
  }

  @Test("Remote control goes to the first responder, motion to the object that asked")
  func others() throws {
    #expect(try heard("control: play") == ["controller.controlReceived"])
    #expect(
      try heard("control: shake") == [
        "controller.controlReceived", "window.controlReceived", "control",
      ]
    )
    #expect(try heard("motion: accelerometer") == ["motionReceived"])
  }

  @Test("A rotation asks, tells, lays out and tells again; mirrored, and only where supported")
  func rotation() throws {
    let turn = [
      "shouldAutorotate", "supportedInterfaceOrientations",
      "willRotateToInterfaceOrientation:duration:",
      "willAnimateRotationToInterfaceOrientation:duration:", "didRotateFromInterfaceOrientation:",
    ]
    // The system says it in the words of its time, too.
    let size = "viewWillTransitionToSize:withTransitionCoordinator:"
    #expect(try heard("rotate: landscape-right") == Array(turn[..<2]) + [size] + turn[2...])
    #expect(try heard("rotate: landscape-right", profile: "ios7") == turn)
    #expect(try heard("rotate: landscape-left") == Array(turn[..<2]))
    #expect(try heard("rotate: face-up") == [])
  }

  @Test("What a controller supports must be a part of the property list, else it stands still")
  func subset() throws {
    let info = ["UISupportedInterfaceOrientations": "UIInterfaceOrientationPortrait"]
    let configuration = Application.Configuration(
      bundleIdentifier: "screen",
      infoDictionary: info
    )
    #expect(configuration.supportedOrientations == [.portrait])
    let text = "app: screen\nsteps:\n- launch\n- rotate: landscape-right\n- rotate: portrait\n"
    let scenario = try Scenario(parsing: text, file: "route.yml")
    let life = try Simulator(scenario, configuration: configuration) { Screen() }.play()
    #expect(!life.callbacks().contains("didRotateFromInterfaceOrientation:"))
    let complaints = life.events(.log).map { life.names[NameID(rawValue: UInt32($0[0]))] }
    #expect(complaints == ["controller supports what the property list does not: landscape-left"])
  }

  @Test("A view is drawn once a turn, and in the background not before the return")
  func drawing() throws {
    #expect(try heard("control: draw").filter { $0 == "list.draw" }.count == 1)
    let away = try heard("home\n- control: draw\n- control: draw")
    #expect(!away.contains("list.draw"))
    let back = try heard("home\n- control: draw\n- control: draw\n- open")
    #expect(back.filter { $0 == "list.draw" }.count == 1)
    let drawn = try #require(back.firstIndex(of: "list.draw"))
    let opened = try #require(back.firstIndex(of: "WillEnterForeground"))
    #expect(opened < drawn)
  }

  @Test("Changes alongside a turn run in its animation and after it")
  func coordinator() throws {
    var order: [String] = []
    let controller = Turning(name: "turning", view: View(name: "view"))
    controller.onSize = { size, coordinator in
      order.append("\(size.width) by \(size.height)")
      coordinator.animate(
        alongsideTransition: { order.append("layout") },
        completion: { order.append("done") }
      )
    }
    let scenario = "app: screen\nsteps:\n- launch\n- rotate: landscape-right\n"
    _ = try Simulator(try Scenario(parsing: scenario, file: "x.yml")) { Showing(controller) }.play()
    #expect(order == ["480 by 320", "layout", "done"])
  }

  private final class Turning: ViewController {
    var onSize: (ViewSize, ViewTransitionCoordinator) -> Void = { _, _ in }
    override func viewWillTransition(to size: ViewSize, with coordinator: ViewTransitionCoordinator)
    {
      onSize(size, coordinator)
    }
  }

  private final class Showing: ApplicationDelegate {
    let window = Window(name: "window")
    init(_ controller: ViewController) { window.rootViewController = controller }
    func application(
      _ application: Application,
      didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
    ) -> Bool {
      application.keyWindow = window
      return true
    }
  }

  @Test(
    "Turned behind the app's back: one net rotation, at the return",
    arguments: [
      (turns: ["landscape-right"], rotations: 1),
      (turns: ["landscape-right", "portrait-upside-down", "landscape-right"], rotations: 1),
      (turns: ["landscape-right", "portrait"], rotations: 0),
    ]
  )
  func netRotation(turns: [String], rotations: Int) throws {
    let last = "didRotateFromInterfaceOrientation:"
    for away in ["home", "home\n- wait: {until: suspended}"] {
      let turning = turns.map { "\n- rotate: \($0)" }.joined()
      let gone = try heard(away + turning)
      #expect(!gone.contains(last), "after \(away)")
      let back = try heard(away + turning + "\n- launch")
      #expect(back.filter { $0 == last }.count == rotations, "after \(away)")
      let opened = back.lastIndex(of: "WillEnterForeground") ?? back.endIndex
      let active = back.lastIndex(of: "DidBecomeActive") ?? back.startIndex
      if let turn = back.firstIndex(of: last) { #expect(opened < turn && turn < active) }
    }
  }

  @Test("Every event is a turn of the main run loop, one after the other")
  func turns() throws {
    let text = "app: screen\nsteps:\n- launch\n- touch: row\n- home\n"
    let life = try Simulator(try Scenario(parsing: text, file: "x.yml")) { Screen() }.play()
    var open = 0
    for event in life.streams[0].events {
      if event.kind == .turnBegin { open += 1 }
      if event.kind == .turnEnd { open -= 1 }
      #expect(open == 0 || open == 1)
    }
    #expect(life.events(.turnBegin).count >= 5)
  }
}
