// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

// What stands in the file of a data object, and so what an end would leave of it.

extension DataObject {
  /// What the file holds, and the level that this is known to have reached.
  ///
  /// It is what the newest save has put there or the newest look at it has found, else what the
  /// incarnation before has left. At a higher level something older may be there as well.
  public struct Standing: Hashable, Sendable, BitwiseCopyable {
    /// The content of the file; hash 0 for an empty or an unknown one.
    public var content = Content.unknown
    /// What a recording finds at its begin was not written by it: it is taken to be on disk.
    public var level = DurabilityLevel.disk
  }

  /// Contents one of which may stand there, where it is unknown which: a bit for each, by its hash.
  ///
  /// A bit that two contents share makes a certain loss a possible one, never the reverse.
  public struct Candidates: Hashable, Sendable, BitwiseCopyable {
    /// Bit *hash mod 64* of each.
    public var bits: UInt64 = 0

    mutating func add(_ content: Content) { bits |= Self.bit(content) }

    /// Whether that content may be one of them.
    package func mayHave(_ content: Content) -> Bool { bits & Self.bit(content) != 0 }

    private static func bit(_ content: Content) -> UInt64 {
      content.hash == 0 ? 0 : 1 << (content.hash % 64)
    }
  }

  /// What the file holds after an end that `level` survives, where that is known.
  public func standing(at level: DurabilityLevel) -> Content? {
    guard level >= .kernel, level <= standing.level, !isDoubtful else { return nil }
    return standing.content.hash == 0 ? nil : standing.content
  }

  /// A save has put its content there, unless a newer one has.
  mutating func place(_ save: Save) {
    let before = durable[.kernel]
    durable.reach(save.version, save.level)
    guard save.level >= .kernel, save.version >= before else { return }
    // A save that syncs nothing does not take what the same version has on the disk.
    let stays = save.version == before && !isDoubtful && save.content == standing.content
    standing = Standing(
      content: save.content,
      level: stays ? max(save.level, standing.level) : save.level
    )
    isDoubtful = isCrossed
    if standing.level >= .disk, !isCrossed, openFlushes.isEmpty { candidates = Candidates() }
    candidates.add(save.content)
  }

  /// The app has looked, so the content stands there.
  ///
  /// It is on the disk only where that was known of it, or where a launch finds content that no
  /// event reported.
  mutating func read(_ content: Content, isFirst: Bool) {
    let isAsKnown =
      isFirst && standing.content.hash == 0
      || !isDoubtful && content.isKnown(toBe: standing.content)
    standing = Standing(content: content, level: isAsKnown ? standing.level : .kernel)
    isDoubtful = false
    // One that is under way has replaced what was read, or will.
    isCrossed = !openFlushes.isEmpty
    candidates.add(content)
  }

  /// Whether the bytes of `edit` are there after an end that `level` survives, whichever save made them.
  func stands(_ edit: Edit, at level: DurabilityLevel) -> Bool {
    guard let standing = standing(at: level), edit.content == standing, !flushesOverlap else {
      return false
    }
    guard let flushing else { return true }
    return flushing.version >= edit.version || edit.content.isKnown(toBe: flushing.content)
  }

  /// The save of the newest version, where it has put other bytes there than the edit told; nil where
  /// one of the two hashes is unknown, and of an object that no save has shown to be ``isPlain``.
  ///
  /// By its number the version counts as saved, and an end may lose it all the same.
  public var saveOfOtherBytes: Save? {
    guard isPlain, let dirty, let lastSave, lastSave.version == dirty.version,
      lastSave.level >= .kernel,
      dirty.hash != 0, lastSave.content.hash != 0, lastSave.content.hash != dirty.hash,
      standing(at: .kernel)?.hash != dirty.hash
    else { return nil }
    return lastSave
  }

  /// Whether a save is under way that decides if the newest version is there: an end here may come
  /// before it or after it.
  public var isBeingSaved: Bool {
    guard let dirty else { return false }
    guard !flushesOverlap, let flushing else { return flushesOverlap }
    // One of an older version decides it too where bytes are compared: it replaces them, or does not.
    return flushing.version >= dirty.version || dirty.hash != 0
  }

  /// How a version that is not saved may be there all the same: it cannot be called lost.
  public enum Survival: Sendable {
    /// It was written, and not synced.
    case notSynced
    /// A save is under way that may have come through.
    case saveUnderWay
    /// It was written to another file, which the app may read.
    case copied
    /// The same bytes stood there before, and may still.
    case stoodBefore
  }

  /// How the newest version, unsaved at `level` as it is, may be there after an end that `level`
  /// survives; nil for a certain loss.
  public func survival(at level: DurabilityLevel) -> Survival? {
    guard let dirty else { return nil }
    if level > .kernel, dirty.version <= durable[.kernel] { return .notSynced }
    if isBeingSaved { return .saveUnderWay }
    if lastCopy?.version == dirty.version { return .copied }
    let isOpen = isDoubtful || level > standing.level
    return isOpen && candidates.mayHave(dirty.content) ? .stoodBefore : nil
  }
}
