// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// What /proc says of a process.
enum ProcFiles {
  /// The memory that only this process has, in bytes: resident, without the pages of files.
  ///
  /// It is what the system gets back when the process ends; 0 when the process is gone.
  static func footprintBytes(of pid: Int32) -> UInt64 {
    let words = SmallFile.lineIfReadable("/proc/\(pid)/statm")?.split(separator: " ") ?? []
    let pages = words.prefix(3).dropFirst().compactMap { UInt64($0) }
    guard pages.count == 2, pages[0] > pages[1] else { return 0 }
    return (pages[0] - pages[1]) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
  }

  /// The processor time of all its threads so far, in nanoseconds; 0 when the process is gone.
  static func processorTime(of pid: Int32) -> Int64 {
    let line = SmallFile.lineIfReadable("/proc/\(pid)/stat") ?? ""
    // The name of the program stands in parentheses, and may have any of them in it.
    guard let end = line.lastIndex(of: ")") else { return 0 }
    let ticks = line[end...].split(separator: " ").dropFirst(12).prefix(2).compactMap { Int64($0) }
    let second = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    return ticks.reduce(0, +) * (1_000_000_000 / second)
  }
}
