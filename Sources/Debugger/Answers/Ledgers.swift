// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The ledgers of an app, a row each: unsaved data, tasks, queue, deadlines, spans, resources.
///
/// Each takes how many rows are shown at most; what is left out is counted.
enum Ledgers {
  /// Rows that people are shown where they ask for no other number.
  static let rowsMax = 100

  static func dirty(_ session: Session, _ stream: StreamID, most: Int) throws -> Answer {
    let (state, names, now) = look(session, stream)
    let level = state.endLevel(names)
    let unsaved = state.unsaved(at: level)
    let others = state.data.values.filter { $0.dirty != nil && $0.saveOfOtherBytes != nil }
    let isLost = state.losesAtEnd(names)
    var done = 0
    let rows = try unsaved.prefix(most).compactMap { object -> [Fact]? in
      try session.goOn(&done)
      guard let edit = object.dirty else { return nil }
      let first = object.firstUnsaved ?? edit
      let kept = object.durable[.kernel]
      let unsaved = state.process.ending.map {
        let age = Quantity.duration($0.time - first.time)
        guard isLost else { return "unsaved when the recording ended it, for \(age)" }
        let isCertain = object.survival(at: level) == nil
        return "\(isCertain ? "" : "may be ")lost at its end, unsaved for \(age)"
      }
      let never = state.doubt(.data) == nil ? "never saved" : "no save is known"
      return [
        Fact("object", .text(names[object.name]), .strong),
        Fact("version", .count(edit.version), "version \(edit.version)"),
        Fact("bytes", .bytes(edit.bytes), .warning, right: true),
        Fact(words: unsaved ?? "unsaved for \(Quantity.duration(now - first.time))"),
        Fact("savedVersion", .count(kept), kept > 0 ? "saved: version \(kept)" : never),
        Fact(data: "firstUnsavedNs", .time(session.time(first.time, of: stream))),
        Fact(data: "lost", .flag(isLost)),
        Fact(words: object.flushing.map { "version \($0.version) is being saved" } ?? ""),
        Fact("source", .text(EventText.source(edit.site, names)), .name),
      ]
    }
    let otherRows = others.prefix(most - rows.count).compactMap {
      otherBytes($0, stream, session, names)
    }
    let list = Rows("dirty", rows + otherRows, of: unsaved.count + others.count)
    var answer = answer(session, stream, list, .data) {
      state.process.ending == nil
        ? "Everything that \($0) edited is saved: a purge here would lose nothing."
        : "Everything that \($0) edited was saved at its end: nothing is lost."
    }
    if session.notYet(stream) == nil, !rows.isEmpty { tellOwnTime(session, stream, &answer) }
    return answer
  }

  /// A version that counts as saved by its number, and whose bytes are not there.
  private static func otherBytes(
    _ object: DataObject,
    _ stream: StreamID,
    _ session: Session,
    _ names: Names
  ) -> [Fact]? {
    guard let edit = object.dirty, let save = object.saveOfOtherBytes else { return nil }
    let place = session.player.heldPlace(of: stream, sequence: save.sequence)
    let writer = place.map { "\(session.player.name(of: $0))" } ?? "its save"
    return [
      Fact("object", .text(names[object.name]), .strong),
      Fact("version", .count(edit.version), "version \(edit.version)"),
      Fact("bytes", .bytes(edit.bytes), .warning, right: true),
      Fact(words: "counts as saved, and \(writer) wrote other bytes"),
      Fact(data: "savedBytes", .bytes(save.content.bytes)),
      Fact(data: "savedOtherBytes", .flag(true)),
      Fact("source", .text(EventText.source(edit.site, names)), .name),
    ]
  }

