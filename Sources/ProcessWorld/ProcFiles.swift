// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// What /proc says of a process.
enum ProcFiles {
  /// Resident memory in bytes, 0 when the process is gone.
  static func residentBytes(of pid: Int32) -> UInt64 {
    let words = SmallFile.lineIfReadable("/proc/\(pid)/statm")?.split(separator: " ")
    let pages = words?.dropFirst().first.flatMap { UInt64($0) } ?? 0
    return pages * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
  }
}
