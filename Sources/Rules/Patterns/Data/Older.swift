// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Data only grows newer: in its file, from launch to launch, between processes, and in memory.
///
///     Older { scene, object, breach in Story("…", …) }
///
/// Version numbers decide, and the hash of the content where both sides have one.
struct Older: Pattern {
  /// How older data came in place of newer.
  enum Breach: Sendable {
    /// A launch found a version older than the one that had been made durable before it.
    case found(Payload.DataRestored, kept: UInt64, Look)
    /// Nothing was found of what this process had saved.
    case gone(DataObject.Save, Look)
    /// A save replaced what an earlier launch had saved, and this one had never read it.
    case overwritten(saved: UInt64, kept: UInt64, Use)
    /// A save replaced what another process had put there since this one last looked.
    case unread(saved: UInt64, Replacing)
    /// The file was read while a newer version was in memory only, so long before.
    case readBack(Payload.DataRestored, newer: DataObject.Edit, Look, ago: Sentence)
    /// A save of one version wrote the bytes of an earlier one, or none.
    case stale(Stale)
    /// A launch found neither what had been saved nor what was being saved when the one before ended.
    case torn(Payload.DataRestored, kept: UInt64)
    /// A launch found other bytes than had been reported durable of that version; of bytes without a
    /// version it is not known whose they are.
    case other(Payload.DataRestored, kept: UInt64)
    /// A launch found what one before it had given up.
    case cameBack(Payload.DataRestored, RuleContext.Deletion)
    /// Nothing was found of what one app had saved, and another, which shares the file, has removed.
    case removed(SharedData.Deed, by: SharedData.Deed)
    /// A file was given up in which another app's newer version stood, unread.
    case givenUp(SharedData.Unread)
    /// What a launch could not read before the first unlock, and took for nothing, was written over or given up.
    case blind(kept: UInt64, Look)
  }

  /// A save under way that replaces a version which this process has not read.
  struct Replacing: Equatable, Sendable, BitwiseCopyable {
    /// The version that is saved.
    var version: UInt64
    /// The version that goes; 0 where none stands for it.
    var replaced: UInt64
    /// How many bytes go that no version stands for.
    var foreign: UInt64
    /// What this process knew the file to hold: what it had read there last, or saved; nil where
    /// it had done neither.
    var known: Known?
    /// Whether this process or one before it has read the file; else it may be made anew each time.
    var isRead: Bool
  }

  /// A read of a file.
  struct Look: Opened, Equatable, BitwiseCopyable {
    var time: HostTime
    var sequence: UInt64
    var site: SiteID
  }

  /// When a process last knew what a file holds.
  struct Known: Equatable, Sendable, BitwiseCopyable {
    var version: UInt64
    /// Whether it had read that; else it had saved it.
    var isRead: Bool
    var time: HostTime
    var sequence: UInt64
  }

  let says: @Sendable (Scene, DataObject, Breach, _ isSure: Bool) -> Story
  private(set) var edits = FlatTable<NameID, Edits>()
  /// The last saves of objects that have a form of their own in their files.
  var forms = Forms()
  /// Saves of older bytes, which the right ones may still replace.
  var stale = FlatTable<NameID, Stale>()
  /// Reads that found nothing of what had been saved, until it is written over or looked for again.
  var missing: [NameID: Missing] = [:]
  /// Reads while a newer version was in memory only, until it is known whether that was kept.
  var readBack: [NameID: Missing] = [:]
  /// What was given up with the version that stood in its file, until the app goes on to another state.
  var deleted: [NameID: (version: UInt64, look: Look)] = [:]
  /// How many saves wrote as many bytes as their edits had, up to two; 255 where one wrote more.
  var exact = FlatTable<NameID, UInt8>()
  /// Objects of which another file was read, and the newest version there; 0 for bytes without a version,
  /// which may be newer than any.
  var elsewhere: [NameID: UInt64] = [:]
  /// Objects that this launch has numbered anew, unaware of the versions that were left to it.
  private(set) var recounted: Set<NameID> = []
  private(set) var replacing = FlatTable<NameID, Replacing>()

  init(says: @escaping @Sendable (Scene, DataObject, Breach, _ isSure: Bool) -> Story) {
    self.says = says
  }

  var attention: [Trigger] {
    [
      EventKind.dataDirty, .dataRestored, .dataFlushing, .dataFailed, .dataDurable, .dataDiscarded,
      .dataRead,
    ].map(Trigger.event) + Trigger.stateChanges
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard event.kind.family == .data else { return leave(event, &context, names) }
    let name = names.known(event.identityName)
    switch event.kind {
    case .dataDiscarded:
      giveUpUnread(name, event, &context, names)
      readBack[name] = nil
      giveUp(name, Payload.DataDiscarded(event).version)
      forms.forget(name)
      delete(name, event, context)
    case .dataDirty:
      (deleted[name], context.before.deleted[name]) = (nil, nil)
      keepInMemory(name, Payload.DataDirty(event), event, &context, names)
      note(name, Payload.DataDirty(event), context)
    case .dataFlushing:
      let isTold = writeOver(name, event, &context, names)
      note(name, Payload.DataFlushing(event), context)
      if isTold { _ = takeReplacing(name) }
      if context.before.flushed.count < LifeState.objectsMax { context.before.flushed.insert(name) }
    case .dataFailed: _ = takeReplacing(name)
    case .dataRead:
      let read = Payload.DataRead(event)
      find(name, read)
      look(for: name, elsewhere: read, context)
    case .dataRestored:
      forms.forget(name)
      guard let object = context.state.data[name] else { return }
      restored(object, event, &context, names)
    default:
      guard let object = context.state.data[name] else { return }
      saved(object, event, &context, names)
    }
  }

