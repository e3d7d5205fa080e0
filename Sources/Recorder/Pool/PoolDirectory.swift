// SPDX-License-Identifier: Apache-2.0

/// Which pools of the session's directory were looked at.
struct PoolDirectory {
  /// Names of those that were met; not asked about again once they are removed.
  private var known: Set<String> = []
  /// There may be others since the last look.
  var mayHaveNew = true
  /// Some were left for when there is room.
  private(set) var hasWaiting = false

  func knows(_ name: String) -> Bool { known.contains(name) }

  /// Those of `names` that were not met before; they are now.
  mutating func takeNew(of names: [String]) -> [String] {
    mayHaveNew = false
    if known.count > names.count { known.formIntersection(names) }
    return names.filter { known.insert($0).inserted }
  }

  /// It is looked at again the next time.
  mutating func putOff(_ name: String) {
    known.remove(name)
    mayHaveNew = true
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
