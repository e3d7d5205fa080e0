// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family DS, its second part: when an app saves.
enum Saving {
  static let onlyAtTheEnd = Rule(
    "DS04",
    "What is saved in willTerminate had been saved in didEnterBackground.",
    source: "iPhone Application Programming Guide: a suspended app is ended without notice",
    fix: "Save in didEnterBackground too; willTerminate is not called for a suspended app.",
    restsOnAllWork: true,
    OnlyAtTheEnd { scene, save, _ in
      let name: Sentence = "\(object: scene.names[save.object])"
      return Story(
        "\(name) was saved in \(name: "willTerminate") alone",
        [
          "It was edited\(scene.at(save.edit.site)) \(scene.before(save.edit)), and "
            + "\(name: "didEnterBackground") (\(scene.event(save.entering.beginSequence)) to "
            + "\(save.entering.endSequence)) did not save it.",
          "Had the app been suspended and purged, \(name: "willTerminate") would not have been "
            + "called, and version \(save.edit.version) would be lost.",
        ],
        [
          scene.witness("edit", save.edit),
          scene.witness(
            "not saved",
            save.entering.beginSequence,
            save.entering.begin,
            save.entering.site
          ),
          scene.witness("saved", save),
        ]
      )
    }
  )

  static let checkpoint = Rule(
    "DS05",
    "No edit waits for minutes to be saved: saves come at checkpoints of the work too.",
    source: "App Programming Guide: never wait for an app state transition to save data",
    severity: .warning,
    fix: "Save while the user works: after each edit, or by a timer.",
    restsOnAllWork: true,
    thresholds: ["checkpoint"],
    Each(attention: [.event(.dataDurable)], countsOnce: true) { event, context, names in
      guard let object = context.state.data[names.known(event.identityName)],
        let first = object.firstUnsaved,
        // What has waited in a suspension is judged there.
        context.state.lastSuspended ?? first.time <= first.time
      else { return nil }
      if let doubt = context.doubt(.data, since: first.time) {
        let waited = event.time - first.time
        return waited <= context.scaled(context.profile.checkpoint.warn)
          ? .held : .unclear("a save may be missing: \(doubt)")
      }
      let limit = context.profile.checkpoint.warn
      switch context.compare(event.time - first.time, limit, since: first.sequence) {
      case .within: return .held
      case .over: return .broken()
      case .unclear(let reason): return .unclear(reason)
      }
    } says: { scene in
      let object = scene.state.data[scene.names.known(scene.event.identityName)]
      let name: Sentence = "\(object: scene.names[scene.event.identityName])"
      guard let first = object?.firstUnsaved else {
        return Story("\(name) was saved late", [], [scene.witness("saved")])
      }
      let limit = scene.context.profile.checkpoint.warn
      return Story(
        "\(name) had not been saved for \(scene.since(first.time))",
        [
          "The oldest edit is version \(first.version), made\(scene.at(first.site)) "
            + "\(scene.before(first)); a checkpoint should come every \(scene.limit(limit)).",
          "A crash or a kill in between would have lost it all.",
        ],
        [scene.witness("first unsaved edit", first), scene.witness("saved")]
      )
    }
  )

  static let entering = Rule(
    "DS06",
    "A save in didEnterBackground is done within the time of that callback.",
    source: "App Programming Guide, Strategies for Handling App State Transitions: about 5 seconds",
    fix: "Save what has changed, and the rest on a queue under a background task.",
    thresholds: ["enter-background"],
    Each(attention: [.event(.dataDurable)] + Trigger.endings) { event, context, names in
      guard let (_, flush, _) = saveInEntering(event, context, names) else { return nil }
      if event.kind != .dataDurable {
        guard context.isKill(event, code: TerminationCode.watchdog, names) else { return nil }
        return .broken(unless: context.doubt(.data, since: flush.time))
      }
      let limit = context.profile.enterBackground.warn
      switch context.compare(event.time - flush.time, limit, since: flush.sequence) {
      case .within: return .held
      case .over: return .broken()
      case .unclear(let reason): return .unclear(reason)
      }
    } says: { scene in
      guard let (object, flush, call) = saveInEntering(scene.event, scene.context, scene.names)
      else {
        return Story("a save took too long", [], [scene.witness("end")])
      }
      let name: Sentence = "\(object: scene.names[object.name])"
      let limit = scene.context.profile.enterBackground
      let isCut = scene.event.kind != .dataDurable
      return Story(
        isCut
          ? "the save of \(name) in \(name: "didEnterBackground") was cut short by a kill"
          : "the save of \(name) in \(name: "didEnterBackground") took "
            + "\(scene.words(scene.event.time - flush.time))",
        [
          "It began\(scene.at(flush.site)) \(scene.before(flush)), on the main thread; the callback "
            + "may take \(scene.limit(limit.warn)), and the system kills at \(scene.limit(limit.kill))."
        ],
        [
          scene.witness(Witness.open, call), scene.witness("save began", flush),
          scene.witness(isCut ? "killed" : "saved"),
        ]
      )
    }
  )

