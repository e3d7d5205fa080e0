// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Family DS: is the user's data safe when the system takes the app away without notice.

/// Nothing is unsaved when the app stops executing: it may never run again.
struct DS01: Rule {
  static let info = RuleInfo(
    "DS01",
    "Nothing is unsaved when the app is suspended.",
    source: "App Programming Guide, Strategies for Handling App State Transitions",
    severity: .error,
    fix: "Save in didEnterBackground or earlier, at each checkpoint of the work; "
      + "a suspended app is purged without notice.",
    roles: .all
  )
  static let attention = Attention.kinds(Attention.stateChanges)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let change = context.change, change.suspends else { return }
    let unsaved = context.state.unsaved(at: .kernel)
    for object in unsaved {
      guard let edit = object.dirty else { continue }
      let name = names[object.name]
      let story = DataStory(object, context, event, .kernel, names)
      if let doubt = context.doubt(aboutSaving: object, edit) {
        context.undecidable(
          "a save may be missing: \(doubt)",
          at: event.sequence,
          event.time,
          object: object.name
        ) { _ in
          .init(
            title: "\(object: name) may be unsaved at the suspension",
            details: story.details,
            witnesses: story.witnesses
          )
        }
      } else {
        let verb = object.survival(at: .kernel) == nil ? "would" : "may"
        context.violated(at: event.sequence, event.time, object: object.name) { _ in
          .init(
            title: "\(object: name) was not saved when the app was suspended: version "
              + "\(edit.version), \(bytes: edit.bytes), \(verb) be lost by a purge",
            details: story.details,
            witnesses: story.witnesses,
            advice: Sentence(object.advice(Self.info.fix))
          )
        }
      }
    }
    guard unsaved.isEmpty, context.hasData else { return }
    if let doubt = context.doubt(.data) {
      let witness = context.witness("suspended", event, names)
      context.undecidable("an edit may be missing: \(doubt)", at: event.sequence, event.time) { _ in
        .init(title: "nothing is known to be unsaved at the suspension", witnesses: [witness])
      }
    } else {
      context.held()
    }
  }
}

/// A process that ended with unsaved data has lost it.
struct DS02: Rule {
  static let info = RuleInfo(
    "DS02",
    "No process ends with data that no save covers.",
    source: "App Programming Guide, App Termination: suspended apps receive no notification",
    severity: .error,
    fix: "Save at checkpoints while the user works, not at the end; flush a pending autosave in "
      + "willResignActive or didEnterBackground.",
    roles: .all
  )
  static let attention = Attention.kinds(Attention.endings)
  static let restsOnAllWork = true

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard context.state.process.ending == nil else { return }
    let cause = names[event.endingCause]
    guard !HarnessEnd.isOne(cause) else { return }
    let level = DurabilityLevel.surviving(cause)
    let how =
      event.kind == .purge
      ? "the app was purged" : Self.sentence(cause, code: Payload.ProcessExit(event).code)
    let unsaved = context.state.unsaved(at: level)
    for object in unsaved {
      guard let edit = object.dirty else { continue }
      let name = names[object.name]
      let story = DataStory(object, context, event, level, names)
      if let doubt = context.doubt(aboutSaving: object, edit) {
        context.undecidable(
          "a save may be missing: \(doubt)",
          at: event.sequence,
          event.time,
          object: object.name
        ) { _ in
          .init(
            title: "\(object: name) may have lost version \(edit.version) when \(how)",
            details: story.details,
            witnesses: story.witnesses
          )
        }
        continue
      }
      let first = (object.firstUnsaved ?? edit).time
      let age = event.time - first
      // Saves in between may be missing, though the newest version is certainly lost.
      let upTo = context.doubt(.data, since: first) == nil ? "" : "up to "
      let survival = object.survival(at: level)
      let lost = survival == nil ? "lost" : "may have lost"
      let place = context.placeOfViolation(
        at: event.sequence,
        event.time,
        object: object.name
      ) { context in
        .init(
          title:
            "\(object: name) \(lost) version \(edit.version) (\(bytes: edit.bytes), unsaved for "
            + "\(upTo)\(context.words(age))) when \(how)",
          details: story.details,
          witnesses: story.witnesses,
          advice: Sentence(object.advice(Self.info.fix))
        )
      }
      // What is only counted can tell nothing more.
      guard let place else { continue }
      let (stream, rule) = (context.stream, context.current)
      context.tallies.lost(
        object.name,
        edit,
        survival,
        stream,
        rule: rule,
        place: place
      )
    }
    guard unsaved.isEmpty, context.hasData else { return }
    if let doubt = context.doubt(.data) {
      let witness = context.witness("end", event, names)
      context.undecidable("an edit may be missing: \(doubt)", at: event.sequence, event.time) { _ in
        .init(title: "nothing is known to be lost when \(how)", witnesses: [witness])
      }
    } else {
      context.held()
    }
  }

  /// Tells what this launch found of the data that the incarnations before it lost.
  mutating func finish(_ context: inout RuleContext, _ names: borrowing Names) {
    guard context.state.process.started != nil else { return }
    let launch: Sentence = "The next launch, \(name: context.label),"
    for loss in context.tallies.takeLosses(before: context.stream) {
      guard let found = context.state.data[loss.object]?.foundAtLaunch else {
        if context.doubt(.data) == nil {
          context.tallies.amend(loss, "\(launch) did not read it back.", nil)
        }
        continue
      }
      context.tallies.amend(
        loss,
        "\(launch) found \(Self.what(found, of: loss, context.event(found.sequence))).",
        context.witness("found at launch", found.sequence, found.time, .none, names)
      )
    }
  }

  /// What a launch found where `loss` was; numbers tell it only where bytes do not.
  private static func what(
    _ found: DataObject.Restored,
    of loss: Tallies.Loss,
    _ event: Sentence
  ) -> Sentence {
    // An empty file: its name outlived a power cut that its bytes did not.
    let isEmpty = found.hash == 0 || found.content.bytes == 0
    if found.version == 0, isEmpty { return "nothing of it (\(event))" }
    let it = found.version > 0 ? "version \(found.version)" : "bytes of no known version"
    let isCompared = found.hash > 0 && loss.edit.hash > 0
    let isSame = found.hash == loss.edit.hash && found.content.bytes == loss.edit.bytes
    if isCompared ? isSame : found.version >= loss.edit.version {
      let why =
        switch loss.survival {
        case .notSynced: "written, not synced; nothing promised that it would be there"
        case .saveUnderWay: "the save that was under way came through"
        case .copied: "it had been written to another file"
        case .stoodBefore: "the same bytes had stood there before"
        case nil: "a save that this recording does not show"
        }
      return "\(it) all the same (\(event)): \(why)"
    }
    let isOther = isCompared && found.version >= loss.edit.version
    return "\(it)\(isOther ? ", which holds other bytes" : "") (\(event))"
  }

  /// How a process came to its end, as the end of a sentence that begins with *when*.
  private static func sentence(_ cause: String, code: UInt64) -> String {
    switch TerminationCause(rawValue: cause) {
    case .exit: "the process exited"
    case .crash: "the app crashed"
    case .user: "the user ended the app"
    case .reboot: "the device rebooted"
    case .powerLoss: "the device lost power"
    case .watchdog: "the watchdog killed the app"
    case .system: "the system ended the app"
    case .purge: "the app was purged"
    case .exitsOnSuspend: "the app left the foreground, where it exits"
    case .deadlock: "the system killed the app for a lock that it held"
    case .thermal: "the device was too hot"
    case nil where cause == "signal":
      "\(SignalName.of(code) ?? "signal \(code)") ended the process"
    case nil: cause.isEmpty ? "the process ended" : "the process ended (\(cause))"
    }
  }
}

