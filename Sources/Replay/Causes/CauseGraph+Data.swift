// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

extension CauseGraph {
  /// A lost edit leads to what should have saved it: a save that failed or did not reach far enough,
  /// one that was cancelled, or the end of the task that was to cover it, or the answer to the wake in which
  /// it was made, as the app had no more time from there on.
  func lostEdit(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until else { return [] }
    let edit = Payload.DataDirty(scene.event)
    let level = level(at: EventPlace(stream: scene.stream, index: until))
    var last: (relation: CauseRelation, place: EventPlace)?
    var flush: (sequence: UInt64, thread: ThreadID)?
    let kinds: [EventKind] = [
      .dataFlushing, .dataDurable, .dataFailed, .resourceAcquire, .resourceRelease, .taskEnd,
      .wakeCompletion, .transition,
    ]
    let wakes = scene.state.wakes
    scan(scene.stream, scene.index + 1..<until, KindSet(kinds)) { event, place in
      if event.kind == .taskEnd {
        if let flush, isTaskEnd(event, at: place, for: flush) { last = (.taskEnded, place) }
        return
      }
      if event.kind == .wakeCompletion {
        if wakes[event.identity] != nil, isLastOfItsTime(place) { last = (.answered, place) }
        return
      }
      // In front of the user it had all the time again.
      if event.kind == .transition {
        if last?.relation == .answered, Payload.Transition(event).to.value != .background {
          last = nil
        }
        return
      }
      guard event.identityName == edit.object else { return }
      switch event.kind {
      case .dataFlushing where event.thread != .main:
        flush = (event.sequence, event.thread)
        if last?.relation == .cancelled { last = nil }
      case .dataFlushing: if last?.relation == .cancelled { last = nil }
      case .dataDurable:
        let save = Payload.DataDurable(event)
        flush = nil
        guard save.version >= edit.version else { return }
        if save.level.value.map({ $0 < level }) ?? false { last = (.savedTooLow, place) }
      case .dataFailed:
        let failure = Payload.DataFailed(event)
        flush = nil
        if failure.aside != true, failure.version >= edit.version { last = (.saveFailed, place) }
      case .resourceAcquire:
        if Payload.ResourceAcquire(event).class.value == .pendingSave, last?.relation == .cancelled
        {
          last = nil
        }
      case .resourceRelease:
        if Payload.ResourceRelease(event).class.value == .pendingSave { last = (.cancelled, place) }
      default: break
      }
    }
    return last.map { [CauseLink(relation: $0.relation, cause: CauseNode(place: $0.place))] } ?? []
  }

  /// Whether nothing keeps the app running any more from the answer to a wake on.
  private func isLastOfItsTime(_ answer: EventPlace) -> Bool {
    let state = player.state(of: answer.stream, after: answer.index + 1)
    return !state.isForeground && state.tasks.isEmpty && state.wakes.isEmpty
  }

  /// A save for which there was no room leads to what has taken most of it: the largest save since the last
  /// one of the same thing that came through, of any process of its machine.
  func noRoom(_ scene: CauseScene) -> [CauseLink] {
    let failure = Payload.DataFailed(scene.event)
    guard Self.noRoomErrors.contains(failure.errno) else { return [] }
    let state = scene.state
    let since = state.data[failure.object]?.lastSave?.time ?? .init(rawValue: .min)
    var largest: (bytes: UInt64, place: EventPlace)?
    for stream in sameMachine(as: scene.stream) {
      let end = timeline.cursor(of: Int(stream.rawValue), after: scene.node.place)
      scan(stream, 0..<end, KindSet([.dataDurable])) { event, place in
        let save = Payload.DataDurable(event)
        let isOwn = stream == scene.stream && save.object == failure.object
        guard !isOwn, event.time > since, save.bytes > largest?.bytes ?? 0 else { return }
        largest = (save.bytes, place)
      }
    }
    return largest.map {
      [CauseLink(relation: .tookTheRoom, cause: CauseNode(place: $0.place))]
    } ?? []
  }

  /// ENOSPC and EDQUOT.
  private static let noRoomErrors: Set<Int64> = [28, 122]

  /// What data had to reach to outlive the event at a place.
  func level(at place: EventPlace) -> DurabilityLevel {
    let event = timeline.event(at: place)
    return event.endingCause == .empty ? .kernel : .surviving(names[event.endingCause])
  }

