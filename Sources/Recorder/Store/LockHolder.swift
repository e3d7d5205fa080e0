// SPDX-License-Identifier: Apache-2.0

import CLifetracePlatform
import LifetracePlatform

/// The holder of a session's lock: a recorder at work, or one that is about to be gone.
///
/// A process that was killed keeps its locks until its last thread has left the kernel. For one
/// with much memory that takes a few hundred milliseconds; asking the user to try again later is no
/// answer to that.
enum LockHolder {
  /// How long a process is given to be gone.
  private static var patience: Int64 { 10_000_000_000 }
  /// A holder that looks alive is looked at again: its end may be on its way.
  private static var looks: Int { 3 }
  private static var lookInterval: UInt32 { 10_000 }
  private static var waitInterval: UInt32 { 2_000 }

  /// Takes the lock of the open file; false where its holder lives.
  ///
  /// Waits while the holder is dying, for ten seconds at most.
  static func lock(_ fd: Int32) -> Bool {
    let limit = cplatform_monotonic() + patience
    var looksLeft = looks
    while cplatform_lock(fd) != 0 {
      guard errno == EWOULDBLOCK, cplatform_monotonic() < limit else { return false }
      if isDying(fd) {
        usleep(waitInterval)
      } else {
        guard looksLeft > 0 else { return false }
        looksLeft -= 1
        usleep(lookInterval)
      }
    }
    return true
  }

  /// Whether nobody holds the lock of the open file, or only a process that is about to be gone.
  ///
  /// Who looks for the same holds it for an instant; where nobody else does, the caller does then.
  static func isGone(_ fd: Int32) -> Bool {
    for look in 1...looks {
      if cplatform_lock(fd) == 0 || isDying(fd) { return true }
      if look < looks { usleep(lookInterval) }
    }
    return false
  }

  /// Whether the lock of the open file is held by a process that has been killed or has ended.
  private static func isDying(_ fd: Int32) -> Bool {
    guard let pid = process(holding: fd) else { return false }
    return ProcFS.isDying(pid)
  }

  /// The process of this pid namespace that holds the lock, as the kernel lists it.
  private static func process(holding fd: Int32) -> Int32? {
    var facts = stat()
    guard fstat(fd, &facts) == 0, let locks = SmallFile.lineIfReadable("/proc/locks") else {
      return nil
    }
    // 2: FLOCK  ADVISORY  WRITE 22124 fe:00:16224104 0 EOF
    for line in locks.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK" else { continue }
      let file = fields[5].split(separator: ":")
      guard file.count == 3, UInt64(file[2]) == UInt64(facts.st_ino),
        let major = UInt32(file[0], radix: 16), let minor = UInt32(file[1], radix: 16),
        cplatform_device(major, minor) == facts.st_dev
      else { continue }
      return Int32(fields[4])
    }
    return nil
  }
}
