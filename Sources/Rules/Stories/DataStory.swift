// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// How a version came to be lost, or at risk: its edit, the save before, and the last chance.
struct DataStory {
  private(set) var details: [Sentence] = []
  private(set) var witnesses: [Witness] = []
  private let scene: Scene
  private let object: DataObject

  init(_ object: DataObject, at level: DurabilityLevel, _ scene: Scene) {
    (self.object, self.scene) = (object, scene)
    guard let edit = object.dirty else { return }
    tellEdit(edit)
    tellSaves(level)
    tellElsewhere(edit, level)
    // Callbacks for saving did what they are for.
    if !object.isSavedShort(of: level) { tellChance(edit) }
    tellPending()
    tellPutOff(object.firstUnsaved ?? edit)
    let isSuspension = [.suspend, .transition].contains(scene.event.kind)
    witnesses.append(scene.witness(isSuspension ? "suspended" : "end"))
  }

  /// Whether a save is under way that has emptied the file.
  private var isInPlace: Bool { object.flushing.map { scene.names.isEmptying($0.site) } ?? false }

  /// Whether the newest version began with emptying the file, and its save failed.
  private var hasEmptied: Bool {
    guard let edit = object.dirty, let failure = object.lastFailure else { return false }
    return failure.version == edit.version && scene.names.isEmptying(edit.site)
  }

  /// What would have kept it.
  func advice(_ fix: String, at level: DurabilityLevel) -> String {
    isInPlace || hasEmptied
      ? "Write a file beside it, fsync that, and rename it into place: the old bytes stay whole until then."
      : object.advice(fix, at: level)
  }

  private mutating func tell(_ detail: Sentence, _ witness: Witness) {
    details.append(detail)
    witnesses.append(witness)
  }

  private mutating func tellEdit(_ edit: DataObject.Edit) {
    let thread = edit.thread == .main ? "" : " on thread \(edit.thread.rawValue)"
    tell(
      "Version \(edit.version) was made\(scene.at(edit.site))\(thread), \(scene.before(edit)).",
      scene.witness("edit", edit)
    )
    guard let first = object.firstUnsaved, first.sequence != edit.sequence else { return }
    let known = scene.context.doubt(.data, since: first.time) == nil ? "" : "known to be "
    tell(
      "The oldest edit not \(known)saved is version \(first.version), made"
        + "\(scene.at(first.site)) \(scene.before(first)).",
      scene.witness("first unsaved edit", first)
    )
  }

  private mutating func tellSaves(_ level: DurabilityLevel) {
    let since = object.lastSave?.time ?? HostTime(rawValue: .min)
    let doubt = scene.context.doubt(.data, since: since)
    if let save = object.lastSave {
      let short = save.level < level ? ", but only to \(save.level) level" : ""
      let known = doubt == nil ? "" : " that is known"
      let after: Sentence = doubt.map { "; a later one may be missing: \($0)" } ?? ""
      tell(
        "The last save\(known) was of version \(save.version), "
          + "\(scene.before(save.time, save.sequence))\(short)\(after).",
        scene.witness("last save", save.sequence, save.time)
      )
    } else {
      let kept = Sentence(object.kept(at: level, isCertain: doubt == nil))
      details.append("\(kept.capitalised).")
      if object.inherited?.version ?? 0 == 0, let restored = object.restored, restored.version > 0 {
        witnesses.append(scene.witness("read back", restored.sequence, restored.time))
      }
    }
    if let failure = object.lastFailure, failure.time >= object.lastSave?.time ?? failure.time {
      let errno = failure.errno == 0 ? "" : " with error \(ErrorNumber.words(failure.errno))"
      tell(
        "A save of version \(failure.version) failed\(errno), "
          + "\(scene.before(failure.time, failure.sequence)).",
        scene.witness("save failed", failure.sequence, failure.time)
      )
      if hasEmptied { tellEmptied() }
    }
    if let flush = object.flushing {
      tell(
        "A save of version \(flush.version) began\(scene.at(flush.site)) "
          + "\(scene.before(flush)) and was not done.",
        // A newer edit is not what that save was to keep.
        scene.witness(
          flush.version < object.dirty?.version ?? 0 ? "older save began" : "save began",
          flush
        )
      )
      if isInPlace { tellEmptied() }
    }
  }

