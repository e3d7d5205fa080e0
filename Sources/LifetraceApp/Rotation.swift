// SPDX-License-Identifier: Apache-2.0
import HostWire

/// How the interface can stand.
public enum InterfaceOrientation: String, Sendable, CaseIterable {
  case portrait
  case portraitUpsideDown = "portrait-upside-down"
  case landscapeLeft = "landscape-left"
  case landscapeRight = "landscape-right"
}

/// Controls a screenful of views; here for the rotation callbacks and the responder chain.
open class ViewController: Responder {
  /// Its root view.
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
  /// How it can stand; the property list must allow it too.
  open var supportedInterfaceOrientations: Set<InterfaceOrientation> {
    [.portrait, .landscapeLeft, .landscapeRight]
  }
  /// How it wants to stand at first.
  open var preferredInterfaceOrientationForPresentation: InterfaceOrientation { .portrait }
  /// The interface is about to turn.
  open func willRotate(to orientation: InterfaceOrientation, duration: Double) {}
  /// Lay the views out here.
  open func willAnimateRotation(to orientation: InterfaceOrientation, duration: Double) {}
  /// The interface has turned; `orientation` is the old one.
  open func didRotate(from orientation: InterfaceOrientation) {}
}

extension Application {
  /// Seconds of the animation.
  static let rotationSeconds = 0.4

  /// The device turned: in front the interface follows at once, from the background at the return.
  func rotate(to orientation: Orientation) {
    guard let wanted = interface(for: orientation) else { return }
    wantedOrientation = wanted
    if applicationState != .background { followDevice() }
  }

  /// Asks the root controller about the way the device is held by now, and turns with it.
  func followDevice() {
    guard let wanted = wantedOrientation, wanted != interfaceOrientation,
      let controller = keyWindow?.rootViewController
    else { return }
    let turns = Recording.question("shouldAutorotate", id: nextIdentity()) {
      controller.shouldAutorotate
    }
    guard turns else { return }
    let supported = Recording.question("supportedInterfaceOrientations", id: nextIdentity()) {
      controller.supportedInterfaceOrientations.contains(wanted)
        && configuration.supportedOrientations.contains(wanted)
    }
    guard supported else { return }
    let old = interfaceOrientation
    Recording.callback("willRotateToInterfaceOrientation:duration:", id: nextIdentity()) {
      controller.willRotate(to: wanted, duration: Self.rotationSeconds)
    }
    interfaceOrientation = wanted
    Recording.callback("willAnimateRotationToInterfaceOrientation:duration:", id: nextIdentity()) {
      controller.willAnimateRotation(to: wanted, duration: Self.rotationSeconds)
    }
    Recording.callback("didRotateFromInterfaceOrientation:", id: nextIdentity()) {
      controller.didRotate(from: old)
    }
  }

  /// Landscape is mirrored between device and interface; flat on a table turns nothing.
  private func interface(for orientation: Orientation) -> InterfaceOrientation? {
    switch orientation {
    case .portrait: .portrait
    case .upsideDown: .portraitUpsideDown
    case .landscapeLeft: .landscapeRight
    case .landscapeRight: .landscapeLeft
    case .faceUp, .faceDown: nil
    }
  }
}
