// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What is looked for and not found: nothing is lost as long as nothing is put in its place, for it may
// be on its way. Nothing stands at the path of a document in the cloud until it is downloaded.

extension Older {
  /// A read that found nothing of what had been saved.
  struct Missing: Sendable {
    let breach: Breach
    /// Why that may not be so, as far as was known by then.
    let doubt: Sentence?
  }

  /// Why a file that had versions, and is seen from outside of its program not to be there, may have been
  /// removed by right; nil for one that is there, or of which the program itself speaks.
  static func unobserved(_ event: borrowing Event, _ names: borrowing Names) -> Sentence? {
    let site = event.site
    guard event.observer == .observe, names[names[site].name] == "gone" else { return nil }
    return "what removed it may not have been observed"
  }

  /// Nothing was found; the first look counts.
  mutating func miss(
    _ breach: Breach,
    _ doubt: Sentence?,
    _ name: NameID,
    _ context: borrowing RuleContext
  ) {
    guard missing[name] == nil, context.hasRoom(missing.count, for: "object") else { return }
    var breach = breach
    // Before the first unlock all that is protected seems not to be there.
    if case .found(_, let kept, let look) = breach, context.isBlind {
      breach = .blind(kept: kept, look)
    }
    missing[name] = Missing(breach: breach, doubt: doubt)
  }

  /// A later look: something is there, or nothing even when it can be read.
  mutating func seeAgain(
    _ name: NameID,
    _ found: Payload.DataRestored,
    _ look: Look,
    _ context: borrowing RuleContext
  ) {
    if found.version > 0 || found.bytes > 0 {
      missing[name] = nil
    } else if !context.isBlind, let missed = missing[name], case .blind(let kept, _) = missed.breach
    {
      missing[name] = Missing(breach: .found(found, kept: kept, look), doubt: missed.doubt)
    }
  }

  /// A file is given up that this process has not read: as it could not, or as another one has saved since.
  mutating func giveUpUnread(
    _ name: NameID,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    // An edit that is taken back leaves what stands in the file.
    if context.state.data[name]?.isUnsaved(at: .kernel) == true { return missing[name] = nil }
    if case .blind? = missing[name]?.breach {
      writeOver(name, event, &context, names)
    } else {
      missing[name] = nil
      giveUpShared(name, event, &context, names)
    }
  }

  /// What was not found at the first place stands at another one.
  mutating func find(_ name: NameID, _ read: Payload.DataRead) {
    guard read.version > 0, let missed = missing[name], let kept = missed.breach.missed,
      read.version >= kept
    else { return }
    missing[name] = nil
  }

  /// Something is put in the place of what was not found; true where that is told for sure.
  @discardableResult
  mutating func writeOver(
    _ name: NameID,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    guard let missed = missing.removeValue(forKey: name), let object = context.state.data[name],
      let look = missed.breach.look
    else { return false }
    // A later look may be missing that has found it.
    let doubt = missed.doubt ?? context.unseen(.data, since: look.time)
    say(missed.breach, doubt, object, event, &context, names)
    return doubt == nil
  }

  /// No further look is to come.
  mutating func giveUpLooking(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for name in missing.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      // What could not be read stands there still.
      if case .blind? = missing[name]?.breach { missing[name] = nil }
      writeOver(name, event, &context, names)
    }
  }

  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    giveUpLooking(last, &context, names)
    tellReadBack(last, &context, names)
  }

  /// Whether a launch that has not looked at all has made a value anew: in the background, where nobody
  /// has edited, and about as many bytes as stood there.
  func isAnew(
    _ save: Payload.DataDurable,
    _ object: DataObject,
    _ context: borrowing RuleContext
  ) -> Bool {
    let (old, new) = (object.inherited?.bytes ?? 0, save.bytes)
    let isSeen = context.history.states.contains { $0.state == .active || $0.state == .inactive }
    return old > 0 && new > 0 && max(old, new) - min(old, new) <= old / 4 && !isSeen
      && object.failures == 0 && !object.isDoubtful
  }
}

// What is read while something newer is in memory takes its place there, or is joined with it.

extension Older {
  /// The file was read while `newer` was not saved: who made that may keep it, and join the two.
  mutating func readBack(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ newer: DataObject.Edit,
    _ look: Look,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let doubt = context.doubt(.data, since: newer.time)
    let scene = Scene(event: copy event, context: context, names: copy names)
    let breach = Breach.readBack(found, newer: newer, look, ago: scene.before(newer))
    guard newer.hash != 0, readBack[object.name] == nil,
      context.hasRoom(readBack.count, for: "object")
    else { return say(breach, doubt, object, event, &context, names) }
    readBack[object.name] = Missing(breach: breach, doubt: doubt)
  }

