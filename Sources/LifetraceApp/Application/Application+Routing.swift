// SPDX-License-Identifier: Apache-2.0

extension Application {
  /// A touch: the view in which it occurred, and up the responder chain.
  func route(touchIn name: String) {
    guard applicationState == .active else { return }
    AppTrace.touch(view: name)
    let view = keyWindow?.view(named: name) ?? keyWindow
    offer(from: view ?? self) { responder in
      // The end of the chain: the application object asks its delegate.
      guard let view, responder !== self else {
        return askDelegate("application:didReceiveUnhandledTouch:") {
          $0.application(self, didReceiveUnhandledTouch: name)
        }
      }
      return ask("\(responder.name).touchesEnded") {
        responder.touchesEnded(in: view)
      }
    }
  }

  /// Remote control and shake: the first responder, and up from there.
  ///
  /// A shake is for the app on the screen, as a touch is. Remote control also reaches one that plays
  /// in the background.
  func route(control event: String) {
    if event == "shake", applicationState == .background { return }
    offer(from: firstResponder ?? keyWindow ?? self) { responder in
      guard responder !== self else {
        return askDelegate("application:didReceiveUnhandledControl:") {
          $0.application(self, didReceiveUnhandledControl: event)
        }
      }
      return ask("\(responder.name).controlReceived") {
        responder.controlReceived(event)
      }
    }
  }

  /// Motion: the object that the app designated, which bypasses the views.
  func route(motion event: String) {
    guard let motionReceiver else { return }
    call("motionReceived") {
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
      call("\(view.name).draw") { view.draw() }
    }
  }

  /// Asks along the chain until one says yes; a cycle in it ends after 64 steps.
  private func offer(from first: Responder, _ ask: (Responder) -> Bool) {
    var responder: Responder? = first
    var steps = 0
    while let current = responder, steps < 64, !ask(current) {
      responder = current.next
      steps += 1
    }
  }
}