  private mutating func note(
    _ name: NameID,
    _ dirty: Payload.DataDirty,
    _ context: borrowing RuleContext
  ) {
    if let object = context.state.data[name], object.isUnread, dirty.version > 0,
      dirty.version <= object.inherited?.version ?? 0,
      context.hasRoom(recounted.count, for: "object")
    {
      recounted.insert(name)
    }
    guard dirty.hash != 0 else { return }
    if let place = edits.place(of: name) {
      edits.update(at: place) { $0.add(dirty.hash, dirty.version) }
    } else if context.hasRoom(edits.count, for: "object") {
      var known = Edits()
      known.add(dirty.hash, dirty.version)
      edits.insert(known, for: name)
    }
  }

  /// Whoever has neither read nor saved a file before replaces nothing that was its base.
  private mutating func note(
    _ name: NameID,
    _ flush: Payload.DataFlushing,
    _ context: borrowing RuleContext
  ) {
    _ = takeReplacing(name)
    let (replaced, foreign) = (flush.unread ?? 0, flush.foreign ?? 0)
    guard replaced > 0 || foreign > 0, context.hasRoom(replacing.count, for: "save"),
      let object = context.state.data[name]
    else { return }
    var isRead = context.before.read.contains(name)
    if object.restored != nil { isRead = true }
    guard isRead || object.lastSave != nil else { return }
    replacing.insert(
      Replacing(
        version: flush.version,
        replaced: replaced,
        foreign: foreign,
        known: object.known,
        isRead: isRead
      ),
      for: name
    )
  }

  private mutating func takeReplacing(_ name: NameID) -> Replacing? {
    guard let place = replacing.place(of: name) else { return nil }
    defer { replacing.remove(at: place) }
    return replacing[name]
  }

  // MARK: Reading

  private mutating func restored(
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let found = Payload.DataRestored(event)
    let look = Look(time: event.time, sequence: event.sequence, site: event.site)
    let unobserved = Self.unobserved(event, names)
    seeAgain(object.name, found, look, context)
    deleted[object.name] = nil
    if isExplained(object, found, look, event, &context, names) { return }
    if let deletion = context.before.deleted.removeValue(forKey: object.name),
      found.version > 0, found.version <= deletion.version, object.isUntold
    {
      let breach = Breach.cameBack(found, deletion)
      return say(breach, context.before.doubt, object, event, &context, names)
    }
    if let newer = object.dirty, found.version > 0, object.isUnsaved(at: .kernel) {
      // One that is being saved may have come through already.
      guard !object.isBeingSaved, !found.isSame(newer.hash) else { return }
      guard found.version < newer.version else { return context.held() }
      return readBack(object, found, newer, look, event, &context, names)
    }
    if found.version == 0, found.bytes == 0, let save = object.lastSave, save.content.bytes > 0,
      save.level >= .kernel, save.version > object.discarded, object.openFlushes.isEmpty,
      object.restored.map({ $0.sequence < save.sequence }) ?? true
    {
      let doubt = context.doubt(.data, since: save.time) ?? unobserved
      return miss(.gone(save, look), doubt, object.name, context)
    }
    guard context.before.isLinked, object.isUnread, object.openFlushes.isEmpty,
      let kept = object.inherited?.version, kept > 0
    else { return }
    if isTorn(object, found, context) {
      return say(.torn(found, kept: kept), context.doubtBefore, object, event, &context, names)
    }
    guard !object.isDoubtful else { return }
    let isAsLeft = object.standing(at: .kernel).map { found.isSame($0.hash) } ?? false
    if isAsLeft, context.before.asEdited.contains(object.name),
      context.before.plain.count < LifeState.objectsMax
    {
      context.before.plain.insert(object.name)
    }
    if isOther(object, found, kept, context) {
      let (breach, reason) = (Breach.other(found, kept: kept), doubtOfOther(object, found, context))
      return say(breach, because: reason, object, event, &context, names)
    }
    if found.version >= kept || isAsLeft { return context.held() }
    // Bytes that no save has numbered may be newer ones, of another program.
    guard found.version > 0 || found.bytes == 0 else { return }
    let breach = Breach.found(found, kept: kept, look)
    guard found.version > 0 else {
      let doubt = context.doubtBefore ?? unobserved
      return miss(breach, doubt, object.name, context)
    }
    say(breach, context.doubtBefore, object, event, &context, names)
  }

