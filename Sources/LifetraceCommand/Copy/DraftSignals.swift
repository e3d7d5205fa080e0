// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform

/// The path of what is being written, for the handlers of signals, which can reach nothing but a global.
///
/// Set by the one thread that exports, before there is a handler; the bytes are never given back, so a
/// handler finds them whenever it runs.
nonisolated(unsafe) private var draft: UnsafeMutablePointer<CChar>?

/// Ctrl-C while a file is written beside its place: none of it stays.
enum DraftSignals {
  /// Takes the file away when SIGINT or SIGTERM ends the program, as they still do.
  static func remove(_ path: String) {
    draft = strdup(path)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        if let draft { unlink(draft) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// The file has its name.
  static func keep() { draft = nil }
}
