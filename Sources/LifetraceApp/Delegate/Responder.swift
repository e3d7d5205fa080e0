// SPDX-License-Identifier: Apache-2.0

/// An object that can take an event, or leave it to the next one.
///
/// A touch goes to the view in which it occurred and then up: superview or the
/// view's controller, window, application, delegate. Remote control and shake
/// go to the first responder and up from there. The application object is the last.
@MainActor
open class Responder {
  /// The name in the trace, and for views the name that a scenario touches.
  public let name: String

  /// A responder of that name.
  public init(name: String) { self.name = name }

  /// The responder that is asked when this one does not handle an event.
  open var next: Responder? { nil }

  /// Whether it handled the touch in `view`.
  open func touchesEnded(in view: View) -> Bool { false }

  /// Whether it handled the control event, such as `play` or `shake`.
  open func controlReceived(_ event: String) -> Bool { false }

  /// Makes it the object that control events go to.
  public final func becomeFirstResponder() { Application.shared.firstResponder = self }
}

/// A part of the window with a name.
open class View: Responder {
  /// The view that holds it.
  public private(set) weak var superview: View?
  /// The views it holds.
  public private(set) var subviews: [View] = []
  /// The controller whose root view it is.
  public weak var controller: ViewController?

  /// Holds `view` from now on.
  public final func addSubview(_ view: View) {
    view.superview = self
    subviews.append(view)
  }

  /// The controller, if it has one, else the superview.
  open override var next: Responder? { controller ?? superview }

  /// Asks for the view to be drawn, once for however many requests: when the turn of the main run loop
  /// is over, and for an app in the background when it is back on the screen.
  public final func setNeedsDisplay() { Application.shared.needsDisplay(self) }

  /// Draws the view; does nothing by default.
  open func draw() {}

  /// The view of that name in this one, itself included.
  public final func view(named name: String) -> View? {
    if self.name == name { return self }
    for view in subviews {
      if let found = view.view(named: name) { return found }
    }
    return nil
  }
}

/// The root of the views.
public final class Window: View {
  /// The controller of what it shows; its view becomes a subview.
  public var rootViewController: ViewController? {
    didSet {
      if let view = rootViewController?.view { addSubview(view) }
    }
  }

  /// The application object is asked after the window, and it asks its delegate.
  public override var next: Responder? { Application.shared }
}

/// A view that repackages touches into action messages to a target.
public final class Control: View {
  private var actions: [(name: String, target: Responder, run: @MainActor (Responder) -> Void)] = []

  /// Sends `name` to `target` at each touch.
  public func addTarget<Target: Responder>(
    _ target: Target,
    action name: String,
    _ run: @escaping @MainActor (Target) -> Void
  ) {
    actions.append((name, target, { if let target = $0 as? Target { run(target) } }))
  }

  /// Handles the touch if it has a target.
  public override func touchesEnded(in view: View) -> Bool {
    for action in actions {
      Application.shared.call("\(action.target.name).\(action.name)") {
        action.run(action.target)
      }
    }
    return !actions.isEmpty
  }
}

/// Gets accelerometer, gyroscope, magnetometer and location events, in every executing state.
@MainActor
public protocol MotionReceiver: AnyObject {
  /// One event, such as `accelerometer`.
  func motionReceived(_ event: String)
}
