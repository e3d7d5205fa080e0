// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
public import LifetraceTimeline
public import LifetraceTrace

extension Player {
  /// Explains a data object: when it was edited and saved, and what a purge here would lose.
  ///
  /// Nil where the stream knows no such object yet.
  public func whyData(_ name: String, of stream: StreamID) throws(SearchInterrupted) -> Explanation?
  {
    guard let id = names.find(name), let object = state(of: stream).data[id] else { return nil }
    var explanation = Explanation(summary(of: object, named: name))
    func time(_ time: HostTime) -> String {
      Wording.time(timeline.alignment.traceTime(time, of: stream))
    }
    func add(_ sequence: UInt64?, _ label: String) {
      guard let sequence, let place = timeline.place(of: stream, sequence: sequence) else { return }
      explanation.steps.append(step(place, label))
    }
    add(object.restored?.sequence, object.restored?.version == 0 ? "not found" : "restored")
    add(object.lastSave?.sequence, "last save")
    let isUnsaved = object.isUnsaved(at: .kernel)
    if isUnsaved, object.firstUnsaved?.sequence != object.dirty?.sequence {
      add(object.firstUnsaved?.sequence, "first unsaved edit")
    }
    add(object.dirty?.sequence, isUnsaved ? "newest edit, unsaved" : "newest edit")
    add(object.flushing?.sequence, "save began")
    add(object.lastFailure?.sequence, "save failed")

    guard isUnsaved, let edit = object.firstUnsaved ?? object.dirty, let newest = object.dirty,
      let begin = timeline.place(of: stream, sequence: edit.sequence)
    else {
      if object.dirty != nil {
        explanation.remarks.append("A purge here would lose nothing of it.")
      }
      sort(&explanation)
      return explanation
    }
    let now = HostTime(rawValue: max(newest.time.rawValue, state(of: stream).lastTime.rawValue))
    explanation.remarks.append(
      "A purge here would lose \(Quantity.bytes(newest.bytes))"
        + (now > edit.time
          ? ": \(Quantity.duration(now - edit.time)) of work, since \(time(edit.time))."
          : ": the edit just made.")
    )
    let chance = try lastChance(of: stream, after: begin)
    for place in try callbacks(of: stream, after: begin, before: chance) {
      explanation.steps.append(step(place, "ran without saving it"))
    }
    if let save = try laterSave(of: id, version: newest.version, stream),
      chance.map({ timeline.isBefore(save, $0) }) ?? true
    {
      explanation.steps.append(step(save, "saved later"))
      explanation.remarks.append("Event \(timeline.number(of: save)) saves it.")
    } else if let chance {
      explanation.steps.append(step(chance, "too late from here"))
      let event = timeline.event(at: chance)
      explanation.remarks.append(
        "It could last have been saved before event \(timeline.number(of: chance)) "
          + "(\(time(event.time)), \(EventText.kind(event.kind, names)))."
      )
    } else {
      explanation.remarks.append("It can still be saved: the app runs until the recording ends.")
    }
    sort(&explanation)
    return explanation
  }

  private func summary(of object: DataObject, named name: String) -> String {
    guard let dirty = object.dirty else { return "\(name) was not edited in this life of the app." }
    let size = Quantity.bytes(dirty.bytes)
    guard object.isUnsaved(at: .kernel) else {
      return "\(name) version \(dirty.version) (\(size)) is saved."
    }
    let kept = object.durable[.kernel]
    let found = object.restored?.version ?? 0
    let saved =
      kept > 0
      ? "version \(kept) is saved"
      : found > 0 ? "version \(found), read back at launch, is saved" : "no version was ever saved"
    return "\(name) version \(dirty.version) (\(size)) exists in memory only; \(saved)."
  }

  /// The callbacks that returned between an edit and the moment when it was too late: each was a
  /// chance to save.
  private func callbacks(of stream: StreamID, after edit: EventPlace, before end: EventPlace?)
    throws(SearchInterrupted) -> [EventPlace]
  {
    var filter = EventFilter(kinds: KindSet([.callbackEnd])) { _, _ in true }
    filter.streams = [stream]
    var found: [EventPlace] = []
    var from = timeline.position(after: edit)
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
    var filter = EventFilter(kinds: KindSet([.dataDurable])) { event, _ in
      event.identityName == object && event.arguments.0 >= version
        && event.arguments.1 >= UInt64(DurabilityLevel.kernel.rawValue)
    }
    filter.streams = [stream]
    return try find(filter, .forward, from: here)
  }

  /// The first event behind an edit after which no code of the app runs.
  ///
  /// A suspension counts only if the process never ran again to save it.
  private func lastChance(of stream: StreamID, after edit: EventPlace) throws(SearchInterrupted)
    -> EventPlace?
  {
    var filter = EventFilter(
      kinds: KindSet([.suspend, .resume, .purge, .processExit, .transition])
    ) { _, _ in true }
    filter.streams = [stream]
    var from = timeline.position(after: edit)
    var suspension: EventPlace?
    while let place = try find(filter, .forward, from: from) {
      let event = timeline.event(at: place)
      switch event.kind {
      case .suspend: suspension = suspension ?? place
      case .resume: suspension = nil
      case .purge, .processExit: return suspension ?? place
      default:
        let to = AppState(rawValue: UInt8(clamping: event.arguments.1))
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
