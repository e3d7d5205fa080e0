// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform

/// The threads of a process that are ready to run, from one look at them to the next.
///
///     var ready = ReadyThreads()
///     ready.waitForProcessor(of: pid, at: now)   // true: some are ready, and who knows since when
///     ready.waitForProcessor(of: pid, at: later) // true: one of them has hardly run since
///
/// On a machine with other things to do a thread may stand in the queue for a processor for longer than
/// the system of a device leaves to an app: what it has not done by then is not the app's fault. The
/// kernel tells no thread that waits there from one that runs; only how long it has run tells.
struct ReadyThreads {
  /// What each has run, in nanoseconds, at the last look.
  private var ran: [Int32: Int64] = [:]
  private var looked: Int64?

  /// Whether one of them waits for a processor; `now` is in nanoseconds.
  mutating func waitForProcessor(of pid: Int32, at now: Int64) -> Bool {
    let (last, before) = (looked, ran)
    ran = [:]
    looked = now
    for name in namesInDirectory("/proc/\(pid)/task") {
      guard let thread = Int32(name), Self.isReady(pid, thread) else { continue }
      ran[thread] = Self.time(pid, thread)
    }
    guard let last, now - last < Self.lookMax else { return !ran.isEmpty }
    // What is ready for the first time waits.
    return ran.contains { $0.value - (before[$0.key] ?? $0.value) < (now - last) / 2 }
  }

  /// Nanoseconds after which a look says nothing of the next.
  private static let lookMax: Int64 = 1_000_000_000

  private static func isReady(_ pid: Int32, _ thread: Int32) -> Bool {
    let stat = SmallFile.lineIfReadable("/proc/\(pid)/task/\(thread)/stat") ?? ""
    // The name of the thread stands in parentheses, and may have any of them in it.
    guard let end = stat.lastIndex(of: ")") else { return false }
    // Ready, or waiting for a disk, which others may keep busy as well.
    return stat[end...].dropFirst(2).first.map { "RD".contains($0) } ?? false
  }

  private static func time(_ pid: Int32, _ thread: Int32) -> Int64 {
    let times = SmallFile.lineIfReadable("/proc/\(pid)/task/\(thread)/schedstat") ?? ""
    return times.split(separator: " ").first.flatMap { Int64($0) } ?? 0
  }
}
