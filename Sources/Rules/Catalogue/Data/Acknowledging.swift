// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Rules about what comes again until the app says that it has it: a purchase, a message of a queue.
enum Acknowledging {
  /// What came, and may have been acknowledged since.
  fileprivate struct Handed: Opened {
    let key: ResourceKey
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    /// Work that began behind it has ended: what was to be made of it may be kept elsewhere, by a server.
    var isServed = false
    var answer: Answer?
    /// What was saved behind the acknowledgement while the work on what came went on.
    var saved: NameID?
  }

  /// The acknowledgement.
  fileprivate struct Answer: Opened {
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// What came and is not acknowledged, and what was acknowledged with nothing to show for it.
  fileprivate struct Ledger {
    var open: [Handed] = []
    var bare: [Handed] = []
    /// What the finding is about, with the edit that was not durable.
    var found: (handed: Handed, object: NameID, edit: DataObject.Edit?)?
    /// The work that was under way at the end.
    var work: OpenSpan?
    /// About saves that were under way at an acknowledgement.
    var heldBack = HeldBack()
  }

  static let early = Rule(
    "DS13",
    "What comes again until it is acknowledged is acknowledged when what was made of it is durable.",
    source: "StoreKit, SKPaymentQueue.finishTransaction(_:): deliver the content, then finish the "
      + "transaction",
    severity: .warning,
    fix:
      "Save what was made of it first, and acknowledge it then: an end in between brings it once "
      + "more, an end behind an early acknowledgement loses it.",
    roles: .all,
    Recall(
      attention: [
        .event(.resourceAcquire), .event(.resourceRelease), .event(.workEnd), .event(.dataDurable),
        .event(.loss),
      ] + Trigger.endings,
      memory: Ledger(),
      finds: { ledger, event, context, names in
        switch event.kind {
        case .resourceAcquire:
          let came = Payload.ResourceAcquire(event)
          guard isHanded(came.class.value, came.name, came.attribute ?? .empty, names),
            context.hasRoom(ledger.open.count, for: "item")
          else { return nil }
          ledger.open.append(
            Handed(
              key: ResourceKey(came.name, 0, came.id ?? 0),
              time: event.time,
              sequence: event.sequence,
              site: event.site
            )
          )
          return nil
        case .resourceRelease:
          guard let finding = acknowledged(event, &ledger, context) else { return nil }
          guard !finding.isHeld, let save = saving(ledger, context) else { return finding }
          let known = ledger
          ledger.heldBack.hold(finding, on: save.sequence, .data, event, context, names) {
            scene,
            _ in says(scene, known)
          }
          return nil
        case .workEnd:
          guard !ledger.open.isEmpty, let work = context.closing else { return nil }
          for place in ledger.open.indices where ledger.open[place].sequence < work.sequence {
            ledger.open[place].isServed = true
          }
          return nil
        case .dataDurable:
          if !ledger.heldBack.isEmpty, let save = context.saved(by: event, names) {
            ledger.heldBack.ended(save.sequence, event, &context, names)
          }
          guard Payload.DataDurable(event).level.rawValue >= DurabilityLevel.kernel.rawValue else {
            return nil
          }
          return saved(Payload.DataDurable(event).object, &ledger, context)
        case .loss:
          ledger.heldBack.look(event, &context, names)
          return nil
        default:
          ledger.heldBack.settle(event, &context, names)
          return ended(event, &ledger, context, names)
        }
      },
      ends: { ledger, last, context, names in ledger.heldBack.settle(last, &context, names) },
      says: { scene, ledger in says(scene, ledger) }
    )
  )

  /// The save of what was not durable yet that is under way: its completion may have come in time, and
  /// be delivered behind the acknowledgement.
  private static func saving(
    _ ledger: Ledger,
    _ context: borrowing RuleContext
  ) -> DataObject.Flush? {
    guard let found = ledger.found, let edit = found.edit,
      let flush = context.state.data[found.object]?.flushing, flush.version >= edit.version
    else { return nil }
    return flush
  }

  /// Whether a resource is something that comes again until it is released.
  static func isHanded(
    _ kind: ResourceClass?,
    _ name: NameID,
    _ attribute: NameID,
    _ names: borrowing Names
  ) -> Bool {
    kind == .other && (names[attribute] == "transaction" || names[name] == "transaction")
  }

  private static func acknowledged(
    _ event: borrowing Event,
    _ ledger: inout Ledger,
    _ context: borrowing RuleContext
  ) -> Finding? {
    let released = Payload.ResourceRelease(event)
    let key = ResourceKey(released.name, 0, released.id ?? 0)
    guard released.class.value == .other,
      let place = ledger.open.firstIndex(where: { $0.key == key })
    else { return nil }
    var handed = ledger.open.remove(at: place)
    handed.answer = Answer(time: event.time, sequence: event.sequence, site: event.site)
    let made = context.state.data.values.filter { object in
      object.lastSave.map { $0.time >= handed.time } ?? false
    }
    let thread = event.thread
    let hasSavedItself = made.contains { $0.dirty?.thread == thread && !$0.isUnsaved(at: .kernel) }
    for object in context.state.data.values {
      guard let edit = object.dirty, edit.sequence > handed.sequence,
        object.isUnsaved(at: .kernel)
      else { continue }
      // Who acknowledges has saved what it made: what others edit meanwhile is something else.
      if hasSavedItself, edit.thread != thread { continue }
      ledger.found = (handed, object.name, edit)
      return .broken(
        unless: context.doubt(.data, since: handed.time).map { "its save may be missing: \($0)" }
      )
    }
    if !made.isEmpty || handed.isServed { return .held }
    if context.hasRoom(ledger.bare.count, for: "item") { ledger.bare.append(handed) }
    return nil
  }

  /// Something is durable: what was made of what came, unless the work on that is still under way.
  private static func saved(
    _ object: NameID,
    _ ledger: inout Ledger,
    _ context: borrowing RuleContext
  ) -> Finding? {
    let count = ledger.bare.count
    var bare: [Handed] = []
    for var handed in ledger.bare {
      let isUnderWay = context.state.spans.values.contains {
        guard let answer = handed.answer, $0.kind == .workBegin else { return false }
        return $0.sequence > handed.sequence && $0.sequence < answer.sequence
      }
      guard isUnderWay else { continue }
      handed.saved = object
      bare.append(handed)
    }
    ledger.bare = bare
    return bare.count < count ? .held : nil
  }

  /// The end of a process that had acknowledged something, and was still at work on it.
  private static func ended(
    _ event: borrowing Event,
    _ ledger: inout Ledger,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    defer { ledger.bare.removeAll() }
    guard context.state.process.ending == nil, !HarnessEnd.isOne(names[event.endingCause]) else {
      return nil
    }
    for handed in ledger.bare {
      let work = context.state.spans.values.filter {
        $0.kind == .workBegin && $0.sequence > handed.sequence
      }
      let doubt = context.doubtAbsence(.data, since: handed.time).map {
        "a save may be missing: \($0)" as Sentence
      }
      guard let first = work.min(by: { $0.sequence < $1.sequence }) else {
        guard let (object, edit) = edited(behind: handed, context) else { continue }
        // It may have nothing to do with what came.
        ledger.found = (handed, object, edit)
        return doubt == nil ? .broken(.info) : .broken(unless: doubt)
      }
      (ledger.found, ledger.work) = ((handed, .empty, nil), first)
      // Work that began behind the acknowledgement may have nothing to do with what came.
      let isItsOwn = handed.answer.map { first.sequence < $0.sequence } ?? false
      // Nor may what is to be made of it be missing where something else was saved.
      let isSure = isItsOwn && handed.saved == nil
      return doubt == nil && !isSure ? .broken(.info) : .broken(unless: doubt)
    }
    return nil
  }

  /// The first object that was edited behind the acknowledgement, and is not durable.
  private static func edited(
    behind handed: Handed,
    _ context: borrowing RuleContext
  ) -> (object: NameID, edit: DataObject.Edit)? {
    guard let answer = handed.answer else { return nil }
    var found: (object: NameID, edit: DataObject.Edit)?
    for object in context.state.data.values where object.isUnsaved(at: .kernel) {
      guard let edit = object.firstUnsaved ?? object.dirty, edit.sequence > answer.sequence,
        edit.sequence < found?.edit.sequence ?? .max
      else { continue }
      found = (object.name, edit)
    }
    return found
  }

  private static func says(_ scene: Scene, _ ledger: Ledger) -> Story {
    guard let found = ledger.found else {
      return Story("something was acknowledged too early", [], [scene.witness("acknowledged")])
    }
    let name: Sentence = "\(name: scene.names[found.handed.key.name])"
    let came: Sentence =
      "It came\(scene.at(found.handed.site)) \(scene.before(found.handed)), and comes no second time."
    if let edit = found.edit {
      let object: Sentence = "\(object: scene.names[found.object])"
      if let answer = found.handed.answer, answer.sequence < edit.sequence {
        return Story(
          "\(name) had been acknowledged\(scene.at(answer.site)), and \(object) version "
            + "\(edit.version), made behind that, was not durable when \(scene.endClause)",
          [came, "If it was made of what came, that is lost."],
          [
            scene.witness("came", found.handed), scene.witness("acknowledged", answer),
            scene.witness("edit", edit), scene.witness("end"),
          ]
        )
      }
      return Story(
        "\(name) was acknowledged\(scene.at(scene.event.site)) before \(object) version "
          + "\(edit.version), made since it came, was durable",
        [came, "An end before the save loses what was made of it."],
        [
          scene.witness("came", found.handed),
          scene.witness("edit", edit.sequence, edit.time, edit.site),
          scene.witness("acknowledged"),
        ]
      )
    }
    guard let work = ledger.work, let answer = found.handed.answer else {
      return Story("\(name) was acknowledged too early", [came], [scene.witness("end")])
    }
    let label = scene.names[scene.names[work.site].name]
    let nothing: Sentence =
      found.handed.saved.map { "nothing but \(object: scene.names[$0])" } ?? "nothing"
    return Story(
      "\(name) had been acknowledged\(scene.at(answer.site)), and \(nothing) was durable since it came, "
        + "when \(scene.endClause)",
      [
        came,
        work.sequence < answer.sequence && found.handed.saved == nil
          ? "The work \(name: label), begun\(scene.at(work.site)) behind it, had not ended: what it was "
            + "to make of it is lost."
          : "The work \(name: label), begun\(scene.at(work.site)), had not ended: if it was to make "
            + "something of it, that is lost.",
      ],
      [
        scene.witness("came", found.handed), scene.witness("acknowledged", answer),
        scene.witness(Witness.open, work), scene.witness("end"),
      ]
    )
  }
}
