// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import Synchronization

/// Set by the handler of SIGINT, which can reach nothing but a global.
private let isInterrupted = Atomic(false)

/// Ctrl-C while scenarios are played over and over.
enum PlayInterruption {
  /// What was played until Ctrl-C counts; a second one ends it at once.
  static func listen() {
    signal(SIGINT) { number in
      isInterrupted.store(true, ordering: .relaxed)
      signal(number, SIG_DFL)
    }
  }

  /// Whether it was pressed.
  static var isPending: Bool { isInterrupted.load(ordering: .relaxed) }
}
