// SPDX-License-Identifier: Apache-2.0
import CLifetracePlatform
import LifetracePlatform

/// A child that does nothing, to try things on; it ends with this object.
final class StillChild {
  let pid: pid_t
  /// Where ``markValue`` stands in its memory, and in ours.
  let mark: UnsafeMutablePointer<UInt64>
  private var isReaped = false

  static let markValue: UInt64 = 0x6c69_6665_7472_6163

  /// Nil where no process can be made.
  ///
  /// For a process with a single thread.
  init?() {
    mark = .allocate(capacity: 1)
    mark.initialize(to: Self.markValue)
    pid = cplatform_fork()
    if pid == 0 {
      _ = cplatform_set_parent_death_signal(SIGKILL)
      while true { pause() }
    }
    if pid < 0 { return nil }
  }

  deinit {
    mark.deallocate()
    guard !isReaped, pid > 0 else { return }
    kill(pid, SIGKILL)
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }

  /// Waits for the change, at most a second.
  func waits(for change: cplatform_change) -> Bool {
    let limit = cplatform_monotonic() + 1_000_000_000
    repeat {
      var result = cplatform_wait_result()
      guard cplatform_wait(pid, 1, 0, 0, &result) == 0 else { return false }
      let seen = cplatform_change(UInt32(bitPattern: result.change))
      if seen == CPLATFORM_EXITED || seen == CPLATFORM_SIGNALED { isReaped = true }
      if seen == change { return true }
      usleep(500)
    } while cplatform_monotonic() < limit
    return false
  }
}
