// SPDX-License-Identifier: Apache-2.0

/// The saves of one object that are under way, by their versions.
///
/// They end in any order, and one that a newer save has overtaken may end after the next has begun:
/// a mere count would take its end for that of the next.
public struct OpenFlushes: Hashable, Sendable, BitwiseCopyable {
  /// More at once are counted, not listed.
  public static var listedMax: Int { 8 }

  private var versions: [8 of UInt64] = [0, 0, 0, 0, 0, 0, 0, 0]
  private var listed: UInt32 = 0
  /// How many are under way that are not listed.
  public private(set) var unlisted: UInt32 = 0
  /// The newest version of which one has begun since none was under way, 0 for none.
  public private(set) var newest: UInt64 = 0

  /// A list without saves.
  public init() {}

  /// Whether none is under way.
  public var isEmpty: Bool { listed == 0 && unlisted == 0 }

  /// The versions of those that are listed, in the order in which they began.
  public var listedVersions: some RandomAccessCollection<UInt64> {
    (0..<Int(listed)).lazy.map { versions[$0] }
  }

  mutating func begin(_ version: UInt64) {
    newest = max(newest, version)
    if Int(listed) < Self.listedMax {
      versions[Int(listed)] = version
      listed += 1
    } else {
      unlisted &+= 1
    }
  }

  /// What a keyframe has besides those that are listed.
  mutating func resume(unlisted: UInt32, newest: UInt64) {
    self.unlisted = unlisted
    self.newest = newest
  }

  /// One of `version` has ended; whether any of it was under way.
  mutating func end(_ version: UInt64) -> Bool {
    if remove(where: { $0 == version }, most: 1) == 0 {
      guard unlisted > 0, version <= newest else { return false }
      unlisted -= 1
    }
    if isEmpty { newest = 0 }
    return true
  }

  /// `version` has taken its place: none that is as old or older changes anything any more.
  mutating func settle(upTo version: UInt64) {
    _ = remove(where: { $0 <= version }, most: Self.listedMax)
    if version >= newest { unlisted = 0 }
    if isEmpty { newest = 0 }
  }

  private mutating func remove(where isMeant: (UInt64) -> Bool, most: Int) -> Int {
    var kept = 0
    var removed = 0
    for index in 0..<Int(listed) {
      if removed < most, isMeant(versions[index]) {
        removed += 1
      } else {
        versions[kept] = versions[index]
        kept += 1
      }
    }
    for index in kept..<Int(listed) { versions[index] = 0 }
    listed = UInt32(kept)
    return removed
  }

  /// The same versions, in the order in which they began.
  public static func == (left: OpenFlushes, right: OpenFlushes) -> Bool {
    left.unlisted == right.unlisted && left.newest == right.newest
      && left.listedVersions.elementsEqual(right.listedVersions)
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(unlisted)
    hasher.combine(newest)
    for version in listedVersions { hasher.combine(version) }
  }
}