  /// The next edit: where it has the content that was in memory, nothing of that was lost.
  mutating func keepInMemory(
    _ name: NameID,
    _ dirty: Payload.DataDirty,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let read = readBack.removeValue(forKey: name), let object = context.state.data[name],
      case .readBack(_, let newer, _, _) = read.breach
    else { return }
    if dirty.hash == newer.hash { return context.held() }
    tell(read, object, event, &context, names)
  }

  private mutating func tell(
    _ read: Missing,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    // An edit may be missing that has kept it.
    let unseen = read.breach.look.flatMap { context.unseen(.data, since: $0.time) }
    say(read.breach, read.doubt ?? unseen, object, event, &context, names)
  }

  /// What was in memory is saved as it was: the read took nothing from it.
  mutating func keepSaved(
    _ name: NameID,
    _ save: Payload.DataDurable,
    _ context: inout RuleContext
  ) {
    guard let read = readBack[name], case .readBack(_, let newer, _, _) = read.breach,
      save.hash == newer.hash
    else { return }
    readBack[name] = nil
    context.held()
  }

  /// No further edit is to come.
  mutating func tellReadBack(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    for name in readBack.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let read = readBack[name], let object = context.state.data[name] else { continue }
      tell(read, object, event, &context, names)
    }
    readBack = [:]
  }
}

// What is given up is not to come back.

extension Older {
  /// What stands in a file is given up, and nothing newer is in memory: it is a deletion, and no edit
  /// that is taken back.
  mutating func delete(
    _ name: NameID,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) {
    guard let object = context.state.data[name], context.hasRoom(deleted.count, for: "object")
    else {
      return
    }
    let standing = max(object.durable[.kernel], object.restored?.version ?? 0)
    guard standing > 0, object.dirty?.version ?? 0 <= standing else { return }
    deleted[name] = (standing, Look(time: event.time, sequence: event.sequence, site: event.site))
  }

  /// The app has gone on since: its file was to be removed by now.
  ///
  /// An end right behind the word alone is nobody's fault.
  mutating func keepDeletions(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard !deleted.isEmpty else { return }
    let scene = Scene(event: copy event, context: context, names: copy names)
    for (name, (version, look)) in deleted
    where context.hasRoom(context.before.deleted.count, for: "object") {
      let words: Sentence =
        "It had been discarded\(scene.at(look.site)) (\(scene.event(look.sequence))), when version "
        + "\(version) stood in its file and nothing newer was in memory."
      context.before.deleted[name] = RuleContext.Deletion(
        version: version,
        words: words,
        witness: scene.witness("given up", look)
      )
    }
    deleted = [:]
  }
}

// A save that an end cuts short leaves what stood there, or the whole of the new.

extension Older {
  /// Whether a launch finds other bytes than could stand there whole, where the one before had ended in
  /// the middle of a save; only of an object whose file holds the very bytes of its edits.
  func isTorn(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ context: borrowing RuleContext
  ) -> Bool {
    let before = context.before
    guard object.isDoubtful, found.version == 0, found.bytes > 0, found.hash != 0,
      before.saving.contains(object.name), before.plain.contains(object.name),
      let edit = before.unsaved[object.name], edit.hash != 0
    else { return false }
    return !object.candidates.mayHave(.init(bytes: found.bytes, hash: found.hash))
  }
}

extension Older.Breach {
  /// The read that it stands at; nil for a breach at the event that is judged.
  var look: Older.Look? {
    switch self {
    case .found(_, _, let look), .gone(_, let look), .readBack(_, _, let look, _),
      .blind(_, let look):
      look
    default: nil
    }
  }

  /// Whether it is told as of that read; a read that could find nothing is no breach by itself.
  var isAtLook: Bool { if case .blind = self { false } else { true } }

  /// The version that was not found; nil for a breach of another kind.
  fileprivate var missed: UInt64? {
    switch self {
    case .found(_, let kept, _), .blind(let kept, _): kept
    case .gone(let save, _): save.version
    default: nil
    }
  }

  /// How grave it is, where it is less than the rule says.
  var grade: Severity? {
    switch self {
    // Sizes alone are no proof.
    case .stale(let old) where old.bytes > 0: .warning
    // The file may leave out what the edits have changed.
    case .stale(let old) where old.twin != nil: .warning
    case .overwritten(_, _, .madeAnew): .info
    // It may be nothing that is ever to be read.
    case .overwritten(_, _, .neverRead): .warning
    case .cameBack: .warning
    // Nobody has missed it.
    case .givenUp(let unread) where unread.look == nil: .warning
    // The app itself may have written them, by code that reports nothing.
    case .unread(_, let replacing) where replacing.foreign > 0 || !replacing.isRead: .warning
    default: nil
    }
  }
}