  // MARK: Saving

  private mutating func saved(
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    writeOver(object.name, event, &context, names)
    let save = Payload.DataDurable(event)
    keepSaved(object.name, save, &context)
    guard let level = save.level.value, level >= .kernel, save.version > 0 else { return }
    // A save that a newer one has overtaken replaces nothing, and has no hash; nor has any that is seen
    // from outside of the program.
    let observer = event.observer
    let isPlaced = save.hash != 0 || observer == .observe
    claim(save, of: object.name, event, &context)
    let replacing = takeReplacing(object.name).flatMap {
      $0.version == save.version && isPlaced ? $0 : nil
    }
    if let old = takeStale(save, of: object, event, &context) {
      return wrote(old, object, event, &context, names)
    }
    replaced(save, replacing, object, event, &context, names)
  }

  /// Bytes of an older edit were saved as those of a newer one.
  private mutating func wrote(
    _ old: Stale,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    // Newer bytes stood there: they have gone. Else the right ones may be on their way.
    guard isOlder(old, than: object) else { return expect(old, for: object.name, context) }
    // An edit that is missing may have had those bytes before.
    let doubt = context.unseen(.data, since: HostTime(rawValue: .min))
    say(.stale(old), doubt, object, event, &context, names)
  }

  /// What stood in the file before a save, and whether it was known to who saved.
  private func replaced(
    _ save: Payload.DataDurable,
    _ replacing: Replacing?,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    // Its own earlier launch first: that has more to say, and may have saved what is replaced.
    // Where a save was under way when that ended, something stood there all the same.
    if let kept = unread(object, before: save), replacing.map({ $0.replaced <= kept }) ?? true {
      guard let use = use(of: object, save, event.observer, &context) else { return }
      let breach = Breach.overwritten(saved: save.version, kept: kept, use)
      return say(breach, context.doubtBefore, object, event, &context, names)
    }
    if let replacing {
      // The SDK has looked at the file itself: nothing that is missing can explain it.
      say(.unread(saved: save.version, replacing), nil, object, event, &context, names)
    } else if object.isUntouched, let kept = object.inherited?.version, kept > 0 {
      context.held()
    }
  }

  /// The version that an earlier launch has left and this one has not read, where a save writes over
  /// it: of that version or an older one, or of a newer one that was counted from anew.
  private func unread(_ object: DataObject, before save: Payload.DataDurable) -> UInt64? {
    guard object.isUnread, let kept = object.inherited?.version,
      kept > object.discarded, save.version <= kept || recounted.contains(object.name)
    else { return nil }
    // What stands at another place is what was left here, or newer, unless its number is an older one's.
    if let other = elsewhere[object.name], other == 0 || other >= kept { return nil }
    return kept
  }

  /// Out of line: the optimiser of Swift 6.3.1 crashes where it puts this into `saved`.
  @inline(never)
  func say(
    _ breach: Breach,
    _ doubt: Sentence?,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    say(breach, because: doubt.map(Self.missing), object, event, &context, names)
  }

  /// Why it is not known what was there, where events are missing.
  static func missing(_ doubt: Sentence) -> Sentence { "data events are missing: \(doubt)" }

  @inline(never)
  func say(
    _ breach: Breach,
    because reason: Sentence?,
    _ object: DataObject,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var finding = Finding.broken(unless: reason)
    if reason == nil, let grade = breach.grade { finding = .broken(grade) }
    let place = breach.isAtLook ? breach.look.map { ($0.sequence, $0.time) } : nil
    context.say(finding, at: place, object: object.name, event, names) {
      says($0, object, breach, reason == nil)
    }
  }
}

extension DataObject {
  /// Whether this launch has neither read it nor saved it, and its file holds what the one before left.
  var isUntouched: Bool { isUnread && !isDoubtful }

  /// Whether this launch has neither read, made nor saved anything of it.
  fileprivate var isUntold: Bool { isUnread && dirty == nil }

  /// Whether this launch has neither read it nor saved it.
  fileprivate var isUnread: Bool { restored == nil && durable[.kernel] == 0 }

  /// What this process last knew its file to hold.
  fileprivate var known: Older.Known? {
    let read = restored.map {
      Older.Known(version: $0.version, isRead: true, time: $0.time, sequence: $0.sequence)
    }
    let saved = lastSave.map {
      Older.Known(version: $0.version, isRead: false, time: $0.time, sequence: $0.sequence)
    }
    guard let read, let saved else { return read ?? saved }
    return read.sequence > saved.sequence ? read : saved
  }
}

extension Payload.DataRestored {
  /// Whether its content is known to have that hash.
  fileprivate func isSame(_ other: UInt64) -> Bool { hash != 0 && hash == other }
}

extension RuleContext {
  /// Why what the launches before have left may not be as it is known.
  var doubtBefore: Sentence? { before.doubt ?? doubt(.data) }
}
