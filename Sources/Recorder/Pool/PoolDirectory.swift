// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Which pools of the session's directory were looked at.
struct PoolDirectory {
  /// Names of those that were met; not asked about again once they are removed.
  private var known: Set<String> = []
  /// There may be others since the last look.
  var mayHaveNew = true
  /// Some were left for when there is room.
  private(set) var hasWaiting = false

  /// Those that could not be opened so far, and why: they are tried again.
  private(set) var unread: [String: String] = [:]
  private var retryAt = HostTime(rawValue: 0)
  private static var retryInterval: Int64 { 1_000_000_000 }

  /// What could not be read is not known.
  func checkInvariants() -> Bool { known.isDisjoint(with: unread.keys) }

  func knows(_ name: String) -> Bool { known.contains(name) }

  /// Those of `names` that were not met before; they are now.
  mutating func takeNew(of names: [String]) -> [String] {
    mayHaveNew = false
    if known.count > names.count { known.formIntersection(names) }
    // A pool that is still there and cannot be read comes in again.
    unread = [:]
    return names.filter { known.insert($0).inserted }
  }

  /// It is looked at again the next time.
  mutating func putOff(_ name: String) {
    known.remove(name)
    mayHaveNew = true
  }

  /// It could not be opened: it is looked at again in a second, and at the end.
  mutating func tryAgain(_ name: String, _ why: String, now: HostTime) {
    known.remove(name)
    unread[name] = why
    retryAt = now.advanced(by: Self.retryInterval)
  }

  /// Whether there may be new ones, or some are to be tried again.
  func isTimeToLook(_ now: HostTime) -> Bool {
    mayHaveNew || !unread.isEmpty && now >= retryAt
  }

  /// It is looked at again when there is room; whether it is the first of those.
  mutating func keepWaiting(_ name: String) -> Bool {
    known.remove(name)
    defer { hasWaiting = true }
    return !hasWaiting
  }

  /// There is room for those that wait.
  mutating func makeRoom() {
    if hasWaiting { mayHaveNew = true }
    hasWaiting = false
  }
}
