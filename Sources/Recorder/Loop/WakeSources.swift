// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// What wakes the recorder's thread before its time.
final class WakeSources {
  enum Wake {
    /// Another thread has handed something over.
    case mail
    /// Something was made in the session's directory.
    case directory
    /// The kernel reports processes.
    case kernel
    /// The process of that number has ended, or one that had it before.
    case process(Int32)
    /// A process reports that it cannot join.
    case absence
  }

  private enum Tag {
    static let mail: UInt64 = 1
    static let directory: UInt64 = 2
    static let kernel: UInt64 = 3
    static let process: UInt64 = 4
    static let absence: UInt64 = 5
  }

  private let poll = cplatform_poll_make()
  private let mail: Int32
  private let directory: Int32
  /// The socket for processes that cannot join; -1 where there is none.
  let absences: Int32

  init(_ session: SessionDirectory, mail: Int32, kernel: KernelEvents) throws(RecorderError) {
    self.mail = mail
    directory = cplatform_watch_directory(session.path)
    absences = cplatform_absence_listen(session.name)
    guard directory >= 0, poll >= 0 else { throw systemError("watch", session.path) }
    _ = cplatform_poll_add(poll, mail, Tag.mail)
    _ = cplatform_poll_add(poll, directory, Tag.directory)
    if absences >= 0 { _ = cplatform_poll_add(poll, absences, Tag.absence) }
    if kernel.isOpen { _ = cplatform_poll_add(poll, kernel.descriptor, Tag.kernel) }
  }

  deinit {
    close(directory)
    close(poll)
    if absences >= 0 { close(absences) }
  }

  /// Wakes at the end of the process; false where it has no descriptor that would do.
  func add(_ process: TrackedProcess) -> Bool {
    guard process.pidfd >= 0 else { return false }
    let tag = UInt64(UInt32(process.pid)) << 3 | Tag.process
    return cplatform_poll_add(poll, process.pidfd, tag) == 0
  }

  func remove(_ process: TrackedProcess) {
    if process.pidfd >= 0 { _ = cplatform_poll_remove(poll, process.pidfd) }
  }

  /// Sleeps until one of them wakes; at most so long.
  func wait(nanoseconds: Int64) -> [Wake] {
    var tags = [UInt64](repeating: 0, count: 64)
    let count = cplatform_poll_wait(poll, &tags, Int32(tags.count), nanoseconds)
    return tags.prefix(max(0, Int(count))).compactMap(wake)
  }

  private func wake(_ tag: UInt64) -> Wake? {
    switch tag & 7 {
    case Tag.mail:
      cplatform_drain(mail)
      return .mail
    case Tag.directory:
      cplatform_drain(directory)
      return .directory
    case Tag.kernel: return .kernel
    case Tag.process: return .process(Int32(truncatingIfNeeded: tag >> 3))
    case Tag.absence: return .absence
    default: return nil
    }
  }
}
