// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a crash prints first: the input that was being read.
///
/// The buffers are written by the one test that runs (the suite is serialised) and
/// read by the signal handler, which may not take a lock; hence nonisolated(unsafe).
enum CrashNote {
  nonisolated(unsafe) private static let buffer = UnsafeMutablePointer<CChar>.allocate(
    capacity: 256
  )
  /// Whose turn it is after the note: the runtime's, which prints where it crashed.
  nonisolated(unsafe) private static let others = UnsafeMutablePointer<sigaction>.allocate(
    capacity: Int(SIGSEGV) + 1
  )
  nonisolated(unsafe) private static var isInstalled = false

  static func set(_ text: String) {
    strncpy(buffer, text, 255)
    guard !isInstalled else { return }
    isInstalled = true
    // Not SIGBUS: while other suites cut pools short in this process, the recorder handles it.
    for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        _ = write(STDERR_FILENO, CrashNote.buffer, strlen(CrashNote.buffer))
        _ = write(STDERR_FILENO, "\n", 1)
        sigaction(number, CrashNote.others + Int(number), nil)
        raise(number)
      }
      sigaction(signal, &action, others + Int(signal))
    }
  }
}
