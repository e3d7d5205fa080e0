// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What the system refused, because the file was protected, is made good later.
///
///     Refused(.read) { scene, refusal in Story("… was written over, and reading it had failed", …) }
struct Refused: Pattern {
  enum Deed: Sendable {
    /// A read: until one succeeds, nothing is written there, and what stands there is not given up.
    case read
    /// A save: once the device is unlocked it is done again.
    case save
  }

  /// A refusal by the system.
  struct Refusal: Opened {
    let object: NameID
    let version: UInt64
    let errno: Int64
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    /// When the device was unlocked after it.
    var unlocked: HostTime?

    /// Whether it is one that an unlock ends.
    var isProtected: Bool { DataObject.Failure.protections.contains(errno) }
  }

  /// More than this at once are not followed.
  private static let refusalsMax = 256
  let deed: Deed
  let says: @Sendable (Scene, Refusal, _ isSure: Bool) -> Story
  private(set) var refusals: [Refusal] = []

  init(_ deed: Deed, says: @escaping @Sendable (Scene, Refusal, _ isSure: Bool) -> Story) {
    (self.deed, self.says) = (deed, says)
  }

  var attention: [Trigger] {
    let always = [EventKind.dataFailed, .dataDurable].map(Trigger.event)
    switch deed {
    case .read: return always + [.event(.dataRestored), .event(.dataDiscarded)]
    case .save: return always + [.event(.dataDiscarded), .event(.device)] + Trigger.stateChanges
    }
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .dataFailed: note(event, context, names)
    case .dataDurable where deed == .read:
      guard let level = Payload.DataDurable(event).level.value, level >= .kernel else { return }
      lose(event, &context, names)
    case .dataDiscarded where deed == .read:
      // An edit that is taken back is none of what stands in the file.
      let object = context.state.data[names.known(event.identityName)]
      if object?.isUnsaved(at: .kernel) != true { lose(event, &context, names) }
    case .dataDurable, .dataRestored, .dataDiscarded:
      guard !refusals.isEmpty else { return }
      let name = names.known(event.identityName)
      guard refusals.contains(where: { $0.object == name }) else { return }
      refusals.removeAll { $0.object == name }
      context.held()
    case .device:
      guard names[Payload.Device(event).what] == "unlock" else { return }
      for index in refusals.indices where refusals[index].unlocked == nil {
        refusals[index].unlocked = event.time
      }
    default: leave(event, &context, names)
    }
  }

  private mutating func note(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    let failed = Payload.DataFailed(event)
    let isRead = failed.aside == true && names[failed.why] == "read"
    guard isRead == (deed == .read), failed.aside != true || isRead else { return }
    // A save that fails on an unlocked device has another reason than protection.
    let isProtected = DataObject.Failure.protections.contains(failed.errno)
    let isLocked = context.state.isDeviceLocked == true
    guard isRead || isProtected && isLocked else { return }
    let name = names.known(failed.object)
    refusals.removeAll { $0.object == name }
    guard context.hasRoom(refusals.count, of: Self.refusalsMax, for: "refusal") else { return }
    refusals.append(
      Refusal(
        object: name,
        version: failed.version,
        errno: failed.errno,
        time: event.time,
        sequence: event.sequence,
        site: event.site
      )
    )
  }

  /// A save over what could not be read, or the end of it.
  private mutating func lose(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let name = names.known(event.identityName)
    guard let place = refusals.firstIndex(where: { $0.object == name }) else { return }
    let refusal = refusals.remove(at: place)
    let doubt: Sentence? = context.doubt(.data, since: refusal.time).map {
      "a later read may be missing: \($0)"
    }
    var finding = Finding.broken(unless: doubt)
    // What the disk itself does not give back nobody can read later.
    if doubt == nil, event.kind == .dataDiscarded, !refusal.isProtected {
      finding = .broken(.warning)
    }
    context.say(finding, object: name, event, names) { says($0, refusal, doubt == nil) }
  }

  /// The app stops running, and has run unlocked since a save was refused.
  private mutating func leave(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let change = context.change, change.suspends || change.to == .notRunning else { return }
    guard change.from != .suspended else { return }
    for refusal in refusals where refusal.unlocked != nil {
      guard let object = context.state.data[refusal.object], object.isUnsaved(at: .kernel) else {
        continue
      }
      // It is being done again: what the end does to that is for other rules.
      if let save = object.flushing, save.sequence > refusal.sequence,
        save.version >= refusal.version
      {
        context.held()
        continue
      }
      let doubt: Sentence? = context.doubt(.data, since: refusal.time).map {
        "a later save may be missing: \($0)"
      }
      context.say(.broken(unless: doubt), object: refusal.object, event, names) {
        says($0, refusal, doubt == nil)
      }
    }
    refusals.removeAll { $0.unlocked != nil }
  }
}

extension DataObject {
  /// Whether the system has refused to save the newest version, and the device is locked still: the
  /// app can do nothing for it but to save it again at the unlock.
  func isRefused(_ context: borrowing RuleContext) -> Bool {
    // What is missing may be the lock.
    let isLocked = context.state.isDeviceLocked == true
    let mayBeLocked = context.doubt(.device) != nil
    guard isLocked || mayBeLocked, let dirty, let failure = lastFailure else { return false }
    return failure.sequence > dirty.sequence && failure.version >= dirty.version
      && Failure.protections.contains(failure.errno)
  }
}

extension DataObject.Failure {
  /// The errors by which the system refuses what is protected: EPERM, EACCES, and
  /// `errSecInteractionNotAllowed` of the keychain.
  fileprivate static let protections: [Int64] = [1, 13, -25308]
}