  /// The save on main that the event ends, or cuts, and the didEnterBackground in which it began.
  private static func saveInEntering(
    _ event: borrowing Event,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> (DataObject, DataObject.Flush, OpenSpan)? {
    guard context.state.process.ending == nil else { return nil }
    var found: (DataObject, DataObject.Flush)?
    if event.kind == .dataDurable {
      if let object = context.state.data[names.known(event.identityName)],
        let flush = object.flushing
      {
        found = (object, flush)
      }
    } else {
      for object in context.state.data.values {
        if let flush = object.flushing, flush.thread == .main { found = (object, flush) }
      }
    }
    guard let found, found.1.thread == .main else { return nil }
    var call: OpenSpan?
    let isInside = context.hasOpenCall { span in
      guard span.kind == .callbackBegin, span.thread == .main, span.time <= found.1.time,
        Callback(named: names[names[span.site].name]) == .didEnterBackground
      else { return false }
      call = span
      return true
    }
    guard isInside, let call else { return nil }
    return (found.0, found.1, call)
  }

  static let deferred = Rule(
    "DS09",
    "A deferred save is made, not cancelled, before the app is suspended.",
    source: "App Programming Guide: save at transitions; autosave timers do not fire in suspension",
    fix:
      "Flush the pending save in willResignActive or didEnterBackground, instead of cancelling it.",
    restsOnAllWork: true,
    Deferred { (scene: Scene, save: (object: DataObject, cancelled: Deferred.Cancelled), isSure) in
      let name: Sentence = "\(object: scene.names[save.object.name])"
      let edits = save.object.dirty.map { [$0] } ?? []
      let witnesses =
        edits.map { scene.witness("edit", $0) }
        + [scene.witness("cancelled", save.cancelled), scene.witness("suspended")]
      guard isSure else {
        return Story("the deferred save of \(name) may have been lost", [], witnesses)
      }
      let made: [Sentence] = edits.map {
        "Version \($0.version) was made\(scene.at($0.site)) \(scene.before($0))."
      }
      let taken: Sentence =
        "Its save was taken back\(scene.at(save.cancelled.site)) \(scene.before(save.cancelled)), "
        + "and none came in its place."
      return Story(
        "the deferred save of \(name) was cancelled, and none was made before the suspension",
        made + [taken],
        witnesses
      )
    }
  )

  static let temporary = Rule(
    "DS11",
    "Temporary files are removed before the app is suspended.",
    source: "a tutorial on interruption and termination: clean up before the background",
    severity: .info,
    fix: "Remove them in didEnterBackground.",
    restsOnAllWork: true,
    OpenAt<HeldResource>(
      moments: Trigger.stateChanges,
      occasion: .resourceAcquire,
      isOccasion: { Payload.ResourceAcquire($0).class.value == .temporaryFile },
      open: { _, context, _ in
        guard context.change?.suspends == true else { return nil }
        return context.state.resources.values.filter { $0.resourceClass == .temporaryFile }
      },
      finds: { file, _, context, _ in
        .broken(
          unless: context.doubt(.resource, since: file.time).map {
            "its removal may be missing: \($0)"
          }
        )
      }
    ) { scene, file, isSure in
      let name: Sentence = "\(name: scene.names[file.name])"
      return Story(
        isSure
          ? "the temporary file \(name) was left when the app was suspended"
          : "the temporary file \(name) may have been left at the suspension",
        isSure ? ["It was made\(scene.at(file.site)) \(scene.before(file))."] : [],
        [scene.witness("made", file), scene.witness("suspended")]
      )
    }
  )
}
