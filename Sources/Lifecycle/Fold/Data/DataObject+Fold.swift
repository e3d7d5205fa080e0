// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

// How the events of a data object change what is known of it.

extension DataObject {
  mutating func edited(_ edit: Edit) {
    var edit = edit
    let newest = dirty?.version ?? 0
    if edit.version == 0 { edit.version = max(newest, durable[.process], discarded) &+ 1 }
    if firstUnsaved == nil { firstUnsaved = edit }
    if flushing != nil && firstAfterFlush == nil { firstAfterFlush = edit }
    if edit.version >= newest { dirty = edit }
    // What was read is made once more: an edit that is taken back.
    if edit.hash != 0, edit.hash == restored?.hash { isPlain = true }
    settle()
  }

  mutating func beganFlush(_ flush: Flush) {
    var flush = flush
    if flush.version == 0 { flush.version = dirty?.version ?? 0 }
    if let dirty, dirty.version == flush.version { flush.content = dirty.content }
    flushesOverlap = !openFlushes.isEmpty
    openFlushes.begin(flush.version)
    flushing = flush
    firstAfterFlush = nil
    candidates.add(flush.content)
  }

  mutating func saved(_ save: Save) {
    var save = save
    if save.version == 0 { save.version = flushing?.version ?? dirty?.version ?? 0 }
    compare(save)
    save.content = content(of: save)
    _ = openFlushes.end(save.version)
    took(save)
  }

  /// Nothing was written: the app has compared, and found that what stands there is this version too.
  mutating func confirmed(_ save: Save) {
    compare(save)
    guard !isOtherThanTold(save) else { return }
    var save = save
    if !isDoubtful, save.content.isKnown(toBe: standing.content) {
      save.level = max(save.level, standing.level)
    }
    took(save)
  }

  /// A save that has the bytes of its edit, or of an older one, shows that the file holds them as they are.
  private mutating func compare(_ save: Save) {
    guard !isPlain, save.content.hash != 0 else { return }
    isPlain = [dirty, firstUnsaved, firstAfterFlush].contains { $0?.hash == save.content.hash }
  }

  /// A version has reached a level.
  private mutating func took(_ save: Save) {
    place(save)
    lastSave = save
    if save.level >= .kernel {
      settle(upTo: save.version)
      // Nothing older replaces it any more.
      openFlushes.settle(upTo: save.version)
    }
    closeFlush()
    settle()
  }

  /// The saved content: as the save says, or, without a hash, as another event of the version says.
  private func content(of save: Save) -> Content {
    guard save.content.hash == 0 else { return save.content }
    var told: [Content] = []
    if let flushing, flushing.version == save.version { told.append(flushing.content) }
    if let dirty, dirty.version == save.version { told.append(dirty.content) }
    if let lastSave, lastSave.version == save.version { told.append(lastSave.content) }
    let bytes = save.content.bytes
    return told.first { $0.hash != 0 && (bytes == 0 || $0.bytes == bytes) } ?? save.content
  }

  private mutating func closeFlush() {
    guard openFlushes.isEmpty else { return }
    flushing = nil
    flushesOverlap = false
    isCrossed = false
  }

  /// What stands there is not what the edit of that version made: the app has compared with what a
  /// save has replaced meanwhile.
  private func isOtherThanTold(_ save: Save) -> Bool {
    guard let dirty, dirty.version == save.version, dirty.hash != 0, save.content.hash != 0 else {
      return false
    }
    return dirty.content != save.content
  }

  mutating func failed(_ failure: Failure, isAside: Bool) {
    failures &+= 1
    lastFailure = failure
    // What fails without having begun, such as a read, ends no save.
    if !isAside {
      _ = openFlushes.end(failure.version == 0 ? flushing?.version ?? 0 : failure.version)
    }
    closeFlush()
    settle()
  }

  mutating func gaveUp(_ version: UInt64) {
    discarded = max(discarded, version == 0 ? dirty?.version ?? 0 : version)
    // Given up by a launch that has neither read nor made a version: it is what was left to it.
    if discarded == 0 { inherited?.version = 0 }
    // The file may be gone with them; and a save under way may bring it back.
    isDoubtful = true
    isCrossed = !openFlushes.isEmpty
    settle(upTo: discarded)
    settle()
  }

  /// Versions up to `version` need no save any more: moves the oldest unsaved edit forward.
  private mutating func settle(upTo version: UInt64) {
    guard let dirty, dirty.version > version else {
      firstUnsaved = nil
      firstAfterFlush = nil
      return
    }
    guard let first = firstUnsaved, first.version <= version else { return }
    let next = firstAfterFlush.flatMap { $0.version > version ? $0 : nil }
    firstUnsaved = next ?? dirty
  }

  /// Bytes that stand there already need no save; those that a save has replaced need one again.
  private mutating func settle() {
    guard let dirty, dirty.hash != 0 else { return }
    if !isUnsaved(at: .kernel) {
      firstUnsaved = nil
    } else if firstUnsaved == nil {
      firstUnsaved = dirty
    }
  }

  mutating func wasRestored(_ found: Restored) {
    let isFirst = restored == nil && durable[.kernel] == 0
    if isFirst, openFlushes.isEmpty { foundAtLaunch = found }
    restored = found
    read(found.content, isFirst: isFirst)
    settle()
  }

  /// Another file than its own was read: where its own has never held anything, it may live there.
  mutating func readElsewhere(_ content: Content) {
    guard durable[.kernel] == 0, standing.content.hash == 0 else { return }
    isDoubtful = true
    candidates.add(content)
  }

  /// The newest version that the next incarnation can find when `level` is what survived, as far as is
  /// known; 0 for none.
  ///
  /// With what was given up its file may have gone. The app may have looked since, and found it.
  private func surviving(_ level: DurabilityLevel) -> UInt64 {
    let saved = durable[level]
    // Nothing was there, and nothing has been put there since: the launch behind finds no more.
    if saved == 0, let restored, restored.version == 0, restored.content.bytes == 0 { return 0 }
    let kept = saved > 0 ? saved : max(inherited?.version ?? 0, restored?.version ?? 0)
    guard kept <= discarded else { return kept }
    guard !isDoubtful else { return 0 }
    guard let restored, restored.sequence > lastSave?.sequence ?? 0 else { return kept }
    return restored.version
  }

  /// The object as the next incarnation finds it when `level` is what survived.
  package func inherited(at level: DurabilityLevel) -> DataObject {
    var next = DataObject(name: name)
    next.isPlain = isPlain
    next.inherited = Inherited(
      version: surviving(level),
      newest: max(dirty?.version ?? 0, durable[.process], inherited?.newest ?? 0),
      bytes: dirty?.bytes ?? lastSave?.content.bytes ?? inherited?.bytes ?? 0
    )
    // A save under way may have come through without a report. Bytes that were written and not
    // synced may all survive a power cut, or none of them.
    let isSettled = flushing == nil && !flushesOverlap && !isDoubtful
    next.isDoubtful = !isSettled || level > standing.level
    // Whatever is found after a power cut is on the disk.
    next.standing.level = level >= .disk ? .disk : isSettled ? min(standing.level, .disk) : .kernel
    if next.isDoubtful {
      next.candidates = candidates
    } else {
      next.standing.content = standing.content
      next.candidates.add(standing.content)
    }
    return next
  }
}

extension DataObject.Content {
  static let unknown = DataObject.Content(bytes: 0, hash: 0)
}

extension DataObject.Edit {
  /// The content that the edit made.
  var content: DataObject.Content { .init(bytes: bytes, hash: hash) }
}
