// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// What a process has open, as the kernel lists it in `/proc/PID/fd`.
enum OpenFiles {
  /// A process with more open files is not looked at further.
  private static let filesMax = 65_536

  /// Calls `body` with each descriptor and what it is: a path, or such as `socket:[4711]`.
  ///
  /// None is seen of a process that may not be looked at.
  static func each(of pid: Int32, _ body: (_ descriptor: Int32, _ target: String) -> Void) {
    guard let directory = opendir("/proc/\(pid)/fd") else { return }
    defer { closedir(directory) }
    var seen = 0
    while let entry = readdir(directory), seen < filesMax {
      seen += 1
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard let descriptor = Int32(name), let target = target(of: "/proc/\(pid)/fd/\(name)") else {
        continue
      }
      body(descriptor, target)
    }
  }

  private static func target(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(link, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
