// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceSystem

/// Locks on files of an app group's container, which other processes may wait for.
///
/// The kernel tells of them in `/proc/PID/fdinfo`: a line `lock:` for each lock (flock, POSIX, open
/// file description; SQLite's are POSIX) that stands on an open file. Of a process that may not be
/// looked at, none is seen.
package enum SharedLocks {
  /// A process with more open files is not looked at further.
  private static let filesMax = 65_536

  /// In the names of the temporary files of the SDK's saves, whose locks nobody waits for.
  private static let temporary = ".saving-"

  /// Whether `pid` holds a lock on a file in `directory` or below it.
  package static func areHeld(by pid: Int32, below directory: String) -> Bool {
    // What only the app has mounted is not found from here, but called by the same name.
    let real = realpath(directory, nil)
    defer { free(real) }
    let container = (real.map { String(cString: $0) } ?? directory) + "/"
    guard let files = opendir("/proc/\(pid)/fd") else { return false }
    defer { closedir(files) }
    var seen = 0
    while let entry = readdir(files), seen < filesMax {
      seen += 1
      let number = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let path = target(of: "/proc/\(pid)/fd/\(number)"), path.hasPrefix(container),
        !path.contains(temporary)
      else { continue }
      if hasLock("/proc/\(pid)/fdinfo/\(number)") { return true }
    }
    return false
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(link, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private static func hasLock(_ path: String) -> Bool {
    let lines = SmallFile.bytesIfReadable(path)?.split(separator: 10) ?? []
    return lines.contains { $0.starts(with: "lock:".utf8) }
  }
}
