// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

extension Player {
  /// Explains a data object: when it was edited and saved, and what a purge here would lose, or an
  /// end has lost.
  ///
  /// Nil where the stream knows no such object yet. The explanation includes what the facts say of
  /// events that the recording does not have; where saves or edits may be missing, nothing is
  /// certain.
  package func whyData(_ name: String, of stream: StreamID) throws(SearchInterrupted)
    -> Explanation?
  {
    let state = state(of: stream)
    guard let id = names.find(name) else { return nil }
    guard let object = state.data[id] else { return try whyNotFollowed(name, state, stream) }
    var explanation = Explanation(summary(of: object, named: name, state))
    func add(_ sequence: UInt64?, _ label: String) {
      guard let sequence else { return }
      let place = heldPlace(of: stream, sequence: sequence)
      explanation.steps.append(
        Explanation.Step(label: label, event: place.map(timeline.number(of:)), place: place)
      )
    }
    add(object.restored?.sequence, object.restored?.version == 0 ? "not found" : "restored")
    add(object.lastSave?.sequence, "last save")
    add(object.lastCopy?.sequence, "last copy")
    let level = state.endLevel(names)
    let isUnsaved = object.isUnsaved(at: level)
    let isCertain = object.survival(at: level) == nil
    if isUnsaved, object.firstUnsaved?.sequence != object.dirty?.sequence {
      add(object.firstUnsaved?.sequence, "first unsaved edit")
    }
    add(object.dirty?.sequence, isUnsaved ? "newest edit, unsaved" : "newest edit")
    add(object.flushing?.sequence, "save began")
    add(object.lastFailure?.sequence, "save failed")
    guard let newest = object.dirty else { return explanation }
    guard isUnsaved else {
      explanation.remarks += nothingLost(object, state)
      sort(&explanation)
      return explanation
    }
    let edit = object.firstUnsaved ?? newest
    explanation.remarks += loss(newest, since: edit, isCertain, state, stream)
    try addChances(&explanation, id, newest, since: edit, stream)
    sort(&explanation)
    return explanation
  }

  /// Of an object that the ledger had no room for; nil where this life of the app has told of none such.
  private func whyNotFollowed(
    _ name: String,
    _ state: LifeState,
    _ stream: StreamID
  ) throws(SearchInterrupted) -> Explanation? {
    guard state.isFull(.data) else { return nil }
    var filter = Self.changes(ofData: name)
    filter.streams = [stream]
    guard let place = try find(filter, .backward) else { return nil }
    var explanation = Explanation(
      "\(object: name) is not followed: there are \(BoundedTable.data.overflow)."
    )
    explanation.steps = [step(place, "last heard of")]
    explanation.remarks = [
      "Whether it is saved is known from its events alone: find \(name: name)."
    ]
    return explanation
  }

  private func summary(of object: DataObject, named name: String, _ state: LifeState) -> Sentence {
    guard let dirty = object.dirty else {
      return state.doubt(.data) == nil
        ? "\(object: name) was not edited in this life of the app."
        : "No edit of \(object: name) in this life of the app is known."
    }
    let newest: Sentence = "\(object: name) version \(dirty.version) (\(bytes: dirty.bytes))"
    let level = state.endLevel(names)
    guard object.isUnsaved(at: level) else {
      return object.saveOfOtherBytes == nil
        ? "\(newest) is saved." : "\(newest) counts as saved, and its save wrote other bytes."
    }
    let doubt = state.doubt(.data, since: object.lastSave?.time ?? HostTime(rawValue: .min))
    let isCertain = state.doubt(.data, since: dirty.time) == nil
    let isLost = isCertain && object.survival(at: level) == nil
    let fate =
      if state.process.ending == nil {
        isCertain ? "exists in memory only" : "is not known to be saved"
      } else if !state.losesAtEnd(names) {
        isCertain ? "was unsaved when the recording ended" : "may have been unsaved at the end"
      } else {
        isLost ? "was lost" : "may have been lost"
      }
    return "\(newest) \(fate); \(object.kept(at: level, isCertain: doubt == nil))."
  }

  private func reference(to place: EventPlace) -> Sentence {
    "\(event: name(of: place), of: place.stream)"
  }

  /// For a version that is saved.
  private func nothingLost(_ object: DataObject, _ state: LifeState) -> [Sentence] {
    if let save = object.saveOfOtherBytes {
      return [
        "The edit told \(bytes: object.dirty?.bytes ?? 0), the save \(bytes: save.content.bytes), and their "
          + "hashes differ: what is there is an older version, or another form of this one."
      ]
    }
    let known = object.lastSave?.time ?? HostTime(rawValue: .min)
    guard let doubt = state.doubt(.data, since: known) else {
      return [
        state.process.ending == nil
          ? "A purge here would lose nothing of it." : "The end of the process lost nothing of it."
      ]
    }
    return [
      state.process.ending == nil
        ? "Nothing of it is known that a purge here would lose."
        : "Nothing of it is known to be lost.", "A later edit may be missing: \(doubt.words).",
    ]
  }

