// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DS: is the user's data safe when the system takes the app away without notice.
enum DataSafety {
  static let family = RuleFamily(
    "DS",
    "Data safety",
    [
      suspended, lost, save, Saving.onlyAtTheEnd, Saving.checkpoint, Saving.entering,
      Overwriting.unread, Overwriting.refusedSave, Saving.deferred, Overwriting.refusedRead,
      Saving.temporary, Overwriting.older, Acknowledging.early,
      Removing.early, GivingUp.unasked,
    ]
  )

  /// An object that an end here would lose, or has lost.
  private struct Unsaved: Sendable {
    let object: DataObject
    let edit: DataObject.Edit
    /// What survives that end.
    let level: DurabilityLevel
    /// Whether the next launch has found it gone.
    var isGone = false

    /// How it may be there all the same.
    var survival: DataObject.Survival? { isGone ? nil : object.survival(at: level) }

    /// Its size and a comma; empty while it is being written anew, and nobody knows.
    var size: Sentence {
      if edit.bytes > 0 { return "\(bytes: edit.bytes), " }
      if object.flushing?.version == edit.version { return "" }
      // An edit that began with emptying the file has the size that its save has put there.
      let save = object.lastSave.flatMap { $0.version == edit.version ? $0 : nil }
      return "\(bytes: save?.content.bytes ?? 0), "
    }
  }

  static let suspended = Rule(
    "DS01",
    "Nothing is unsaved when the app is suspended.",
    source: "App Programming Guide, Strategies for Handling App State Transitions",
    fix: "Save in didEnterBackground or earlier, at each checkpoint of the work; "
      + "a suspended app is purged without notice.",
    roles: .all,
    restsOnAllWork: true,
    under: RuleInfo.Under(["DS03"], sharing: ["save began"]),
    unsaved(
      at: Trigger.stateChanges,
      "suspended",
      level: { _, context, _ in context.change?.suspends == true ? .kernel : nil },
      // What is refused is another rule's, until the device is unlocked.
      passes: { object, context in object.isRefused(context) },
      nothing: { _ in "nothing is known to be unsaved at the suspension" }
    ) { scene, unsaved, name, isSure in
      let verb = unsaved.survival == nil ? "would" : "may"
      return isSure
        ? "\(name) was not saved when the app was suspended: version \(unsaved.edit.version), "
          + "\(unsaved.size)\(verb) be lost by a purge"
        : "\(name) may be unsaved at the suspension"
    }
  )

  static let lost = Rule(
    "DS02",
    "No process ends with data that no save covers; a note for an edit whose save had begun at once, or "
      + "that is made of what comes again.",
    source: "App Programming Guide, App Termination: suspended apps receive no notification",
    fix: "Save at checkpoints while the user works, not at the end; flush a pending autosave in "
      + "willResignActive or didEnterBackground.",
    roles: .all,
    restsOnAllWork: true,
    thresholds: ["hang"],
    Both(atTheEnd, unseenEnd)
  )

  private static let atTheEnd = unsaved(
    at: Trigger.endings,
    "end",
    level: { event, context, names in
      guard [.purge, .processExit].contains(event.kind) else { return nil }
      let cause = names[event.endingCause]
      guard context.state.process.ending == nil, !HarnessEnd.isOne(cause) else { return nil }
      return .surviving(cause)
    },
    isLoss: true,
    nothing: { "nothing is known to be lost when \($0.endClause)" }
  ) { scene, unsaved, name, isSure in
    let version: Sentence = "version \(unsaved.edit.version)"
    guard isSure else { return "\(name) may have lost \(version) when \(scene.endClause)" }
    let first = (unsaved.object.firstUnsaved ?? unsaved.edit).time
    // Saves in between may be missing, though the newest version is certainly lost.
    let upTo = scene.context.doubt(.data, since: first) == nil ? "" : "up to "
    let lost = unsaved.survival == nil ? "lost" : "may have lost"
    return "\(name) \(lost) \(version) (\(unsaved.size)unsaved for "
      + "\(upTo)\(scene.since(first))) when \(scene.endClause)"
  }

