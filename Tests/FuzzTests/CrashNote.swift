// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a crash prints last: the input that was being read.
///
/// The buffer is written by the one test that runs (the suite is serialised) and
/// read by the signal handler, which may not take a lock; hence nonisolated(unsafe).
enum CrashNote {
  nonisolated(unsafe) private static let buffer = UnsafeMutablePointer<CChar>.allocate(
    capacity: 256
  )
  nonisolated(unsafe) private static var isInstalled = false

  static func set(_ text: String) {
    strncpy(buffer, text, 255)
    guard !isInstalled else { return }
    isInstalled = true
    // Not SIGBUS: while other suites cut pools short in this process, the recorder handles it.
    for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGFPE] {
      Glibc.signal(signal) { number in
        _ = write(STDERR_FILENO, CrashNote.buffer, strlen(CrashNote.buffer))
        _ = write(STDERR_FILENO, "\n", 1)
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
