// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// How a version came to be lost, or at risk: who made it, what saved the one before, and when there was a last chance.
struct DataStory {
  private(set) var details: [Sentence] = []
  private(set) var witnesses: [Witness] = []

  init(
    _ object: DataObject,
    _ context: RuleContext,
    _ event: borrowing Event,
    _ level: DurabilityLevel,
    _ names: borrowing Names
  ) {
    let now = event.time
    guard let edit = object.dirty else { return }
    tellEdit(object, edit, now, context, names)
    tellSaves(object, level, now, context, names)
    tellElsewhere(object, edit, level, now, context, names)
    tellChance(edit, now, context, names)
    tellPending(object, now, context, names)
    witnesses.append(context.witness(event.kind == .suspend ? "suspended" : "end", event, names))
    if event.kind == .transition { witnesses[witnesses.count - 1].label = "suspended" }
  }

  private mutating func tellEdit(
    _ object: DataObject,
    _ edit: DataObject.Edit,
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let site = context.at(edit.site, names)
    let thread = edit.thread == .main ? "" : " on thread \(edit.thread.rawValue)"
    details.append(
      "Version \(edit.version) was made\(site)\(thread), \(context.words(now - edit.time)) before"
        + " (\(context.event(edit.sequence)))."
    )
    if let first = object.firstUnsaved, first.sequence != edit.sequence {
      let known = context.doubt(.data, since: first.time) == nil ? "" : "known to be "
      details.append(
        "The oldest edit not \(known)saved is version \(first.version), made"
          + "\(context.at(first.site, names)) \(context.words(now - first.time)) before"
          + " (\(context.event(first.sequence)))."
      )
      witnesses.append(
        context.witness("first unsaved edit", first.sequence, first.time, first.site, names)
      )
    }
    witnesses.append(context.witness("edit", edit.sequence, edit.time, edit.site, names))
  }

  private mutating func tellSaves(
    _ object: DataObject,
    _ level: DurabilityLevel,
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let doubt = context.doubt(.data, since: object.lastSave?.time ?? HostTime(rawValue: .min))
    if let save = object.lastSave {
      let short = save.level < level ? ", but only to \(save.level) level" : ""
      let known = doubt == nil ? "" : " that is known"
      let after: Sentence = doubt.map { "; a later one may be missing: \($0)" } ?? ""
      details.append(
        "The last save\(known) was of version \(save.version), \(context.words(now - save.time)) "
          + "before (\(context.event(save.sequence)))\(short)\(after)."
      )
      witnesses.append(context.witness("last save", save.sequence, save.time, .none, names))
    } else {
      let kept = Sentence(object.kept(at: level, isCertain: doubt == nil))
      details.append("\(kept.capitalised).")
      if object.inherited?.version ?? 0 == 0, let restored = object.restored, restored.version > 0 {
        witnesses.append(
          context.witness("read back", restored.sequence, restored.time, .none, names)
        )
      }
    }
    if let failure = object.lastFailure, failure.time >= object.lastSave?.time ?? failure.time {
      let errno = failure.errno == 0 ? "" : " with error \(failure.errno)"
      details.append(
        "A save of version \(failure.version) failed\(errno), \(context.words(now - failure.time))"
          + " before (\(context.event(failure.sequence)))."
      )
      witnesses.append(
        context.witness("save failed", failure.sequence, failure.time, .none, names)
      )
    }
    if let flush = object.flushing {
      details.append(
        "A save of version \(flush.version) began\(context.at(flush.site, names)) "
          + "\(context.words(now - flush.time)) before (\(context.event(flush.sequence))) and was not done."
      )
      witnesses.append(
        context.witness("save began", flush.sequence, flush.time, flush.site, names)
      )
    }
  }

  /// Where else it may be.
  private mutating func tellElsewhere(
    _ object: DataObject,
    _ edit: DataObject.Edit,
    _ level: DurabilityLevel,
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    if let copy = object.lastCopy, copy.version == edit.version {
      details.append(
        "It was written to another file, not to its own, \(context.words(now - copy.time)) before"
          + " (\(context.event(copy.sequence)))."
      )
      witnesses.append(context.witness("copied", copy.sequence, copy.time, .none, names))
    } else if object.survival(at: level) == .stoodBefore {
      details.append("The same bytes stood in its file before, and may still.")
    }
  }

  /// When it could last have been saved: the last callback that is made for it, else the last moment the app ran.
  private mutating func tellChance(
    _ edit: DataObject.Edit,
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let chances: [Callback] = [.willResignActive, .didEnterBackground, .willTerminate]
    let runs = context.history.runs.filter { chances.contains($0.callback) && $0.end >= edit.time }
    if let last = runs.last {
      let name = context.name(last.site, names, or: "\(name: last.callback.rawValue)")
      let events: Sentence = "(\(context.event(last.beginSequence)) to \(last.endSequence))"
      // In virtual time a callback takes none.
      let ran: Sentence =
        last.end > last.begin ? " for \(context.words(last.end - last.begin))" : ""
      details.append(
        "It could last have been saved in \(name), which ran\(ran) \(events) and did not save it."
      )
      witnesses.append(
        context.witness("last chance", last.beginSequence, last.begin, last.site, names)
      )
      return
    }
    if let doubt = context.unseen(.callback, since: edit.time) {
      return details.append(
        "Whether a callback that is made for saving ran after the edit is not known: \(doubt)."
      )
    }
    let state = context.state
    let stopped = state.appState == .suspended ? state.stateSince : now
    if stopped > edit.time {
      let isSuspended = state.appState == .suspended || context.change?.suspends == true
      let end = isSuspended ? "it was suspended" : "the end"
      details.append(
        "No callback that is made for saving ran after the edit; the app executed for another "
          + "\(context.words(stopped - edit.time)) until \(end)."
      )
    }
  }

  private mutating func tellPending(
    _ object: DataObject,
    _ now: HostTime,
    _ context: RuleContext,
    _ names: borrowing Names
  ) {
    let pending = context.state.resources.values.filter { $0.resourceClass == .pendingSave }
    guard let save = pending.first(where: { $0.name == object.name }) ?? pending.first else {
      return
    }
    let what: Sentence = save.name == object.name ? "it" : "\(object: names[save.name])"
    let set: Sentence = SourcePlace(save.site, names).map { ", set at \($0)," } ?? ""
    details.append(
      "A deferred save of \(what) was pending since "
        + "\(context.words(now - save.time)) before (\(context.event(save.sequence)))"
        + "\(set) and never ran."
    )
    witnesses.append(context.witness("save deferred", save.sequence, save.time, save.site, names))
  }
}