/// A save that is under way when the app stops executing needs a background task to hold it awake.
struct DS03: Rule {
  static let info = RuleInfo(
    "DS03",
    "A save under way at the suspension is covered by a background task.",
    source: "UIApplicationDelegate applicationDidEnterBackground: tasks you start will not run "
      + "until after that method exits; first call beginBackgroundTask",
    severity: .error,
    fix:
      "Call beginBackgroundTask before the save is dispatched, and end the task when it is done.",
    roles: .apps
  )
  static let attention = Attention.kinds(Attention.stateChanges + [.dataFlushing])
  static let restsOnAllWork = true
  private var saves = 0

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    if event.kind == .dataFlushing {
      saves += 1
      return
    }
    guard let change = context.change, change.suspends, saves > 0 else { return }
    var isClear = true
    for object in context.state.data.values {
      guard let flush = object.flushing else { continue }
      isClear = false
      judge(object, flush, event, &context, names)
    }
    if isClear { context.held() }
    saves = 0
  }

  private func judge(
    _ object: DataObject,
    _ flush: DataObject.Flush,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let name = names[object.name]
    let witnesses = [
      context.witness("save began", flush.sequence, flush.time, flush.site, names),
      context.witness("suspended", event, names),
    ]
    if !context.state.tasks.isEmpty { return context.held() }
    let doubt: Sentence? =
      context.doubt(.data, since: flush.time).map { "its completion may be missing: \($0)" }
      ?? context.doubt(.task, since: flush.time).map { "a background task may be missing: \($0)" }
    let (where_, age) = (context.at(flush.site, names), event.time - flush.time)
    if let doubt {
      return context.undecidable(doubt, at: event.sequence, event.time, object: object.name) { _ in
        .init(
          title: "a save of \(object: name) may have been cut by the suspension",
          witnesses: witnesses
        )
      }
    }
    context.violated(at: event.sequence, event.time, object: object.name) { context in
      .init(
        title:
          "the save of \(object: name) version \(flush.version) was under way when the app was "
          + "suspended, and no background task covered it",
        details: [
          "It began\(where_) \(context.words(age)) before, on "
            + "\(flush.thread == .main ? "the main thread" : "a background thread").",
          "No background task was open, so nothing kept the app running until it was done.",
        ],
        witnesses: witnesses
      )
    }
  }
}

extension RuleContext {
  /// What may hide a save of `edit`.
  ///
  /// Where its bytes are known, an earlier save of the same bytes would do as well as a later one.
  func doubt(aboutSaving object: DataObject, _ edit: DataObject.Edit) -> Sentence? {
    guard edit.hash != 0 else { return doubt(.data, since: edit.time) }
    guard let save = object.lastSave else { return doubt(.data) }
    return doubt(.data, since: min(save.time, edit.time))
  }

  /// Whether the stream says anything about data, or what it said may be among what was lost.
  var hasData: Bool {
    !state.data.isEmpty || state.completeness[.data].lost > 0
      || state.completeness[.unknown].lost > 0
  }
}
