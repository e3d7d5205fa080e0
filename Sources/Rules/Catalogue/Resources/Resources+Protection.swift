// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Files that cannot be read while the device is locked.
extension Resources {
  static let openAtLock = Rule(
    "RS05",
    "No file with complete protection is open when the device is locked.",
    source: "App Programming Guide: close protected files in willResignActive; "
      + "NSFileProtectionComplete",
    fix: "Close it in willResignActive, or in protectedDataWillBecomeUnavailable; open it again in "
      + "didBecomeActive.",
    roles: .all,
    restsOnAllWork: true,
    thresholds: ["protected-files"],
    OpenAt<HeldResource>(
      moments: Trigger.stateChanges + [.event(.device), .event(.resourceRelease)],
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == .file },
      open: { event, context, names in
        guard isProtecting(event, context, names) else { return nil }
        guard event.kind == .resourceRelease else {
          return context.state.resources.values.filter { isProtected($0, names) }
        }
        let released = Payload.ResourceRelease(event)
        let code = UInt8(truncatingIfNeeded: released.class.rawValue)
        let key = ResourceKey(released.name, code, released.id ?? 0)
        guard let file = context.state.resources[key], isProtected(file, names) else { return nil }
        return [file]
      },
      finds: { file, event, context, _ in
        let lock = context.history.deviceLock
        // What is opened behind the lock is an access, and another rule's.
        if let lock, file.time > lock.time { return nil }
        if let doubt = lock?.doubt { return .unclear(doubt) }
        return .broken(
          unless: context.doubt(.resource, since: file.time)
            .map { "its release may be missing: \($0)" }
        )
      }
    ) { scene, file, isSure in
      let name: Sentence = "\(name: scene.names[file.name])"
      let lock = scene.context.history.deviceLock
      var witnesses = [scene.witness("file opened", file)]
      if let lock { witnesses.append(scene.witness("device locked", lock.sequence, lock.time)) }
      let end =
        switch scene.event.kind {
        case .resourceRelease: "file closed"
        case .device: lock == nil ? "device locked" : "device unlocked"
        default: "suspended"
        }
      witnesses.append(scene.witness(end))
      guard isSure else {
        return Story("\(name) may have been open while the device was locked", [], witnesses)
      }
      let opened: Sentence = "It was opened\(scene.at(file.site)) \(scene.before(file))."
      let limit = scene.limit(scene.context.profile.protectedFiles.kill)
      return Story(
        "\(name) was open, with complete protection, when the device was locked",
        [
          opened,
          "The system takes the key away \(limit) after the lock: reads and writes of it fail then.",
        ],
        witnesses
      )
    }
  )

  /// Whether this is a moment at which such a file must be closed: its key goes, or the app stops
  /// and cannot close it any more.
  private static func isProtecting(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    if let lock = DeviceLock(event, names) {
      guard lock.hasPasscode != false else { return false }
      return context.state.appState == .suspended
    }
    guard let lock = context.history.deviceLock, lock.hasPasscode != false else { return false }
    if let change = context.change { return change.suspends }
    let isUnlock = DeviceLock.isUnlock(event, names)
    guard event.kind == .resourceRelease || isUnlock else { return false }
    // What was open at a suspension since the lock has been judged there.
    let wasAsleep = context.state.lastSuspended.map { $0 >= lock.time } ?? false
    guard !wasAsleep, context.state.appState != .suspended else { return false }
    let grace = context.profile.protectedFiles.kill
    if case .within = context.compare(event.time - lock.time, grace) { return false }
    return true
  }

  private static func isProtected(_ file: HeldResource, _ names: borrowing Names) -> Bool {
    file.resourceClass == .file && names.isComplete(file.attribute)
  }

  static let usedLocked = Rule(
    "RS18",
    "No protected file is used while the device is locked, or before its first unlock.",
    source: "App Programming Guide: any attempt to access protected files fails; "
      + "UIApplication isProtectedDataAvailable; NSFileProtectionCompleteUntilFirstUserAuthentication",
    fix:
      "Ask isProtectedDataAvailable, and wait for protectedDataDidBecomeAvailable; give what the "
      + "background needs completeUntilFirstUserAuthentication.",
    roles: .all,
    thresholds: ["protected-files"],
    Each(attention: [.event(.resourceAcquire), .event(.resourceUse)], countsOnce: true) {
      event,
      context,
      names in
      guard let attribute = accessed(event, names) else { return nil }
      guard let lock = context.history.deviceLock, lock.hasPasscode != false else { return .held }
      guard names.isComplete(attribute) || lock.isBeforeFirstUnlock else { return .held }
      let unlock = context.doubt(.device, since: lock.time)
      let doubt = lock.doubt ?? unlock.map { "an unlock may be missing: \($0)" }
      // No key has been there yet that could last for a while.
      if lock.isBeforeFirstUnlock { return .broken(unless: doubt) }
      let grace = context.profile.protectedFiles.kill
      switch context.compare(event.time - lock.time, grace, since: lock.sequence) {
      case .within: return .held
      case .unclear(let reason):
        guard context.atFullSpeed(since: lock.time, until: event.time) > grace else {
          return .unclear(reason)
        }
      case .over: break
      }
      return .broken(unless: doubt)
    } says: { scene in
      let name: Sentence = "\(name: scene.names[scene.event.identityName])"
      let verb = scene.event.kind == .resourceAcquire ? "opened" : "used"
      var witnesses = [scene.witness("file \(verb)")]
      guard let lock = scene.context.history.deviceLock else { return Story(name, [], witnesses) }
      witnesses.append(scene.witness("device locked", lock.sequence, lock.time))
      if lock.isBeforeFirstUnlock {
        return Story(
          "\(name) was \(verb)\(scene.at(scene.event.site)) before the first unlock of the device",
          [
            "The device has been started and not unlocked since: files with complete protection, and "
              + "those that are protected until the first unlock, cannot be read. What comes back "
              + "empty is no file."
          ],
          witnesses,
          advice:
            "Ask isProtectedDataAvailable, and wait for protectedDataDidBecomeAvailable; only a "
            + "file without protection can be read before the first unlock."
        )
      }
      return Story(
        "\(name) was \(verb)\(scene.at(scene.event.site)) while the device was locked",
        [
          "It has complete protection, and the device had been locked for "
            + "\(scene.since(lock.time)): the access fails, and what comes back empty is no file."
        ],
        witnesses
      )
    }
  )

  /// The protection of a file that an event opens or uses; nil where no lock makes it unreadable.
  private static func accessed(_ event: borrowing Event, _ names: borrowing Names) -> NameID? {
    let (kind, attribute): (ResourceClass?, NameID)
    if event.kind == .resourceAcquire {
      let opened = Payload.ResourceAcquire(event)
      (kind, attribute) = (opened.class.value, opened.attribute ?? .empty)
    } else {
      let used = Payload.ResourceUse(event)
      (kind, attribute) = (used.class.value, used.attribute ?? .empty)
    }
    guard kind == .file, names.isComplete(attribute) || names.isUntilFirstUnlock(attribute) else {
      return nil
    }
    return attribute
  }
}
