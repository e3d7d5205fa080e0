// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Saves that wrote the bytes of another version than theirs. A queue or an actor to which each edit
// hands its snapshot does so all the time, as a save has the number of the newest edit: only what
// still stands when the app is left is missing, or what newer bytes have gone for.

extension Older {
  /// A save of one version that wrote the bytes of an earlier one.
  struct Stale: Equatable, Sendable, BitwiseCopyable {
    /// The version that is called saved, and the edit that made it.
    var edit: DataObject.Edit
    /// The version whose bytes are there; 0 where there are none at all.
    var written: UInt64
    /// How many bytes are there, where no hash tells which; 0 for not known, or none.
    var bytes = UInt64(0)
    var time: HostTime
    var sequence: UInt64
    var site: SiteID
    /// The save of another content that wrote the very same bytes, where no save has those of its edit.
    var twin: Formed?
  }

  /// The last contents of an object in memory, and their versions; 0 for none.
  struct Edits: Equatable, Sendable, BitwiseCopyable {
    private var hashes = SIMD8<UInt64>(repeating: 0)
    private var versions = SIMD8<UInt64>(repeating: 0)
    private var next = 0

    mutating func add(_ hash: UInt64, _ version: UInt64) {
      hashes[next] = hash
      versions[next] = version
      next = (next + 1) % 8
    }

    /// The versions that had this content, the first and the last of them.
    func versions(of hash: UInt64) -> ClosedRange<UInt64>? {
      var found: ClosedRange<UInt64>?
      for index in 0..<8 where hashes[index] == hash && versions[index] > 0 {
        let version = versions[index]
        found = min(found?.lowerBound ?? version, version)...max(found?.upperBound ?? 0, version)
      }
      return found
    }
  }

  /// What a save has put there in place of its own version; nil where that is right, or not known.
  mutating func takeStale(
    _ save: Payload.DataDurable,
    of object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext
  ) -> Stale? {
    let name = object.name
    if let before = stale[name], save.hash != 0 || save.version >= before.edit.version {
      stale.remove(name)
    }
    guard let edit = object.dirty, edit.version == save.version else { return nil }
    guard edit.hash != 0, save.hash != 0 else {
      return isShort(save, of: edit, name, context) ? Stale(save, of: edit, written: 0, event) : nil
    }
    guard save.hash != edit.hash else {
      if context.before.plain.count < LifeState.objectsMax { context.before.plain.insert(name) }
      context.held()
      return nil
    }
    guard let written = written(save, edit, object, context) else {
      return again(save, of: edit, object, event, &context)
    }
    guard written < save.version else { return nil }
    return Stale(save, of: edit, written: written, event)
  }

  /// Whether a save wrote less than its edit has, as far as sizes tell where there are no hashes.
  ///
  /// A file may hold less than memory does: only where two saves of the object wrote exactly as much
  /// as their edits had, and none wrote more, is less too little.
  private mutating func isShort(
    _ save: Payload.DataDurable,
    of edit: DataObject.Edit,
    _ name: NameID,
    _ context: borrowing RuleContext
  ) -> Bool {
    guard save.bytes > 0, edit.bytes > 0 else { return false }
    let known = exact[name] ?? 0
    if save.bytes < edit.bytes { return known == 2 }
    let count: UInt8 = save.bytes > edit.bytes ? .max : known < 2 ? known + 1 : known
    if let place = exact.place(of: name) {
      exact.update(at: place) { $0 = count }
    } else if context.hasRoom(exact.count, for: "object") {
      exact.insert(count, for: name)
    }
    return false
  }

  /// The version that has the bytes of a save.
  ///
  /// A file may hold more than the bytes of the edit, and be as it was read though there was an
  /// edit: what was read tells only where a save of this object was seen to write those of its edit.
  private func written(
    _ save: Payload.DataDurable,
    _ edit: DataObject.Edit,
    _ object: DataObject,
    _ context: borrowing RuleContext
  ) -> UInt64? {
    if let known = edits[object.name]?.versions(of: save.hash) { return known.upperBound }
    if let read = object.restored, read.hash == save.hash, read.version > 0,
      context.before.plain.contains(object.name)
    {
      return read.version
    }
    return save.bytes == 0 && edit.bytes > 0 ? 0 : nil
  }

  /// Whether newer bytes than it has written are known to have stood there.
  func isOlder(_ old: Stale, than object: DataObject) -> Bool {
    guard old.written > 0, let stood = object.standing(at: .kernel),
      let versions = edits[object.name]?.versions(of: stood.hash)
    else { return false }
    return versions.lowerBound > old.written
  }

  mutating func expect(_ old: Stale, for name: NameID, _ context: borrowing RuleContext) {
    guard context.hasRoom(stale.count, for: "save") else { return }
    stale.insert(old, for: name)
  }

  mutating func giveUp(_ name: NameID, _ version: UInt64) {
    guard let old = stale[name], version == 0 || version >= old.edit.version else { return }
    stale.remove(name)
  }

  /// The app stops running: what older bytes stand there now, stay.
  ///
  /// Of an edit behind it, and of a save under way, other rules speak.
  mutating func leave(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let change = context.change else { return }
    let isEnd = change.to == .notRunning
    if isEnd { deleted = [:] } else { keepDeletions(event, &context, names) }
    if isEnd {
      giveUpLooking(event, &context, names)
      tellReadBack(event, &context, names)
    }
    guard !stale.isEmpty else { return }
    let cause = names[event.endingCause]
    guard change.suspends || isEnd, !isEnd || !HarnessEnd.isOne(cause) else { return }
    for (name, old) in stale.entries.map({ ($0.key, $0.value) }) {
      guard let object = context.state.data[name], object.openFlushes.isEmpty else { continue }
      stale.remove(name)
      guard object.dirty?.version == old.edit.version else { continue }
      if old.twin != nil { forms.isTold(name) }
      // A content that came back may have come back in an edit that is missing, whenever that was.
      let since = old.twin == nil ? old.time : HostTime(rawValue: .min)
      say(.stale(old), context.unseen(.data, since: since), object, event, &context, names)
    }
  }
}

extension Older.Stale {
  init(
    _ save: Payload.DataDurable,
    of edit: DataObject.Edit,
    written: UInt64,
    _ event: borrowing Event
  ) {
    (self.edit, self.written) = (edit, written)
    bytes = edit.hash == 0 || save.hash == 0 ? save.bytes : 0
    (time, sequence, site) = (event.time, event.sequence, event.site)
  }
}

extension FlatTable {
  fileprivate mutating func remove(_ key: Key) {
    if let place = place(of: key) { remove(at: place) }
  }
}
