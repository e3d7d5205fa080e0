// SPDX-License-Identifier: Apache-2.0

extension Application {
  /// A touch: the view in which it occurred, and up the responder chain.
  func route(touchIn name: String) {
    guard applicationState == .active else { return }
    AppTrace.touch(view: name)
    guard let view = keyWindow?.view(named: name) ?? keyWindow else {
      handBack(touchIn: name)
      return
    }
    let handled = offer(from: view) { responder in
      AppTrace.question("\(responder.name).touchesEnded", id: nextIdentity()) {
        responder.touchesEnded(in: view)
      }
    }
    if !handled { handBack(touchIn: name) }
  }

  /// The end of the chain: the application object and its delegate.
  private func handBack(touchIn name: String) {
    _ = askDelegate("application:didReceiveUnhandledTouch:") {
      $0.application(self, didReceiveUnhandledTouch: name)
    }
  }

  /// Remote control and shake: the first responder, and up from there.
  func route(control event: String) {
    guard let first = firstResponder ?? keyWindow else { return }
    _ = offer(from: first) { responder in
      AppTrace.question("\(responder.name).controlReceived", id: nextIdentity()) {
        responder.controlReceived(event)
      }
    }
  }

  /// Motion: the object that the app designated, which bypasses the views.
  func route(motion event: String) {
    guard let motionReceiver else { return }
    AppTrace.callback("motionReceived", id: nextIdentity()) {
      motionReceiver.motionReceived(event)
    }
  }

  /// A view wants to be drawn; redrawing has no event, the view itself is called.
  func needsDisplay(_ view: View) {
    if !undrawn.contains(where: { $0 === view }) { undrawn.append(view) }
  }

  /// Draws the views that asked for it, if the app is on the screen; later requests wait a turn.
  func drawViews() {
    guard applicationState != .background, !undrawn.isEmpty else { return }
    let views = undrawn
    undrawn = []
    for view in views {
      AppTrace.callback("\(view.name).draw", id: nextIdentity()) { view.draw() }
    }
  }

  /// Asks along the chain until one says yes; a cycle in it ends after 64 steps.
  private func offer(from first: Responder, _ ask: (Responder) -> Bool) -> Bool {
    var responder: Responder? = first
    var steps = 0
    while let current = responder, steps < 64 {
      if ask(current) { return true }
      responder = current.next
      steps += 1
    }
    return false
  }
}
