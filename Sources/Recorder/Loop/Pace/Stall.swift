// SPDX-License-Identifier: Apache-2.0

import LifetraceTrace

/// A chunk that is not durable yet: nothing is read until it is, so that all stays in the pools.
struct Stall {
  /// The stream whose records are to be released then.
  let stream: WriterStream
  /// When it began, on the host's clock.
  let since: HostTime
  private var retryAt = HostTime(rawValue: .min)

  /// It is asked again after this many nanoseconds.
  private static let retryInterval: Int64 = 1_000_000_000
  /// A caller that waits for the end of a process waits no longer than this for room on a disk.
  private static let patience: Int64 = 2_000_000_000

  init(of stream: WriterStream, since: HostTime) {
    self.stream = stream
    self.since = since
  }

  /// Whether it is time to ask again; then the next time is later.
  mutating func isDue(_ now: HostTime) -> Bool {
    guard now >= retryAt else { return false }
    retryAt = now.advanced(by: Self.retryInterval)
    return true
  }

  func isLong(_ now: HostTime) -> Bool { now - since > Self.patience }
}