  private mutating func tellEmptied() {
    details.append("It had emptied the file: what the saves before had put there is gone.")
  }

  /// Where else it may be.
  private mutating func tellElsewhere(_ edit: DataObject.Edit, _ level: DurabilityLevel) {
    if let copy = object.lastCopy, copy.version == edit.version {
      tell(
        "It was written to another file, not to its own, \(scene.before(copy.time, copy.sequence)).",
        scene.witness("copied", copy.sequence, copy.time)
      )
    } else if object.survival(at: level) == .stoodBefore {
      details.append("The same bytes stood in its file before, and may still.")
    }
  }

  /// The last callback that is made for saving it, else the last moment the app ran.
  private mutating func tellChance(_ edit: DataObject.Edit) {
    if let chance = scene.lastChance(in: Callback.forSaving, since: edit.time) {
      return tell(
        "The last callback that is made for saving it was \(chance.words) and did not save it.",
        chance.witness
      )
    }
    if scene.context.attributes.evidence == .log {
      return details.append(
        "Whether a callback that is made for saving ran after the edit, the log does not say."
      )
    }
    if let doubt = scene.context.unseen(.callback, since: edit.time) {
      return details.append(
        "Whether a callback that is made for saving ran after the edit is not known: \(doubt)."
      )
    }
    let isAsleep = scene.state.appState == .suspended
    let stopped = isAsleep ? scene.state.stateSince : scene.event.time
    guard stopped > edit.time else { return }
    let isSuspended = isAsleep || scene.context.change?.suspends == true
    details.append(
      "No callback that is made for saving ran after the edit; the app executed for another "
        + "\(scene.words(stopped - edit.time)) until "
        + "\(isSuspended ? "it was suspended" : "the end")."
    )
  }

  private mutating func tellPending() {
    let pending = scene.state.resources.values.filter { $0.resourceClass == .pendingSave }
    // One that names no object may be of any; one that names another object is that one's.
    guard
      let save = pending.first(where: { $0.name == object.name })
        ?? pending.first(where: { scene.state.data[$0.name] == nil })
    else { return }
    let what: Sentence = save.name == object.name ? "it" : "\(object: scene.names[save.name])"
    let set: Sentence = SourcePlace(save.site, scene.names).map { ", set at \($0)," } ?? ""
    tell(
      "A deferred save of \(what) was pending since \(scene.before(save))\(set) and never ran.",
      scene.witness("save deferred", save)
    )
  }

  /// Work that was put off since the edit, and might have saved it.
  private mutating func tellPutOff(_ edit: DataObject.Edit) {
    // What says that it saves this very object is told.
    let isTold = scene.state.resources.values.contains {
      $0.resourceClass == .pendingSave && $0.name == object.name
    }
    guard !isTold, scene.context.doubt(.resource, since: edit.time) == nil else { return }
    let pending = scene.state.resources.values
      .filter { $0.resourceClass == .delayedWork && $0.sequence > edit.sequence }
      .sorted { $0.sequence < $1.sequence }.suffix(Self.putOffMax)
    guard !pending.isEmpty else { return }
    let parts: [Sentence] = pending.map { work in
      let run = scene.context.history.runs.last {
        $0.beginSequence < work.sequence && work.sequence < $0.endSequence
      }
      let inside: Sentence = run.map { " in \($0.callback.rawValue)" } ?? ""
      return
        "work on \(name: scene.names[work.name])\(scene.at(work.site))\(inside), \(scene.before(work))"
    }
    details.append("Put off and not begun by then: \(parts.joined(separator: "; ")).")
    witnesses += pending.map { scene.witness("put off", $0) }
  }

  /// Only the last of it is of interest.
  private static var putOffMax: Int { 2 }
}

extension DataObject.Edit: Opened {}
extension DataObject.Flush: Opened {}
