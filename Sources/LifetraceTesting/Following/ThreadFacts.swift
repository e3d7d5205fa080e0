// SPDX-License-Identifier: Apache-2.0
import CLifetraceUnseen
import LifetracePlatform

/// What the kernel says of a thread of this process.
struct ThreadFacts: Equatable {
  /// It waits for something that is no disk.
  var isAsleep: Bool
  /// Nanoseconds of processor time that it has used.
  var cpu: Int64

  /// The thread that asks.
  static var current: pid_t { lt_thread_id() }

  /// Nil for a thread that has ended.
  init?(_ thread: pid_t) {
    let folder = "/proc/self/task/\(thread)/"
    guard let stat = Self.read(folder + "stat"), let times = Self.read(folder + "schedstat") else {
      return nil
    }
    // The state stands behind the name, which is in parentheses and may hold any.
    let rest = stat.lastIndex(of: UInt8(ascii: ")")).map { stat[$0...].dropFirst(2) } ?? []
    isAsleep = rest.first == UInt8(ascii: "S")
    cpu = times.prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 &* 10 &+ Int64($1 &- 48) }
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = LifetracePlatform.read(file, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