  static func tasks(_ session: Session, _ stream: StreamID, most: Int) throws -> Answer {
    let (state, names, now) = look(session, stream)
    let attributes = session.player.timeline.streams[Int(stream.rawValue)].attributes
    let held = state.tasks.entries.sorted { $0.value.sequence < $1.value.sequence }
    var done = 0
    let rows = try held.prefix(most).map { entry in
      try session.goOn(&done)
      let task = entry.value
      let clock = state.backgroundClock(
        of: task,
        until: now,
        session.profile,
        scaled: attributes.scaled
      )
      let left = clock.map { attributes.scaled($0.limit).subtractingSaturated($0.held) }
      return [
        Fact("id", .count(entry.key), "\(entry.key)", right: true),
        Fact("name", .text(names[task.name]), "\"\(Printable.line(names[task.name]))\"", .strong),
        Fact(
          "heldNs",
          .duration(now - task.time),
          "held for \(Quantity.duration(now - task.time))"
        ),
        budget(left, over: { "\($0) over the limit" }, "the clock runs in the background only"),
        Fact("expired", .flag(task.expired != nil), task.expired == nil ? "" : "expired", .warning),
        Fact(words: task.hasHandler ? "" : "no expiration handler", .warning),
        Fact(words: EventText.source(task.site, names), .name),
      ]
    }
    var answer = answer(session, stream, Rows("tasks", rows, of: held.count), .tasks) {
      "\($0) holds no background task."
    }
    if session.notYet(stream) == nil, !rows.isEmpty { tellScale(session, stream, &answer) }
    return answer
  }

  static func queue(_ session: Session, _ stream: StreamID, most: Int) throws -> Answer {
    let (state, names, now) = look(session, stream)
    let waiting = state.notifications.values.sorted { $0.sequence < $1.sequence }
    var done = 0
    let rows = try waiting.prefix(most).map { pending in
      try session.goOn(&done)
      return [
        Fact("type", .text(names[pending.type]), .strong),
        Fact("key", .text(names[pending.key])),
        Fact("value", .text(names[pending.lastValue])),
        Fact("posts", .count(pending.posts), Quantity.count(pending.posts, "post"), right: true),
        Fact(words: "waits for \(Quantity.duration(now - pending.time))"),
        Fact(words: pending.whileSuspended ? "posted while suspended" : "", .faint),
      ]
    }
    return answer(session, stream, Rows("queue", rows, of: waiting.count), .notifications) {
      "No notification waits for \($0)."
    }
  }

  static func deadlines(_ session: Session, _ stream: StreamID, most: Int) -> Answer {
    let (state, _, now) = look(session, stream)
    let budgets = session.budgets(of: state, stream, at: now)
    let rows = budgets.prefix(most).map { one in
      let here = one.budget == one.nominal ? "" : ", \(Quantity.duration(one.budget)) here"
      let clock = one.used == nil ? "CPU" : "wall"
      return [
        Fact("what", .text(one.what), .strong),
        Fact(
          "budgetNs",
          .duration(one.budget),
          "\(Quantity.duration(one.nominal)) of \(clock) time\(here)"
        ),
        Fact(data: "nominalNs", .duration(one.nominal)),
        Fact(words: "since \(session.timeText(session.time(one.time, of: stream), digits: 3))"),
        budget(one.left, .good, over: { "missed by \($0)" }),
      ]
    }
    let list = Rows("deadlines", rows, of: budgets.count)
    var answer = answer(session, stream, list, .deadlines) {
      "No time budget runs for \($0)."
    }
    guard session.notYet(stream) == nil else { return answer }
    if budgets.contains(where: { $0.source != .app }) { tellScale(session, stream, &answer) }
    answer.say(asking(budgets))
    return answer
  }

  /// How questions ask for what they do not call a deadline; nil where there is no such thing.
  private static func asking(_ budgets: [Budget]) -> Line? {
    let tables: [(Budget.Source, String)] = [
      (.wake, "wakes"), (.callback, "spans"), (.task, "tasks"),
    ]
    let asked = tables.filter { table in budgets.contains { $0.source == table.0 } }
    guard !asked.isEmpty else { return nil }
    let words = asked.map { "any \($0.1) where age > 1s" }.joined(separator: ", ")
    return Line("In questions only the app's own are deadlines; for the others: \(words)", .faint)
  }

  /// That lengths of time are not those of rules, where these are scaled.
  static func tellOwnTime(_ session: Session, _ stream: StreamID, _ answer: inout Answer) {
    let attributes = session.player.timeline.streams[Int(stream.rawValue)].attributes
    for line in TimeScales([attributes]).lines {
      answer.say(Line("Lengths of time here are those of the recording: \(line).", .faint))
    }
  }

