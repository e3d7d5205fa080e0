// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
import Glibc

/// Foundation's run loop of this thread, in an app that links Foundation.
///
/// Timers and sources of the main thread are served there. This module does not link Foundation, and
/// so looks for its functions when the app has come up; where they are missing nobody can have made
/// a timer.
package struct ThreadRunLoop {
  private typealias Current = @convention(c) () -> UnsafeMutableRawPointer?
  private typealias NextTimer =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Double
  private typealias Run = @convention(c) (UnsafeRawPointer?, Double, UInt8) -> Int32
  private typealias Now = @convention(c) () -> Double

  private let current: Current
  private let nextTimer: NextTimer
  private let run: Run
  private let now: Now
  private let mode: UnsafeRawPointer

  /// Nil in an app without Foundation.
  package init?() {
    func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
    guard let current = symbol("CFRunLoopGetCurrent"), let run = symbol("CFRunLoopRunInMode"),
      let nextTimer = symbol("CFRunLoopGetNextTimerFireDate"),
      let now = symbol("CFAbsoluteTimeGetCurrent"), let modeName = symbol("kCFRunLoopDefaultMode"),
      let mode = modeName.load(as: UnsafeRawPointer?.self)
    else { return nil }
    self.current = unsafeBitCast(current, to: Current.self)
    self.nextTimer = unsafeBitCast(nextTimer, to: NextTimer.self)
    self.run = unsafeBitCast(run, to: Run.self)
    self.now = unsafeBitCast(now, to: Now.self)
    self.mode = mode
  }

  /// When the next timer of this thread fires, in seconds of Foundation's clock; 0 for none.
  package var nextFireDate: Double { nextTimer(current(), mode) }

  /// Milliseconds until then, rounded up; nil for none.
  var untilNextTimer: Int32? {
    let date = nextFireDate
    guard date > 0 else { return nil }
    let left = ((date - now()) * 1000).rounded(.up)
    return left > 0 ? Int32(min(left, 1e9)) : 0
  }

  /// Serves what is due now, and returns.
  func serve() { _ = run(mode, 0, 0) }
}
#endif
