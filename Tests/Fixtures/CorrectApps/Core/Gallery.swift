// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceApp

/// A window that turns, is touched and drawn, opens URLs, and gives memory back when it is short.
final class Gallery: ApplicationDelegate {
  private final class Picture: View {
    override func draw() { Lifetrace.work("draw", kind: .ui) {} }
  }

  private final class Wall: ViewController {
    override var supportedInterfaceOrientations: Set<InterfaceOrientation> {
      [.portrait, .landscapeLeft, .landscapeRight]
    }

    override func viewWillTransition(
      to size: ViewSize,
      with coordinator: ViewTransitionCoordinator
    ) { coordinator.animate(alongsideTransition: { self.view.setNeedsDisplay() }) }

    func showNext() { view.setNeedsDisplay() }
  }

  private final class Tilt: MotionReceiver {
    func motionReceived(_ event: String) {}
  }

  private let window = Window(name: "window")
  private let tilt = Tilt()
  private let thumbnails = Lifetrace.Resource("thumbnails", .cache)
  private var isFilled = false

  func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    let wall = Wall(name: "wall", view: Picture(name: "picture"))
    let next = Control(name: "next")
    next.addTarget(wall, action: "showNext") { $0.showNext() }
    wall.view.addSubview(next)
    window.rootViewController = wall
    application.keyWindow = window
    application.motionReceiver = tilt
    return launchOptions?[.url].map { "\($0)".hasPrefix("gallery:") } ?? true
  }

  func applicationDidBecomeActive(_ application: Application) { fill(true) }

  func applicationDidEnterBackground(_ application: Application) { fill(false) }

  func applicationDidReceiveMemoryWarning(_ application: Application) { fill(false) }

  private func fill(_ filled: Bool) {
    if filled, !isFilled {
      // The few that are on the screen: short enough for the main thread.
      Lifetrace.work("read thumbnails", kind: .file) {}
      Lifetrace.work("scale thumbnails", kind: .compute) {}
      thumbnails.acquire()
    }
    if !filled, isFilled { thumbnails.release() }
    isFilled = filled
  }

  func application(
    _ app: Application,
    open url: String,
    options: [Application.OpenURLOptionsKey: Any]
  ) -> Bool {
    guard url.hasPrefix("gallery:") else { return false }
    app.say("shows \(url)")
    return true
  }

  func application(_ application: Application, didReceiveUnhandledTouch view: String) -> Bool {
    application.say("nothing at \(view)")
    return true
  }
}
