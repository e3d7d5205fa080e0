// SPDX-License-Identifier: Apache-2.0
import LifetraceAppProtocol

/// How the interface can stand.
public enum InterfaceOrientation: String, Sendable, CaseIterable {
  case portrait
  case portraitUpsideDown = "portrait-upside-down"
  case landscapeLeft = "landscape-left"
  case landscapeRight = "landscape-right"
}

/// Controls a screenful of views; here for the rotation callbacks and the responder chain.
open class ViewController: Responder {
  /// The root of the controller's views.
  public let view: View

  /// A controller of `view`.
  public init(name: String, view: View) {
    self.view = view
    super.init(name: name)
    view.controller = self
  }

  /// The view that holds its root view.
  open override var next: Responder? { view.superview }

  /// Whether it turns at all.
  open var shouldAutorotate: Bool { true }
  /// How it can stand: a part of what the property list says, here all of it but upside down.
  open var supportedInterfaceOrientations: Set<InterfaceOrientation> {
    Application.shared.configuration.supportedOrientations.subtracting([.portraitUpsideDown])
  }
  /// How it wants to stand at first.
  open var preferredInterfaceOrientationForPresentation: InterfaceOrientation { .portrait }
  /// The interface is about to turn, in the words of iOS 8: its view gets another size.
  open func viewWillTransition(
    to size: ViewSize,
    with coordinator: ViewTransitionCoordinator
  ) {}
  /// The interface is about to turn.
  open func willRotate(to orientation: InterfaceOrientation, duration: Double) {}
  /// Lay the views out here.
  open func willAnimateRotation(to orientation: InterfaceOrientation, duration: Double) {}
  /// The interface has turned; `orientation` is the old one.
  open func didRotate(from orientation: InterfaceOrientation) {}
}

/// The size of a view in points.
public struct ViewSize: Sendable, Hashable {
  /// From left to right.
  public var width: Int
  /// From top to bottom.
  public var height: Int

  /// A size of that width and height.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The screen as it is for an interface that stands so.
  init(screenFor orientation: InterfaceOrientation) {
    let isUpright = orientation == .portrait || orientation == .portraitUpsideDown
    self = isUpright ? Self(width: 320, height: 480) : Self(width: 480, height: 320)
  }
}

/// What a view controller hangs its own changes on while the interface turns.
@MainActor
public final class ViewTransitionCoordinator {
  var alongside: [@MainActor () -> Void] = []
  var completions: [@MainActor () -> Void] = []

  /// Runs the first block in the animation and the second when it is over.
  public func animate(
    alongsideTransition block: (@MainActor () -> Void)?,
    completion: (@MainActor () -> Void)? = nil
  ) {
    if let block { alongside.append(block) }
    if let completion { completions.append(completion) }
  }
}

extension Application {
  /// Seconds of the animation.
  static let rotationSeconds = 0.4

  /// The device turned: in front the interface follows at once, from the background at the return.
  func rotate(to orientation: Orientation) {
    guard let wanted = InterfaceOrientation(device: orientation) else { return }
    wantedOrientation = wanted
    if applicationState != .background { followDevice() }
  }

  /// The interface comes to the screen: at first as its controller prefers, then as the device is held.
  func present() {
    if !isPresented, let controller = keyWindow?.rootViewController {
      isPresented = true
      var preferred = interfaceOrientation
      call("preferredInterfaceOrientationForPresentation") {
        preferred = controller.preferredInterfaceOrientationForPresentation
      }
      if supports(preferred, controller) { interfaceOrientation = preferred }
    }
    followDevice()
  }

  /// Asks the root controller about the way the device is held by now, and turns with it.
  func followDevice() {
    guard let wanted = wantedOrientation, wanted != interfaceOrientation,
      let controller = keyWindow?.rootViewController
    else { return }
    let turns = ask("shouldAutorotate") {
      controller.shouldAutorotate
    }
    guard turns, supports(wanted, controller) else { return }
    turn(controller, to: wanted)
  }

  private func turn(_ controller: ViewController, to wanted: InterfaceOrientation) {
    let old = interfaceOrientation
    let coordinator = ViewTransitionCoordinator()
    if surroundings.system.hasSizeTransitions {
      let size = ViewSize(screenFor: wanted)
      call("viewWillTransitionToSize:withTransitionCoordinator:") {
        controller.viewWillTransition(to: size, with: coordinator)
      }
    }
    call("willRotateToInterfaceOrientation:duration:") {
      controller.willRotate(to: wanted, duration: Self.rotationSeconds)
    }
    interfaceOrientation = wanted
    call("willAnimateRotationToInterfaceOrientation:duration:") {
      controller.willAnimateRotation(to: wanted, duration: Self.rotationSeconds)
      for block in coordinator.alongside { block() }
    }
    call("didRotateFromInterfaceOrientation:") {
      controller.didRotate(from: old)
      for block in coordinator.completions { block() }
    }
  }

  /// Whether the controller can stand so; what it says must be a part of what the property list says.
  private func supports(_ wanted: InterfaceOrientation, _ controller: ViewController) -> Bool {
    let listed = configuration.supportedOrientations
    return ask("supportedInterfaceOrientations") {
      let own = controller.supportedInterfaceOrientations
      guard own.isSubset(of: listed) else {
        let more = own.subtracting(listed).map(\.rawValue).sorted().joined(separator: ", ")
        if !complainedOfOrientations {
          AppTrace.log("\(controller.name) supports what the property list does not: \(more)")
        }
        complainedOfOrientations = true
        return false
      }
      return own.contains(wanted)
    }
  }
}

extension InterfaceOrientation {
  /// Landscape is mirrored between device and interface; flat on a table turns nothing.
  init?(device: Orientation) {
    switch device {
    case .portrait: self = .portrait
    case .upsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeRight
    case .landscapeRight: self = .landscapeLeft
    case .faceUp, .faceDown: return nil
    }
  }

  /// As a property list spells it, such as `UIInterfaceOrientationLandscapeLeft`.
  init?(infoValue: some StringProtocol) {
    switch infoValue.drop(while: { $0 == " " }) {
    case "UIInterfaceOrientationPortrait": self = .portrait
    case "UIInterfaceOrientationPortraitUpsideDown": self = .portraitUpsideDown
    case "UIInterfaceOrientationLandscapeLeft": self = .landscapeLeft
    case "UIInterfaceOrientationLandscapeRight": self = .landscapeRight
    default: return nil
    }
  }
}
