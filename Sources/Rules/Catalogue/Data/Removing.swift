// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What a file holds goes last: when something else holds it, or nobody needs it any more.
enum Removing {
  /// A removal, while what follows from it is not known.
  fileprivate struct Removed: Opened {
    let object: NameID
    let version: UInt64
    let bytes: UInt64
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
    let thread: ThreadID
    /// The piece of the program in whose midst it was removed; 0 for none that is recorded.
    let item: UInt64
    /// The read of what was removed, by the same piece; nil where the removal was seen from outside.
    var read: (time: HostTime, sequence: UInt64)?
  }

  fileprivate struct Memory {
    var removed: [Removed] = []
    var found: (removed: Removed, open: OpenedThing?, isSure: Bool)?
  }

  /// What was open at the end that needed the content.
  fileprivate enum OpenedThing {
    case item(OpenSpan)
    case alert(HeldResource)
  }

  static let early = Rule(
    "DS14",
    "A file is not removed, nor saved over, before what is in it stands elsewhere, or is needed no more.",
    source: "FileManager replaceItem(at:withItemAt:backupItemName:options:): in a manner that "
      + "ensures no data loss occurs",
    fix: "Write the new content beside the file and rename it over the old one; remove what was "
      + "read when it has been saved elsewhere, or refused.",
    roles: .all,
    restsOnAllWork: true,
    Both(removal, Both(moved, unanswered))
  )

  private static let removal = Recall(
    attention: [
      EventKind.dataDiscarded, .dataDirty, .dataDurable, .workEnd, .callbackEnd, .turnEnd,
    ].map(Trigger.event) + Trigger.endings,
    memory: Memory()
  ) { memory, event, context, names in
    switch event.kind {
    case .dataDiscarded:
      removed(event, &memory, context, names)
      return nil
    case .dataDirty, .dataDurable: return made(event, &memory, &context, names)
    case .purge, .processExit: return ended(event, &memory, context, names)
    default:
      guard !memory.removed.isEmpty, let item = context.closing?.sequence else { return nil }
      memory.removed.removeAll { $0.item == item && $0.read == nil }
      return nil
    }
  } says: { scene, memory in
    story(scene, memory)
  }

  private static func removed(
    _ event: borrowing Event,
    _ memory: inout Memory,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) {
    let name = names.known(event.identityName)
    guard let object = context.state.data[name],
      context.hasRoom(memory.removed.count, for: "object")
    else { return }
    let thread = event.thread
    let open = context.state.spans.values.filter { $0.thread == thread && $0.kind != .waitBegin }
    let inner = open.max { $0.sequence < $1.sequence }
    let (isSeen, first) = (event.observer == .observe, open.map(\.sequence).min())
    var removed = Removed(
      object: name,
      version: max(object.durable[.kernel], object.restored?.version ?? 0),
      bytes: object.lastSave?.content.bytes ?? object.restored?.content.bytes ?? 0,
      time: event.time,
      sequence: event.sequence,
      site: event.site,
      thread: thread,
      item: (isSeen ? inner?.sequence : first) ?? 0
    )
    if !isSeen {
      guard let read = object.restored, read.version > 0 || read.content.bytes > 0,
        object.dirty == nil, object.durable[.kernel] == 0, removed.item > 0,
        read.sequence > removed.item
      else { return }
      removed.read = (read.time, read.sequence)
    } else if removed.version == 0 {
      return
    }
    memory.removed.append(removed)
  }

  /// Something is made anew: of the object itself, or of another one out of what was read.
  private static func made(
    _ event: borrowing Event,
    _ memory: inout Memory,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    guard !memory.removed.isEmpty else { return nil }
    let name = names.known(event.identityName)
    let isOwn = memory.removed.contains { $0.object == name && $0.read == nil }
    if isOwn, context.hasRoom(context.before.madeAnew.count, for: "object") {
      context.before.madeAnew.insert(name)
    }
    memory.removed.removeAll { $0.object == name || $0.read != nil }
    return isOwn ? .held : nil
  }