  /// What a purge here would lose, or the end has lost, and how certain that is.
  private func loss(
    _ newest: DataObject.Edit,
    since edit: DataObject.Edit,
    _ isCertain: Bool,
    _ state: LifeState,
    _ stream: StreamID
  ) -> [Sentence] {
    let last = HostTime(rawValue: max(newest.time.rawValue, state.lastTime.rawValue))
    let now = state.process.ending?.time ?? last
    let begin = Wording.time(timeline.alignment.traceTime(edit.time, of: stream))
    let (doubt, doubtBetween) = (
      state.doubt(.data, since: newest.time), state.doubt(.data, since: edit.time)
    )
    let upTo = doubtBetween == nil ? "" : "up to "
    let work: Sentence =
      now > edit.time
      ? ": \(upTo)\(duration: now - edit.time) of work, since \(begin)."
      : ": the edit just made."
    let bytes: Sentence = "\(bytes: newest.bytes)"
    let sentence: Sentence
    if let ending = state.process.ending {
      let cause = Wording.endCause(names[ending.cause])
      let how = cause.isEmpty ? "" : " (\(cause))"
      let verb = doubt == nil && isCertain ? "lost" : "may have lost"
      sentence =
        state.losesAtEnd(names)
        ? "The end of the process\(how) \(verb) \(bytes)\(work)"
        : "The recording ended the process\(how) with \(bytes) unsaved\(work)"
    } else {
      sentence =
        "A purge here \(doubt == nil && isCertain ? "would" : "may") lose \(bytes)\(work)"
    }
    if let doubt { return [sentence, "A save may be missing: \(doubt.words)."] }
    return doubtBetween.map { [sentence, "Saves in between may be missing: \($0.words)."] } ?? [
      sentence
    ]
  }

  /// The chances to save it, taken or not, as far as the recording has them.
  private func addChances(
    _ explanation: inout Explanation,
    _ object: NameID,
    _ newest: DataObject.Edit,
    since edit: DataObject.Edit,
    _ stream: StreamID
  ) throws(SearchInterrupted) {
    let index = timeline.streams[Int(stream.rawValue)]
    let next = index.index(from: edit.sequence)
    guard next < index.count else { return }
    var from = timeline.position(after: EventPlace(stream: stream, index: next))
    if heldPlace(of: stream, sequence: edit.sequence) == nil {
      timeline.stepBackward(&from)
      var filter = EventFilter { event, _ in event.kind != .loss }
      filter.streams = [stream]
      guard let first = try find(filter, .forward, from: from) else { return }
      explanation.remarks.append(
        "What ran between the edit and \(reference(to: first)) is not in the recording."
      )
    }
    let chance = try lastChance(of: stream, from: from)
    for place in try callbacks(of: stream, from: from, before: chance) {
      explanation.steps.append(step(place, "ran without saving it"))
    }
    if let save = try laterSave(of: object, version: newest.version, stream),
      chance.map({ timeline.isBefore(save, $0) }) ?? true
    {
      explanation.steps.append(step(save, "saved later"))
      explanation.remarks.append("It is saved by \(reference(to: save)).")
    } else if let chance {
      explanation.steps.append(step(chance, "too late from here"))
      let event = timeline.event(at: chance)
      explanation.remarks.append(
        "It could last have been saved before \(reference(to: chance)) "
          + "(\(Wording.time(timeline.time(of: event))), \(EventText.kind(event.kind, names)))."
      )
    } else {
      explanation.remarks.append("It can still be saved: the app runs until the recording ends.")
    }
  }

  /// The callbacks that returned between an edit and the moment when it was too late: each was a
  /// chance to save.
  private func callbacks(of stream: StreamID, from start: Position, before end: EventPlace?)
    throws(SearchInterrupted) -> [EventPlace]
  {
    var filter = EventFilter(kinds: KindSet([.callbackEnd])) { _, _ in true }
    filter.streams = [stream]
    var found: [EventPlace] = []
    var from = start
    while found.count < Self.chainMax / 2, let place = try find(filter, .forward, from: from),
      place.index < end?.index ?? cursor(of: stream)
    {
      found.append(place)
      from = timeline.position(after: place)
    }
    return found
  }

  /// The event behind here by which this version, or a later one, survives a purge.
  private func laterSave(of object: NameID, version: UInt64, _ stream: StreamID)
    throws(SearchInterrupted) -> EventPlace?
  {
    let kernel = Coded(DurabilityLevel.kernel).rawValue
    var filter = EventFilter(kinds: KindSet([.dataDurable, .dataUnchanged])) { event, _ in
      guard event.kind == .dataUnchanged else {
        let save = Payload.DataDurable(event)
        return save.object == object && save.version >= version && save.level.rawValue >= kernel
      }
      let same = Payload.DataUnchanged(event)
      return same.object == object && same.version >= version && same.level.rawValue >= kernel
    }
    filter.streams = [stream]
    return try find(filter, .forward, from: here)
  }

  /// The first event behind an edit after which no code of the app runs.
  ///
  /// A suspension counts only if the process never ran again to save it.
  private func lastChance(of stream: StreamID, from start: Position) throws(SearchInterrupted)
    -> EventPlace?
  {
    var filter = EventFilter(
      kinds: KindSet([.suspend, .resume, .purge, .processExit, .transition])
    ) { _, _ in true }
    filter.streams = [stream]
    var from = start
    var suspension: EventPlace?
    while let place = try find(filter, .forward, from: from) {
      let event = timeline.event(at: place)
      switch event.kind {
      case .suspend: suspension = suspension ?? place
      case .resume: suspension = nil
      case .purge, .processExit: return suspension ?? place
      default:
        let to = Payload.Transition(event).to.value
        if to == .suspended {
          suspension = suspension ?? place
        } else if to == .notRunning {
          return suspension ?? place
        } else {
          suspension = nil
        }
      }
      from = timeline.position(after: place)
    }
    return suspension
  }

  private func sort(_ explanation: inout Explanation) {
    explanation.steps.sort { ($0.event ?? 0, $0.label) < ($1.event ?? 0, $1.label) }
  }
}