  /// Nothing is unsaved at an end, or what may be one: where `level` says what survives it.
  ///
  /// The next launch may report what it found of lost data.
  private static func unsaved(
    at moments: [Trigger],
    _ label: String,
    level: @escaping Look<DurabilityLevel?>,
    isLoss: Bool = false,
    passes: @escaping @Sendable (DataObject, borrowing RuleContext) -> Bool = { _, _ in false },
    nothing: @escaping @Sendable (Scene) -> Sentence,
    title: @escaping @Sendable (Scene, Unsaved, Sentence, _ isSure: Bool) -> Sentence
  ) -> OpenAt<Unsaved> {
    OpenAt(
      moments: moments,
      open: { event, context, names in
        guard let level = level(event, context, names) else { return nil }
        return context.state.unsaved(at: level).compactMap { object in
          guard let edit = object.dirty, !passes(object, context) else { return nil }
          return Unsaved(object: object, edit: edit, level: level)
        }
      },
      finds: { unsaved, event, context, names in
        let doubt = context.state.doubtOfSave(of: unsaved.object).map {
          "a save may be missing: \($0.words)" as Sentence
        }
        guard doubt == nil, isLoss else { return .broken(unless: doubt) }
        if isSavedAtOnce(unsaved, event, context, names) { return .broken(.info) }
        return .broken(comingAgain(unsaved, context, names) == nil ? nil : .info)
      },
      clear: .judged({ edited($0) }) { Story(nothing($0), [], [$0.witness(label)]) },
      object: { $0.object.name },
      kept: { unsaved, place, scene, context in
        let (stream, rule) = (context.stream, context.current)
        guard isLoss else { return }
        var gone = unsaved
        gone.isGone = true
        let name: Sentence = "\(object: scene.names[unsaved.object.name])"
        context.tallies.lost(
          .init(
            object: unsaved.object.name,
            edit: unsaved.edit,
            survival: unsaved.survival,
            ifGone: title(scene, gone, name, true),
            stream: stream,
            rule: rule,
            place: place
          )
        )
      },
      late: isLoss
        ? nil
        : saves { unsaved in
          guard let flush = unsaved.object.flushing, !unsaved.object.flushesOverlap,
            flush.version >= unsaved.edit.version
          else { return nil }
          return flush.sequence
        }
    ) { scene, unsaved, isSure in
      let story = DataStory(unsaved.object, at: unsaved.level, scene)
      let advice = story.advice(
        scene.context.table[scene.context.current].info.fix,
        at: unsaved.level
      )
      let name: Sentence = "\(object: scene.names[unsaved.object.name])"
      let isAtOnce =
        isLoss && isSure && isSavedAtOnce(unsaved, scene.event, scene.context, scene.names)
      let source =
        isLoss && isSure && !isAtOnce ? comingAgain(unsaved, scene.context, scene.names) : nil
      return Story(
        title(scene, unsaved, name, isSure),
        story.details + (isAtOnce ? [atOnce(unsaved, scene)] : [])
          + (source.map { [again($0, scene)] } ?? [])
          + (isLoss && isSure ? scene.otherThreads : []),
        story.witnesses,
        advice: isAtOnce ? whole : source != nil ? acknowledged : isSure ? Sentence(advice) : nil
      )
    }
  }