  private static func ended(
    _ event: borrowing Event,
    _ memory: inout Memory,
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> Finding? {
    guard context.state.process.ending == nil else { return nil }
    let cause = names[event.endingCause]
    guard !HarnessEnd.isOne(cause), cause != TerminationCause.exit.rawValue else { return nil }
    var hasHeld = false
    for removed in memory.removed {
      var doubt: Sentence?
      for family in [EventFamily.data, .work, .callback, .resource] where doubt == nil {
        doubt = context.unseen(family, since: removed.time)
          .map { "what became of it may be missing: \($0)" }
      }
      if removed.read != nil {
        guard let open = question(removed, context) else {
          hasHeld = true
          continue
        }
        memory.found = (removed, open, doubt == nil)
        return doubt.map { .unclear($0) } ?? .broken(.warning)
      }
      // Once seen to be a part of its save; of a removal for good nothing is left to be made.
      guard context.before.madeAnew.contains(removed.object) else { continue }
      let item = context.state.spans.values.first { $0.sequence == removed.item }
      // It may have ended before the removal, and another piece have made that.
      if doubt == nil, let item {
        doubt = context.unseen(item.kind.family, since: item.time)
          .map { "its end may be missing: \($0)" }
      }
      memory.found = (removed, item.map { .item($0) }, doubt == nil && item != nil)
      guard item != nil else {
        return .unclear(doubt ?? "whether it was removed for good is not recorded")
      }
      return .broken(unless: doubt)
    }
    return hasHeld ? .held : nil
  }

  /// What is open that was begun for what was read: a question to the user, or work.
  private static func question(
    _ removed: Removed,
    _ context: borrowing RuleContext
  ) -> OpenedThing? {
    let since = removed.read?.sequence ?? removed.sequence
    let alerts = context.state.resources.values.filter {
      $0.resourceClass == .alert && $0.sequence > since
    }
    if let alert = alerts.min(by: { $0.sequence < $1.sequence }) { return .alert(alert) }
    let work = context.state.spans.values.filter { $0.kind == .workBegin && $0.sequence > since }
    return work.min { $0.sequence < $1.sequence }.map { .item($0) }
  }

  private static func story(_ scene: Scene, _ memory: Memory) -> Story {
    guard let (removed, open, isSure) = memory.found else {
      return Story("a file was removed too early", [], [scene.witness("end")])
    }
    let name: Sentence = "\(object: scene.names[removed.object])"
    let gone = scene.witness("removed", removed)
    guard isSure else {
      return Story("\(name) may have been removed too early", [], [gone, scene.witness("end")])
    }
    var witnesses = [gone]
    var details: [Sentence] = []
    switch open {
    case .alert(let alert):
      details.append(
        "The alert \(name: scene.names[alert.name]), opened\(scene.at(alert.site)) "
          + "\(scene.before(alert)), had not been answered."
      )
      witnesses.append(scene.witness(Witness.open, alert))
    case .item(let span):
      details.append(
        "\(scene.title(span).capitalised)\(scene.at(span.site)), begun \(scene.before(span)), had not ended."
      )
      witnesses.append(scene.witness(Witness.open, span))
    case nil: break
    }
    let end = scene.witness("end")
    guard let read = removed.read else {
      return Story(
        "\(name) version \(removed.version) was removed, and what was to take its place was not there when "
          + "\(scene.endClause)",
        [
          "It was removed\(scene.at(removed.site)) \(scene.before(removed)); earlier saves of it have "
            + "removed the file too, and written it anew behind that."
        ] + details + ["Neither the old content nor the new one is left."],
        witnesses + [end]
      )
    }
    return Story(
      "what was read of \(name) was in memory alone when \(scene.endClause)",
      [
        "It was discarded\(scene.at(removed.site)) \(scene.before(removed)), right behind the read "
          + "(\(scene.event(read.sequence))), and nothing was saved since."
      ] + details,
      [scene.witness("read", read.sequence, read.time)] + witnesses + [end]
    )
  }
}
