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
    let (name, isBlind) = (object.name, context.history.deviceLock?.isBeforeFirstUnlock == true)
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
      let claimed = context.before.claimed[object.name], stands.hash == claimed
    else { return false }
    let newer = context.before.unsaved[object.name]?.hash
    return found.hash != claimed && found.hash != newer
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
