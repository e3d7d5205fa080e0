// SPDX-License-Identifier: Apache-2.0
public import LifetraceApp

/// The probe with a window: its controller turns, but not upside down, and a page in it is drawn anew
/// after each turn.
public final class TurningDelegate: ApplicationDelegate {
  private final class Controller: ViewController {
    override var preferredInterfaceOrientationForPresentation: InterfaceOrientation {
      .landscapeLeft
    }

    override func didRotate(from orientation: InterfaceOrientation) {
      view.setNeedsDisplay()
      view.setNeedsDisplay()
    }
  }

  private let window = Window(name: "window")

  /// A probe with one window.
  public init() {}

  /// Sets the window up.
  public func application(
    _ application: Application,
    didFinishLaunchingWithOptions launchOptions: [Application.LaunchOptionsKey: Any]?
  ) -> Bool {
    window.rootViewController = Controller(name: "controller", view: View(name: "page"))
    application.keyWindow = window
    return true
  }

  /// Draws the page, wherever the app is.
  public func application(_ application: Application, told word: String, _ value: String) {
    if word == "draw" { window.rootViewController?.view.setNeedsDisplay() }
  }
}
