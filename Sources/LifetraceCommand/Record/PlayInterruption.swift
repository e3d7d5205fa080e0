// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import Synchronization

/// Set by the handler of signals, which can reach nothing but a global.
private let isInterrupted = Atomic(false)

/// Ctrl-C while scenarios are played over and over, or another signal that asks a program to end.
enum PlayInterruption {
  /// What was played until the signal counts, and what was made for it is removed; a second one ends it
  /// at once.
  static func listen() {
    for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
      signal(number) { number in
        isInterrupted.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }

  /// As `nohup` leaves SIGHUP.
  private static func isIgnored(_ number: Int32) -> Bool {
    var known = sigaction()
    sigaction(number, nil, &known)
    // The handler that ignores is a number, not a function.
    return unsafeBitCast(known.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Whether there was one.
  static var isPending: Bool { isInterrupted.load(ordering: .relaxed) }
}