  /// What the edits that are lost may have been made of, and nobody has acknowledged: it is handed over
  /// once more.
  private static func comingAgain(
    _ unsaved: Unsaved,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> HeldResource? {
    let first = unsaved.object.firstUnsaved ?? unsaved.edit
    var newest: HeldResource?
    for thing in context.state.resources.values
    where thing.sequence < first.sequence && thing.sequence > newest?.sequence ?? 0 {
      let kind = thing.resourceClass
      if Acknowledging.isHanded(kind, thing.name, thing.attribute, names) { newest = thing }
    }
    return newest
  }

  private static func again(_ thing: HeldResource, _ scene: Scene) -> Sentence {
    "\(name: scene.names[thing.name]) had come before the edit (\(scene.event(thing.sequence))), and was "
      + "not acknowledged: it comes again, and what was made of it can be made once more."
  }

  private static let acknowledged: Sentence =
    "Nothing, where it was made of what comes again; else save it before the end."

  /// Whether an end from outside, or a crash, came into a save that had begun with the edit: an app
  /// can do no more, unless it writes over what it had saved before.
  private static func isSavedAtOnce(
    _ unsaved: Unsaved,
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Bool {
    guard case .saveUnderWay? = unsaved.survival, let save = unsaved.object.flushing,
      !unsaved.object.flushesOverlap, save.version >= unsaved.edit.version,
      !names.isEmptying(save.site), context.state.appState != .suspended
    else { return false }
    switch TerminationCause(rawValue: names[event.endingCause]) {
    case .watchdog, .deadlock, .thermal, .exit, .exitsOnSuspend: return false
    default: break
    }
    // It was asked to end, and did not wait for the save.
    if let run = context.lastRun(of: .willTerminate), run.end >= save.time { return false }
    let first = unsaved.object.firstUnsaved ?? unsaved.edit
    return save.time - first.time <= context.surely(context.profile.hang.hang)
  }

  private static func atOnce(_ unsaved: Unsaved, _ scene: Scene) -> Sentence {
    let first = (unsaved.object.firstUnsaved ?? unsaved.edit).time
    let length = (unsaved.object.flushing?.time ?? first) - first
    return length > 0
      ? "Its save had begun \(scene.words(length)) after the edit: no app can save much more than that."
      : "Its save had begun with the edit: no app can save more than that."
  }

  private static let whole: Sentence =
    "Nothing, where the version before stays whole until the new one is: written beside it, synced, and "
    + "renamed into place, as Lifetrace.save does."

  /// Whether there was anything to save: nil for an app that says nothing of data.
  private static func edited(_ context: borrowing RuleContext) -> Finding? {
    guard context.hasData else { return nil }
    return context.doubt(.data).map { .unclear("an edit may be missing: \($0)") } ?? .held
  }

  static let save = Rule(
    "DS03",
    "A save under way at the suspension is covered by a background task.",
    source: "UIApplicationDelegate applicationDidEnterBackground: tasks you start will not run "
      + "until after that method exits; first call beginBackgroundTask",
    fix:
      "Call beginBackgroundTask before the save is dispatched, and end the task when it is done.",
    restsOnAllWork: true,
    OpenAt(
      moments: Trigger.stateChanges,
      occasion: .dataFlushing,
      usesOccasions: true,
      open: { _, context, _ in
        guard context.change?.suspends == true else { return nil }
        return context.state.data.values.compactMap { object in
          object.flushing.map { (name: object.name, flush: $0) }
        }
      },
      finds: { save, _, context, _ in
        guard context.state.tasks.isEmpty else { return .held }
        // Where an earlier save never ended, the end of this one has been taken for its end.
        let overlaps = context.state.data[save.name]?.flushesOverlap ?? false
        let since = overlaps ? HostTime(rawValue: .min) : save.flush.time
        return .broken(
          unless: context.doubt(.data, since: since)
            .map { "its completion may be missing: \($0)" }
            ?? context.doubtAbsence(.task, since: since)
            .map { "a background task may be missing: \($0)" }
        )
      },
      object: { $0.name },
      late: saves { $0.flush.sequence }
    ) { (scene: Scene, save: (name: NameID, flush: DataObject.Flush), isSure) in
      let name: Sentence = "\(object: scene.names[save.name])"
      let witnesses = [scene.witness("save began", save.flush), scene.witness("suspended")]
      guard isSure else {
        return Story("a save of \(name) may have been cut by the suspension", [], witnesses)
      }
      let thread = save.flush.thread == .main ? "the main thread" : "a background thread"
      let cover = uncovered(save.flush, scene)
      return Story(
        "the save of \(name) version \(save.flush.version) was under way when the app was "
          + "suspended, and no background task covered it",
        [
          "It began\(scene.at(save.flush.site)) \(scene.since(save.flush.time)) before, on \(thread).",
          cover.detail,
        ],
        witnesses + cover.witnesses
      )
    }
  )

  /// How the completion of a save is known that is delivered behind the suspension.
  private static func saves<Thing>(
    _ begin: @escaping @Sendable (Thing) -> UInt64?
  ) -> OpenAt<Thing>.Late {
    OpenAt<Thing>.Late(
      ends: [.only(in: [.suspended, .background], .event(.dataDurable))],
      family: .data,
      begin: begin,
      ended: { event, context, names in
        guard event.kind == .dataDurable else { return nil }
        return context.saved(by: event, names)?.sequence
      }
    )
  }

  /// Why nothing kept the app running for a save: its task was ended too early, or there was none.
  private static func uncovered(
    _ flush: DataObject.Flush,
    _ scene: Scene
  ) -> (detail: Sentence, witnesses: [Witness]) {
    guard let last = scene.context.history.release, last.isTask,
      last.time >= scene.state.leftForeground ?? flush.time
    else {
      return (
        "No background task was open, so nothing kept the app running until it was done.", []
      )
    }
    let name = last.task.map { " \(scene.title($0))" } ?? ""
    let ended: Sentence =
      "Background task\(name) was ended\(scene.at(last.site)) \(scene.before(last))"
    let how: Sentence =
      last.time >= flush.time
      ? "\(scene.words(last.time - flush.time)) into the save: too early"
      : "and the save began \(scene.words(flush.time - last.time)) after that"
    return (
      "\(ended), \(how); no other was open, so nothing kept the app running until it was done.",
      [scene.witness("task ended", last)]
    )
  }
}
