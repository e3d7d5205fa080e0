// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import Synchronization

/// Ctrl-C: drops the line, or stops a long search; never ends the program.
enum Interrupt {
  /// Set by the signal handler, read and cleared by the prompt and by searches.
  private static let flag = Atomic<Bool>(false)

  /// Whether Ctrl-C was pressed and not dealt with yet.
  static var isPending: Bool { flag.load(ordering: .relaxed) }

  /// Forgets it, and says whether there was one.
  static func take() -> Bool { flag.exchange(false, ordering: .relaxed) }

  /// Catches Ctrl-C from here on; a pager that is left early is no reason to die either.
  static func install() {
    // The first use of a global initialises it, which a signal handler must not do.
    flag.store(false, ordering: .relaxed)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      Interrupt.flag.store(true, ordering: .relaxed)
    }
    // No SA_RESTART: a read of the terminal must return.
    sigaction(SIGINT, &action, nil)
    signal(SIGPIPE, SIG_IGN)
  }
}