  /// A save leads to its begin; but to the edit where nobody began one for too long, and to the
  /// failed read where it was made without knowing what it replaced.
  func save(_ scene: CauseScene, isFinding: Bool) -> [CauseLink] {
    guard let object = scene.state.data[scene.event.identityName] else { return [] }
    let (version, hash): (UInt64, UInt64)
    guard scene.event.kind == .dataDurable else {
      return []
    }
    let save = Payload.DataDurable(scene.event)
    (version, hash) = (save.version, save.hash)
    // What it wrote is not that version: nothing before it is to blame.
    if let edit = object.dirty, edit.version == version, edit.hash != 0, hash != 0,
      edit.hash != hash
    {
      return []
    }
    guard isFinding else { return saveBegan(object, version, scene) }
    if let failure = object.lastFailure, failedRead(failure, object, scene) {
      return [link(.readFailed, failure.sequence, scene)].compactMap { $0 }
    }
    let attributes = timeline.streams[Int(scene.stream.rawValue)].attributes
    let checkpoint = attributes.scaled(player.profile(of: scene.stream).checkpoint.warn)
    if let edit = object.firstUnsaved, scene.event.time - edit.time > checkpoint {
      return [link(.edit, edit.sequence, scene)].compactMap { $0 }
    }
    return saveBegan(object, version, scene)
  }

  private func saveBegan(_ object: DataObject, _ version: UInt64, _ scene: CauseScene)
    -> [CauseLink]
  {
    guard let flush = object.flushing, flush.version == version else { return [] }
    return [link(.saveBegan, flush.sequence, scene, until: scene.index)].compactMap { $0 }
  }

  /// Whether the failure was one to read the object, which was not read since.
  private func failedRead(
    _ failure: DataObject.Failure,
    _ object: DataObject,
    _ scene: CauseScene
  ) -> Bool {
    guard let place = place(failure.sequence, in: scene.stream) else { return false }
    let failed = Payload.DataFailed(timeline.event(at: place))
    return names[failed.why] == "read" && (object.restored?.sequence ?? 0) < failure.sequence
  }

  /// A version that is read back though it was given up leads to the place where it was.
  func cameBack(_ scene: CauseScene) -> [CauseLink] {
    let found = Payload.DataRestored(scene.event)
    guard found.version > 0, scene.state.data[found.object]?.inherited?.version == 0,
      let previous = player.previous(of: scene.stream)
    else { return [] }
    var last: EventPlace?
    let count = timeline.streams[Int(previous.rawValue)].count
    scan(previous, 0..<count, KindSet([.dataDiscarded])) { event, place in
      if event.identityName == found.object { last = place }
    }
    return last.map { [CauseLink(relation: .givenUp, cause: CauseNode(place: $0))] } ?? []
  }

  /// Whether the bytes of the newest version were reported to be others.
  private func isOther(_ found: Payload.DataRestored, _ object: DataObject) -> Bool {
    guard let stands = object.standing(at: .kernel), found.hash != 0 else { return false }
    return found.version == object.inherited?.version && stands.hash != found.hash
  }

  /// An old version that is read back leads to the save that said that a newer one would be there, and other
  /// bytes of the newest to the save that reported that.
  func olderThanSaved(_ scene: CauseScene) -> [CauseLink] {
    let found = Payload.DataRestored(scene.event)
    guard let object = scene.state.data[found.object], !object.isUnsaved(at: .kernel),
      let before = object.inherited, before.version > found.version || isOther(found, object),
      let previous = player.previous(of: scene.stream)
    else { return [] }
    var save: EventPlace?
    var emptied: EventPlace?
    var begun: EventPlace?
    let count = timeline.streams[Int(previous.rawValue)].count
    let kinds: [EventKind] = [.dataDirty, .dataFlushing, .dataDurable, .dataFailed]
    scan(previous, 0..<count, KindSet(kinds)) { event, place in
      guard event.identityName == found.object else { return }
      switch event.kind {
      case .dataDirty: emptied = names.isEmptying(event.site) ? place : nil
      case .dataFlushing: begun = place
      case .dataFailed: begun = nil
      default:
        (emptied, begun) = (nil, nil)
        if Payload.DataDurable(event).version == before.version { save = place }
      }
    }
    // Bytes of neither version: the save that was under way has torn it.
    if let begun, found.version == 0, found.bytes > 0 {
      return [CauseLink(relation: .saveBegan, cause: CauseNode(place: begun))]
    }
    // What emptied the file for a save that did not come through has taken the one before, too.
    if let emptied, found.version == 0 {
      return [CauseLink(relation: .edit, cause: CauseNode(place: emptied))]
    }
    return save.map { [CauseLink(relation: .savedBefore, cause: CauseNode(place: $0))] } ?? []
  }
}
