// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What a launch has reported durable is what the next one finds, or knows before it writes over it.

extension Older {
  /// What an object that is written over unread is to its app, as far as its launches show.
  enum Use: Sendable {
    /// Earlier launches have read it.
    case read
    /// No launch has ever read it: the app may only write it, or read it without a word.
    case neverRead
    /// A launch in the background makes it anew each time, perhaps.
    case madeAnew
  }

  /// A save that has said what it put there.
  struct Claim: Equatable, Sendable, BitwiseCopyable {
    var version: UInt64
    /// Of what the file holds; 0 where it was not said.
    var hash: UInt64
    var stream: StreamID
    var time: HostTime
    var sequence: UInt64
    var site: SiteID

    /// It as a witness of a later launch.
    func witness(_ names: Names) -> Witness {
      Witness(
        label: "saved",
        stream: stream,
        sequence: sequence,
        time: time,
        source: SourcePlace(site, names)
      )
    }
  }

  /// Another file was read than the object's own.
  mutating func look(
    for name: NameID,
    elsewhere read: Payload.DataRead,
    _ context: borrowing RuleContext
  ) {
    guard context.hasRoom(elsewhere.count, for: "object") else { return }
    let known = elsewhere[name]
    elsewhere[name] = read.version == 0 || known == 0 ? 0 : max(known ?? 0, read.version)
  }

  /// What a save says of the file; one without a hash, as of a version that a newer one has overtaken, says
  /// nothing of a file that holds a newer one.
  func claim(
    _ save: Payload.DataDurable,
    of name: NameID,
    _ event: borrowing Event,
    _ context: inout RuleContext
  ) {
    let known = context.before.claimed[name]
    guard save.hash != 0 || save.version > known?.version ?? 0,
      known != nil || context.before.claimed.count < LifeState.objectsMax
    else { return }
    context.before.claimed[name] = Claim(
      version: save.version,
      hash: save.hash,
      stream: context.stream,
      time: event.time,
      sequence: event.sequence,
      site: event.site
    )
  }

  /// What an object that is written over unread is to the app; nil where nothing is said of it.
  ///
  /// One that no launch has ever read is told once: the app does so each time. What is seen from outside
  /// of a program nobody has called its data: it may be a log, a cache, a file that it makes.
  func use(
    of object: DataObject,
    _ save: Payload.DataDurable,
    _ observer: Observer,
    _ context: inout RuleContext
  ) -> Use? {
    let (name, isBlind) = (object.name, context.isBlind)
    let wasRead = context.before.read.contains(name)
    // One that no launch has ever read may be made anew by each; one that launches do read, and this
    // one could not, is not.
    if isAnew(save, object, context), !(isBlind && wasRead) { return wasRead ? .madeAnew : nil }
    if wasRead || isBlind { return .read }
    // Nothing is gone where the same bytes are put there again.
    if let stands = object.standing(at: .kernel), stands.hash == save.hash { return nil }
    guard observer == .own, context.before.saved[name] != nil,
      context.before.writtenOver.insert(name).inserted
    else { return nil }
    return .neverRead
  }

  /// Whether a launch finds other bytes than were reported durable, of the same version or of none.
  ///
  /// A hash that stands for the edit alone is no claim of what the file holds; and an edit that was not
  /// saved when the launch before ended may be what is there.
  func isOther(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ kept: UInt64,
    _ context: borrowing RuleContext
  ) -> Bool {
    let isSame = found.version == kept || found.version == 0 && found.bytes > 0
    guard isSame, found.hash != 0, let stands = object.standing(at: .kernel),
      let claimed = context.before.claimed[object.name], stands.hash == claimed.hash
    else { return false }
    let newer = context.before.unsaved[object.name]?.hash
    return found.hash != claimed.hash && found.hash != newer
  }

  /// Why other bytes may be there by right.
  func doubtOfOther(
    _ object: DataObject,
    _ found: Payload.DataRestored,
    _ context: borrowing RuleContext
  )
    -> Sentence?
  {
    if let doubt = context.doubtBefore { return Self.missing(doubt) }
    if found.version == 0 {
      return
        "the bytes that were found stand for no version: another program may have put newer ones there"
    }
    // An app that does not report when a save begins may have been in the middle of one.
    guard let edit = context.before.unsaved[object.name],
      !context.before.flushed.contains(object.name)
    else { return nil }
    return "version \(edit.version) was not saved when the launch before ended, and may have been "
      + "written without a word"
  }
}

extension RuleContext {
  /// Whether protected files cannot be read, as the device has not been unlocked since it started.
  var isBlind: Bool { history.deviceLock?.isBeforeFirstUnlock == true }
}
