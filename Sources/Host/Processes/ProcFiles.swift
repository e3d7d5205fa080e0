// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What /proc says of a process.
enum ProcFiles {
  /// Resident memory in bytes, 0 when the process is gone.
  static func residentBytes(of pid: Int32) -> UInt64 {
    let pages = read("/proc/\(pid)/statm").split(separator: " ").dropFirst().first
    return (pages.flatMap { UInt64($0) } ?? 0) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
  }

  /// The first bytes of a small file, empty when it cannot be read.
  static func read(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }
}
