// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

// What stands in the file of a data object, and so what an end would leave of it.

extension DataObject {
  /// What the file holds after an end that `level` survives, where that is known.
  ///
  /// It is what the newest save has put there, else what the launch has read back, else what the
  /// incarnation before has left. Where a newer version was written over it and has not reached the
  /// level, either may be there.
  public func standing(at level: DurabilityLevel) -> Content? {
    guard level >= .kernel else { return nil }
    let content: Content
    if durable[.kernel] > 0 {
      guard durable[level] == durable[.kernel] else { return nil }
      content = durable[contentAt: level]
    } else if let restored {
      content = restored.content
      if level > .kernel, let inherited {
        let isOther = inherited.hash != 0 && inherited.content != content
        guard inherited.level >= level, !isOther else { return nil }
      } else if level > .disk {
        return nil
      }
      // What the first launch of a recording finds was not written by it: it is taken to be on disk.
    } else if let inherited, inherited.level >= level {
      content = inherited.content
    } else {
      return nil
    }
    return content.hash == 0 ? nil : content
  }

  /// Whether the bytes of `edit` are there after an end that `level` survives, whichever save made them.
  func stands(_ edit: Edit, at level: DurabilityLevel) -> Bool {
    guard edit.content.isKnown(toBe: standing(at: level)), !flushesOverlap else { return false }
    guard let flushing else { return true }
    return flushing.version >= edit.version || edit.content.isKnown(toBe: flushing.content)
  }

  /// Whether a save is under way that decides if the newest version is there: an end here may come
  /// before it or after it.
  public var isBeingSaved: Bool {
    guard let dirty else { return false }
    guard !flushesOverlap, let flushing else { return flushesOverlap }
    // One of an older version decides it too where bytes are compared: it replaces them, or does not.
    return flushing.version >= dirty.version || dirty.hash != 0
  }

  /// Whether everything that was written is on the disk too; else a power cut may leave it or not.
  public var isSynced: Bool {
    if durable[.kernel] > 0 { return durable[.disk] == durable[.kernel] }
    if let restored, restored.hash == 0 { return true }
    return restored == nil && inherited == nil || standing(at: .disk) != nil
  }
}