  /// What a second stands for, where limits are scaled.
  private static func tellScale(_ session: Session, _ stream: StreamID, _ answer: inout Answer) {
    let attributes = session.player.timeline.streams[Int(stream.rawValue)].attributes
    for line in TimeScales([attributes]).lines {
      answer.say(Line("\(Sentence(line).capitalised)."))
    }
  }

  static func spans(_ session: Session, _ stream: StreamID, most: Int) throws -> Answer {
    let (state, names, now) = look(session, stream)
    let open = state.spans.values.sorted { ($0.thread, $0.sequence) < ($1.thread, $1.sequence) }
    var done = 0
    let rows = try open.prefix(most).map { span in
      try session.goOn(&done)
      return [
        Fact("thread", .text(Wording.thread(span.thread)), .faint),
        Fact(
          "kind",
          .text(EventText.kind(span.kind, names)),
          span.kind.info?.name.split(separator: ".").first.map(String.init) ?? "",
          .faint
        ),
        Fact("name", .text(session.name(of: span)), .strong),
        Fact("ns", .duration(now - span.time), "for \(Quantity.duration(now - span.time))"),
        Fact(words: EventText.source(span.site, names), .name),
      ]
    }
    return answer(session, stream, Rows("spans", rows, of: open.count), .spans) {
      "Nothing is open in \($0): no callback, work or wait."
    }
  }

  static func resources(_ session: Session, _ stream: StreamID, most: Int) throws -> Answer {
    let (state, names, now) = look(session, stream)
    let held = state.everyHold.sorted { $0.sequence < $1.sequence }
    // Who has a lock is said where there are several, or one has it more than once.
    let counted = Set(state.resources.entries.filter { $0.value.holds > 1 }.map(\.key.name))
    var done = 0
    let rows = try held.prefix(most).map { resource in
      try session.goOn(&done)
      // No thing but an interval, as the import of a device's log makes it.
      let isInterval = names[resource.name] == ResourceClass.suspensionPossible
      let (kind, attribute) = ("\(resource.resourceClass)", names[resource.attribute])
      let age = Quantity.duration(now - resource.time)
      return [
        Fact("class", .text(kind), isInterval ? "" : kind, .faint),
        Fact("name", .text(names[resource.name]), .strong),
        Fact("attribute", .text(attribute), isInterval ? "" : Printable.line(attribute)),
        Fact("ns", .duration(now - resource.time), isInterval ? "for \(age)" : "held for \(age)"),
        Fact(words: EventText.source(resource.site, names), .name),
      ] + holder(resource, state, isCounted: counted.contains(resource.name))
    }
    return answer(session, stream, Rows("resources", rows, of: held.count), .resources) {
      "No lock, file or timer of \($0) is reported to be held."
    }
  }

  /// `by t7, 2 times`, of a lock that is held more than once.
  private static func holder(
    _ lock: HeldResource,
    _ state: LifeState,
    isCounted: Bool
  ) -> [Fact] {
    guard isCounted, lock.resourceClass == .lock else { return [] }
    let own = state.holds(of: lock)
    let thread = Wording.thread(lock.thread)
    return [
      Fact("thread", .text(thread), own > 1 ? "by \(thread), \(own) times" : "by \(thread)", .faint)
    ]
  }

  // MARK: -

  /// The state, and now: for who has ended the time stands still.
  private static func look(_ session: Session, _ stream: StreamID) -> (LifeState, Names, HostTime) {
    let (state, now) = (session.player.state(of: stream), session.now(of: stream))
    return (state, session.player.names, min(now, state.process.ending?.time ?? now))
  }

  /// What is said above what was open when a process ended; nil for one that lives.
  private static func ended(_ session: Session, _ stream: StreamID) -> Line? {
    guard let ending = session.player.state(of: stream).process.ending else { return nil }
    let time = session.timeText(session.time(ending.time, of: stream), digits: 3)
    let cause = Wording.endCause(session.player.names[ending.cause])
    let how = cause.isEmpty ? "" : " (\(Printable.line(cause)))"
    return Line("\(session.player.labels[stream]) ended at \(time)\(how). This was open then:")
  }

