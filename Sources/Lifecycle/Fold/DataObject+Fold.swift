// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

// How the events of a data object change what is known of it.

extension DataObject {
  mutating func edited(_ edit: Edit) {
    var edit = edit
    let newest = dirty?.version ?? 0
    if edit.version == 0 { edit.version = max(newest, durable[.process], discarded) &+ 1 }
    if firstUnsaved == nil { firstUnsaved = edit }
    if flushing != nil && firstAfterFlush == nil { firstAfterFlush = edit }
    if edit.version >= newest { dirty = edit }
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
  }

  mutating func saved(_ save: Save) {
    var save = save
    if save.version == 0 { save.version = flushing?.version ?? dirty?.version ?? 0 }
    let content = content(of: save)
    let isEnd = openFlushes.end(save.version)
    if !isEnd, isOtherThanTold(content, save.version) { return }
    if !isEnd, content.isKnown(toBe: standing(at: .kernel)) {
      confirm(content, &save)
    } else {
      durable.reach(save.version, save.level, content)
    }
    lastSave = save
    if save.level >= .kernel {
      settle(upTo: save.version)
      // Nothing older replaces it any more.
      openFlushes.settle(upTo: save.version)
    }
    closeFlush()
    settle()
  }

  /// What was saved: as the save says, or where it names no hash, as what was told of that version.
  private func content(of save: Save) -> Content {
    let named = Content(bytes: save.bytes, hash: save.hash)
    guard save.hash == 0 else { return named }
    var told: [Content] = []
    if let flushing, flushing.version == save.version { told.append(flushing.content) }
    if let dirty, dirty.version == save.version { told.append(dirty.content) }
    for level in DurabilityLevel.allCases where durable[level] == save.version {
      told.append(durable[contentAt: level])
    }
    return told.first { $0.hash != 0 && (save.bytes == 0 || $0.bytes == save.bytes) } ?? named
  }

  private mutating func closeFlush() {
    guard openFlushes.isEmpty else { return }
    flushing = nil
    flushesOverlap = false
  }

  /// No save of that version has begun, and what stands there is not what its edit made: whoever says
  /// that it is durable has compared with what a save has replaced meanwhile.
  private func isOtherThanTold(_ content: Content, _ version: UInt64) -> Bool {
    guard let dirty, dirty.version == version, dirty.hash != 0, content.hash != 0 else {
      return false
    }
    return dirty.content != content
  }

  /// Nothing was written: the app says that what stands there is this version too, wherever it stands.
  private mutating func confirm(_ content: Content, _ save: inout Save) {
    let reached = DurabilityLevel.allCases.filter {
      $0 <= save.level || content.isKnown(toBe: standing(at: $0))
    }
    for level in reached where save.version >= durable[level] {
      durable[level] = save.version
      durable[contentAt: level] = content
    }
    save.level = reached.last ?? save.level
  }

  mutating func failed(_ failure: Failure) {
    failures &+= 1
    lastFailure = failure
    // What fails without having begun, such as a read, ends no save.
    _ = openFlushes.end(failure.version == 0 ? flushing?.version ?? 0 : failure.version)
    closeFlush()
    settle()
  }

  mutating func gaveUp(_ version: UInt64) {
    discarded = max(discarded, version == 0 ? dirty?.version ?? 0 : version)
    settle(upTo: discarded)
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

  /// The object as the next incarnation finds it when `level` is what survived.
  func inherited(at level: DurabilityLevel) -> DataObject {
    var next = DataObject(name: name)
    let newest = max(dirty?.version ?? 0, durable[.process], inherited?.newest ?? 0)
    let surviving = durable[level]
    // A save under way may have come through, and nobody was left to say so; and of what was written
    // and not synced a power cut may leave all, or nothing.
    let isKnown = flushing == nil && !flushesOverlap && (level < .disk || isSynced)
    let left =
      surviving > 0
      ? durable[contentAt: level] : restored?.content ?? inherited?.content ?? .unknown
    next.inherited = Inherited(
      version: surviving > 0 ? surviving : inherited?.version ?? 0,
      content: isKnown ? left : .unknown,
      level: levelLeft(by: level),
      newest: newest,
      bytes: dirty?.bytes ?? lastSave?.bytes ?? inherited?.bytes ?? 0
    )
    return next
  }

  /// The level of what an end leaves that `survived` survives.
  private func levelLeft(by survived: DurabilityLevel) -> DurabilityLevel {
    // Whatever is found after a power cut is on the disk.
    if survived >= .disk { return .disk }
    // A save under way may have taken its place, and not have been synced.
    if flushing != nil || flushesOverlap { return .kernel }
    return isSynced ? .disk : .kernel
  }
}

extension DataObject.Content {
  static let unknown = DataObject.Content(bytes: 0, hash: 0)

  /// The same where the other is known at all.
  func isKnown(toBe other: DataObject.Content?) -> Bool {
    other.map { isKnown(toBe: $0) } ?? false
  }
}

extension DataObject.Edit {
  /// What was made.
  var content: DataObject.Content { .init(bytes: bytes, hash: hash) }
}
