// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// For how long the main thread of a process has been ready to run and had no processor.
///
///     var wait = ProcessorWait()
///     wait.total(of: pid, at: now)                  // 12 ms since it began, at one transition
///     wait.total(of: pid, at: later, isLate: true)   // 4.2 s by the time at which it is late
///
/// The kernel adds a wait to its count when it is over. One that lasts is seen from outside: the thread is
/// ready, and has not run since the last look.
struct ProcessorWait {
  /// What the kernel counts of a thread, in nanoseconds; and how often it was given a processor.
  private struct Count: Equatable {
    var run: Int64
    var waited: Int64
    var slices: Int64
  }

  /// The last count, and when it was seen first.
  private var seen: (count: Count, since: Int64)?

  /// Nanoseconds since it began, at `now`; nil when the process is gone, and where the kernel does not count
  /// them.
  ///
  /// A read of one small file, and where somebody `isLate`, of another one.
  mutating func total(of pid: Int32, at now: Int64, isLate: Bool = false) -> Int64? {
    guard let count = Self.count(pid) else { return nil }
    let last = seen
    if last?.count != count { seen = (count, now) }
    guard isLate, let last, last.count == count, Self.isReady(pid) else { return count.waited }
    return count.waited + max(0, now - last.since)
  }

  private static func count(_ pid: Int32) -> Count? {
    let line = SmallFile.lineIfReadable("/proc/\(pid)/task/\(pid)/schedstat")
    let words = line?.split(separator: " ").compactMap { Int64($0) } ?? []
    return words.count < 3 ? nil : Count(run: words[0], waited: words[1], slices: words[2])
  }

  private static func isReady(_ pid: Int32) -> Bool {
    let stat = SmallFile.lineIfReadable("/proc/\(pid)/task/\(pid)/stat") ?? ""
    // The name of the thread stands in parentheses, and may have any of them in it.
    guard let end = stat.lastIndex(of: ")") else { return false }
    return stat[end...].dropFirst(2).first == "R"
  }
}
