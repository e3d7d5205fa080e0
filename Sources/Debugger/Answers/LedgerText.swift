// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The ledgers of an app as tables: unsaved data, tasks, queue, deadlines, spans, resources.
enum LedgerText {
  static func dirty(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, names, now) = look(session, stream)
    let level = state.endLevel(names)
    var table = Table()
    var rows: [JSON] = []
    for object in state.unsaved(at: level) {
      guard let edit = object.dirty else { continue }
      let first = object.firstUnsaved ?? edit
      let kept = object.durable[.kernel]
      table.add([
        Cell(Printable.line(names[object.name]), .strong),
        Cell("version \(edit.version)"),
        Cell(Quantity.bytes(edit.bytes), .warning, right: true),
        Cell(
          state.process.ending.map {
            "\(object.survival(at: level) == nil ? "" : "may be ")lost at its end, unsaved for \(Quantity.duration($0.time - first.time))"
          } ?? "unsaved for \(Quantity.duration(now - first.time))"
        ),
        Cell(
          kept > 0
            ? "saved: version \(kept)"
            : state.doubt(.data) == nil ? "never saved" : "no save is known"
        ),
        Cell(object.flushing.map { "version \($0.version) is being saved" } ?? ""),
        Cell(EventText.source(edit.site, names), .name),
      ])
      rows.append(
        .object([
          ("object", .string(names[object.name])), ("version", JSON(edit.version)),
          ("bytes", JSON(edit.bytes)), ("savedVersion", JSON(kept)),
          ("firstUnsavedNs", .int(session.time(first.time, of: stream).rawValue)),
          ("lost", .bool(state.process.ending != nil)),
          ("source", .string(EventText.source(edit.site, names))),
        ])
      )
    }
    return reply(session, stream, table, rows, "dirty", family: .data) {
      state.process.ending == nil
        ? "Everything that \($0) edited is saved: a purge here would lose nothing."
        : "Everything that \($0) edited was saved at its end: nothing is lost."
    }
  }

  static func tasks(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, names, now) = look(session, stream)
    let attributes = session.player.timeline.streams[Int(stream.rawValue)].attributes
    var table = Table()
    var rows: [JSON] = []
    for entry in state.tasks.entries.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      let task = entry.value
      let clock = state.backgroundClock(
        of: task,
        until: now,
        session.profile,
        scaled: attributes.scaled
      )
      let left = clock.map { attributes.scaled($0.limit).subtractingSaturated($0.held) }
      table.add([
        Cell("\(entry.key)", right: true),
        Cell("\"\(Printable.line(names[task.name]))\"", .strong),
        Cell("held for \(Quantity.duration(now - task.time))"),
        Cell(
          left.map {
            $0 >= 0
              ? "\(Quantity.duration($0)) left"
              : "\(Quantity.duration(Int64(0).subtractingSaturated($0))) over the limit"
          }
            ?? "the clock runs in the background only",
          left ?? 1 < 0 ? .bad : .plain
        ),
        Cell(task.expired == nil ? "" : "expired", .warning),
        Cell(task.hasHandler ? "" : "no expiration handler", .warning),
        Cell(EventText.source(task.site, names), .name),
      ])
      rows.append(
        .object([
          ("id", JSON(entry.key)), ("name", .string(names[task.name])),
          ("heldNs", .int(now - task.time)), ("leftNs", left.map { .int($0) } ?? .null),
          ("expired", .bool(task.expired != nil)),
        ])
      )
    }
    return reply(session, stream, table, rows, "tasks", family: .task) {
      "\($0) holds no background task."
    }
  }

  static func queue(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, names, now) = look(session, stream)
    var table = Table()
    var rows: [JSON] = []
    for pending in state.notifications.values.sorted(by: { $0.sequence < $1.sequence }) {
      table.add([
        Cell(Printable.line(names[pending.type]), .strong),
        Cell(Printable.line(names[pending.key])),
        Cell(Printable.line(names[pending.lastValue])),
        Cell(Quantity.count(Int(clamping: pending.posts), "post"), right: true),
        Cell("waits for \(Quantity.duration(now - pending.time))"),
        Cell(pending.whileSuspended ? "posted while suspended" : "", .faint),
      ])
      rows.append(
        .object([
          ("type", .string(names[pending.type])), ("key", .string(names[pending.key])),
          ("value", .string(names[pending.lastValue])), ("posts", JSON(pending.posts)),
        ])
      )
    }
    return reply(session, stream, table, rows, "queue", family: .notification) {
      "No notification waits for \($0)."
    }
  }

  static func deadlines(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, _, now) = look(session, stream)
    var table = Table()
    var rows: [JSON] = []
    for deadline in session.budgets(of: state, stream) {
      let left =
        deadline.countsCPU ? nil : deadline.budget.subtractingSaturated(now - deadline.time)
      table.add([
        Cell(Printable.line(deadline.what), .strong),
        Cell(
          "\(Quantity.duration(deadline.budget)) of \(deadline.countsCPU ? "CPU" : "wall") time"
        ),
        Cell("since \(Wording.time(session.time(deadline.time, of: stream)))"),
        Cell(
          left.map {
            $0 >= 0
              ? "\(Quantity.duration($0)) left"
              : "missed by \(Quantity.duration(Int64(0).subtractingSaturated($0)))"
          }
            ?? "",
          left ?? 1 < 0 ? .bad : .good
        ),
      ])
      rows.append(
        .object([
          ("what", .string(deadline.what)), ("budgetNs", .int(deadline.budget)),
          ("leftNs", left.map { .int($0) } ?? .null),
        ])
      )
    }
    return reply(session, stream, table, rows, "deadlines", family: .deadline) {
      "No time budget runs for \($0)."
    }
  }

  static func spans(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, names, now) = look(session, stream)
    var table = Table()
    var rows: [JSON] = []
    for span in state.spans.values.sorted(by: {
      ($0.thread, $0.sequence) < ($1.thread, $1.sequence)
    }) {
      table.add([
        Cell(Wording.thread(span.thread), .faint),
        Cell(span.kind.info?.name.split(separator: ".").first.map(String.init) ?? "", .faint),
        Cell(session.name(of: span), .strong),
        Cell("for \(Quantity.duration(now - span.time))"),
        Cell(EventText.source(span.site, names), .name),
      ])
      rows.append(
        .object([
          ("thread", .string(Wording.thread(span.thread))),
          ("kind", .string(EventText.kind(span.kind, session.player.names))),
          ("name", .string(session.name(of: span))),
          ("ns", .int(now - span.time)),
        ])
      )
    }
    return reply(session, stream, table, rows, "spans", family: .work) {
      "Nothing is open in \($0): no callback, work or wait."
    }
  }

  static func resources(_ session: Session, _ stream: StreamID) -> Reply {
    let (state, names, now) = look(session, stream)
    var table = Table()
    var rows: [JSON] = []
    for resource in state.resources.values.sorted(by: { $0.sequence < $1.sequence }) {
      // No thing but an interval, as the import of a device's log makes it.
      let isInterval = names[resource.name] == ResourceClass.suspensionPossible
      let age = Quantity.duration(now - resource.time)
      table.add([
        Cell(isInterval ? "" : "\(resource.resourceClass)", .faint),
        Cell(Printable.line(names[resource.name]), .strong),
        Cell(isInterval ? "" : Printable.line(names[resource.attribute])),
        Cell(isInterval ? "for \(age)" : "held for \(age)"),
        Cell(EventText.source(resource.site, names), .name),
      ])
      rows.append(
        .object([
          ("class", .string("\(resource.resourceClass)")),
          ("name", .string(names[resource.name])),
          ("attribute", .string(names[resource.attribute])), ("ns", .int(now - resource.time)),
        ])
      )
    }
    return reply(session, stream, table, rows, "resources", family: .resource) {
      "\($0) holds no lock, file or timer."
    }
  }

  // MARK: -

  private static func look(_ session: Session, _ stream: StreamID) -> (LifeState, Names, HostTime) {
    (session.player.state(of: stream), session.player.names, session.now(of: stream))
  }

  /// Whether the stream is of a log that holds no event of the family, nowhere.
  private static func isSilent(_ session: Session, _ stream: StreamID, _ family: EventFamily)
    -> Bool
  {
    let index = session.player.timeline.streams[Int(stream.rawValue)]
    guard session.isOfLog(stream) else { return false }
    return !index.chunks.contains { chunk in
      KindInfo.all.contains { $0.family == family && chunk.kinds.contains($0.kind) }
    }
  }

  private static func reply(
    _ session: Session,
    _ stream: StreamID,
    _ table: Table,
    _ rows: [JSON],
    _ key: String,
    family: EventFamily,
    none: (String) -> String
  ) -> Reply {
    let label = session.player.labels[stream]
    if let notYet = session.notYet(stream) {
      return Reply([notYet], json: [("writer", .string(label)), (key, .array([]))])
    }
    var reply = Reply(table.lines(session.paint))
    if rows.isEmpty {
      reply.lines = [
        isSilent(session, stream, family)
          ? "The log tells nothing of this: what \(label) held is not known." : none(label)
      ]
    }
    let completeness = session.player.state(of: stream).completeness
    // Where only the numbers tell that something is missing, it may be of any family.
    let gap = completeness[family].isWhole ? 0 : completeness[.unknown].lost
    let lost = completeness[family].lost > 0 ? completeness[family].lost : gap
    if lost > 0 {
      let what = completeness[family].lost > 0 ? "\(family) event" : "event"
      let verb = lost == 1 ? "is" : "are"
      reply.lines.append(
        session.paint("\(Quantity.count(lost, what)) \(verb) missing: this may be wrong.", .bad)
      )
    }
    reply.json = [("writer", .string(label)), (key, .array(rows)), ("missingEvents", JSON(lost))]
    return reply
  }
}