  /// The rest of a length of time; `none` where that is not known.
  private static func budget(
    _ left: Int64?,
    _ style: Style = .plain,
    over: (String) -> String,
    _ none: String = ""
  ) -> Fact {
    guard let left else { return Fact("leftNs", .none, none, style) }
    guard left < 0 else {
      return Fact("leftNs", .duration(left), "\(Quantity.duration(left)) left", style)
    }
    let beyond = Quantity.duration(Int64(0).subtractingSaturated(left))
    return Fact("leftNs", .duration(left), over(beyond), .bad)
  }

  /// Whether the stream is of a log that holds no event of the families, nowhere.
  private static func isSilent(_ session: Session, _ stream: StreamID, _ table: BoundedTable)
    -> Bool
  {
    let index = session.player.timeline.streams[Int(stream.rawValue)]
    guard session.isOfLog(stream) else { return false }
    return !index.chunks.contains { chunk in
      KindInfo.all.contains { table.families.contains($0.family) && chunk.kinds.contains($0.kind) }
    }
  }

  /// The rows of a ledger that are shown, and how many there are.
  private struct Rows {
    /// The command that lists them, and the field of programs.
    let key: String
    let shown: [[Fact]]
    let count: Int

    init(_ key: String, _ shown: [[Fact]], of count: Int) {
      (self.key, self.shown, self.count) = (key, shown, count)
    }
  }

  private static func answer(
    _ session: Session,
    _ stream: StreamID,
    _ rows: Rows,
    _ table: BoundedTable,
    none: (String) -> String
  ) -> Answer {
    let label = session.player.labels[stream]
    let notYet = session.notYet(stream)
    var answer = Answer()
    answer.note(Fact("writer", .text(label)))
    // What of its data was lost is said of each.
    if notYet == nil, table != .data, let ended = ended(session, stream) {
      answer.say(rows.count == 0 ? nil : ended, [Fact("ended", .flag(true))])
    }
    answer.list(rows.key, notYet == nil ? rows.shown.map(Listing.Row.facts) : [])
    if let notYet {
      answer.say(Line(notYet))
      return answer
    }
    if rows.count == 0 {
      answer.say(
        isSilent(session, stream, table)
          ? "The log tells nothing of this: what \(label) held is not known." : Line(none(label))
      )
    }
    let more = rows.count - rows.shown.count
    answer.say(
      more > 0
        ? "… and \(Quantity.grouped(more)) more: \(rows.key) \(label) \(rows.count)" : nil,
      [Fact("more", .count(more))]
    )
    let state = session.player.state(of: stream)
    answer.say(session.overflow(of: table, in: state, isListed: rows.count > 0))
    answer.note(Fact("atLeast", .flag(state.isFull(table))))
    let lost = missing(table, state)
    let facts = [Fact("missingEvents", .count(lost.count))]
    let verb = lost.count == 1 ? "is" : "are"
    answer.say(lost.words.map { Line("\($0) \(verb) missing: this may be wrong.", .bad) }, facts)
    return answer
  }

  /// How many events of a table's families are missing, and in words where there are some.
  private static func missing(_ table: BoundedTable, _ state: LifeState) -> (
    count: UInt64, words: String?
  ) {
    for family in table.families where state.completeness[family].lost > 0 {
      let lost = state.completeness[family].lost
      return (lost, Quantity.count(lost, "\(family) event"))
    }
    // Where only the numbers show that something is missing, it may be of any family.
    let isWhole = table.families.allSatisfy { state.completeness[$0].isWhole }
    let gap = isWhole ? 0 : state.completeness[.unknown].lost
    return (gap, gap > 0 ? Quantity.count(gap, "event") : nil)
  }
}

extension Session {
  /// That more was there than is followed; nil where it was not.
  func overflow(of table: BoundedTable, in state: LifeState, isListed: Bool) -> Line? {
    guard state.isFull(table) else { return nil }
    let many = "More than \(Quantity.count(table.max, table.thing)) at once"
    return isListed
      ? Line("\(many); the rest is not listed.", .warning)
      : Line("\(many) some time before; the rest is not followed: this may be wrong.", .warning)
  }
}
