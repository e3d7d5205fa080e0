// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `state`: everything that is known of one app, in words; a line a part.
struct WholeState {
  private let session: Session
  private let stream: StreamID
  private let state: LifeState
  private let now: HostTime
  /// Now, or when it ended.
  private let last: HostTime
  private var names: Names { session.player.names }
  private var rows: [Listing.Row] = []

  static func answer(_ session: Session, _ stream: StreamID) -> Answer {
    let label = session.player.labels[stream]
    let word = session.stateWord(session.player.state(of: stream), of: stream)
    let writer = Fact("writer", .text(label))
    if let notYet = session.notYet(stream) {
      return Answer(.line(Line(notYet), [writer, Fact("state", .text(word))]))
    }
    var whole = WholeState(session, stream)
    whole.addLife(word)
    whole.addData()
    whole.addOpenThings()
    whole.addSurroundings()
    whole.addOverflows()
    let rows = Listing(key: nil, rows: whole.rows, indent: 2)
    return Answer(.line(Line(label, .name), [writer]), .listing(rows))
  }

  private init(_ session: Session, _ stream: StreamID) {
    self.session = session
    self.stream = stream
    state = session.player.state(of: stream)
    now = session.now(of: stream)
    last = min(now, state.process.ending?.time ?? now)
  }

  /// A line where there are words for people, and the facts that it states.
  private mutating func add(
    _ name: String,
    _ words: String,
    _ style: Style = .plain,
    _ facts: [Fact] = []
  ) {
    let cells = [Fact(words: name, .faint), Fact(words: words, style)]
    rows.append(.facts((words.isEmpty ? [] : cells) + facts))
  }

  /// A count, where it is not 0, and the fact `key`.
  private mutating func add(
    _ name: String,
    key: String,
    _ count: Int,
    _ table: BoundedTable,
    _ thing: String,
    _ rest: String = ""
  ) {
    let words = count == 0 ? "" : least(table) + Quantity.count(count, thing) + rest + atEnd
    add(name, words, .plain, [Fact(data: key, .count(count))])
  }

  /// What stands before a count of things of which more were there than are followed.
  private func least(_ table: BoundedTable) -> String { state.isFull(table) ? "at least " : "" }

  private func time(_ time: HostTime) -> String {
    session.timeText(session.time(time, of: stream), digits: 3)
  }

  private func since(_ time: HostTime) -> String {
    "since \(self.time(time)), \(Quantity.duration(now - time))"
  }

  /// The same of what is open, or was at its end.
  private func open(_ time: HostTime) -> String {
    "since \(self.time(time)), \(Quantity.duration(last - time))\(atEnd)"
  }

  /// What is said of open things of a process that has ended.
  private var atEnd: String { state.process.ending == nil ? "" : ", open at its end" }

  /// ` (memory)`, or nothing.
  private func because(_ reason: NameID) -> String {
    reason == .empty ? "" : " (\(Printable.line(Wording.endCause(names[reason]))))"
  }

  private mutating func addLife(_ word: String) {
    let place = state.placeInLife
    let isApp = session.player.timeline.streams[Int(stream.rawValue)].attributes.role == .app
    let known = state.appState == .unknown ? "" : ", \(since(place.since))"
    let start = Fact(data: "sinceNs", .time(session.time(place.since, of: stream)))
    let words = isApp ? word + known + because(place.cause) : word
    add("state", words, .strong, [Fact(data: "state", .text(word)), start])
    let before = Wording.state(place.before)
    let facts = [
      Fact(data: "before", .text(before)), Fact(data: "cause", .text(names[place.cause])),
    ]
    add("before", isApp && place.before != .unknown ? before : "", .plain, facts)
    if let started = state.process.started {
      add("launched", time(started) + because(state.process.reason))
    }
    if let ending = state.process.ending {
      let cause = Printable.line(Wording.endCause(names[ending.cause]))
      let words = "\(time(ending.time)) (\(cause)), in state \(Wording.state(ending.state))"
      add("ended", words, .bad, [Fact(data: "ended", .flag(true))])
    }
    for span in state.spans.values.sorted(by: { $0.sequence < $1.sequence }).prefix(8) {
      add(
        span.kind.info?.name.split(separator: ".").first.map(String.init) ?? "span",
        "\(session.name(of: span)) on \(Wording.thread(span.thread)), \(open(span.time))"
      )
    }
  }

  private mutating func addData() {
    let unsaved = state.unsaved()
    let facts = [
      Fact(data: "unsavedBytes", .bytes(state.unsavedBytes())),
      Fact(data: "unsaved", .texts(unsaved.map { names[$0.name] })),
    ]
    let isOver = state.process.ending != nil
    guard !unsaved.isEmpty else {
      let others = state.data.values.filter { $0.saveOfOtherBytes != nil }
      guard others.isEmpty else {
        let some = others.prefix(4).map { Printable.line(names[$0.name]) }.joined(separator: ", ")
        add("data", "saved with other bytes than the edit told: \(some)", .warning, facts)
        return
      }
      let all = state.isFull(.data) ? "everything that is followed" : "everything"
      let saved = "\(all) \(isOver ? "was" : "is") saved"
      add("data", state.data.isEmpty ? "" : saved, .good, facts)
      return
    }
    let some = unsaved.prefix(4).map { Printable.line(names[$0.name]) }.joined(separator: ", ")
    let more =
      unsaved.count > 4 ? " and \(least(.data))\(Quantity.grouped(unsaved.count - 4)) more" : ""
    let words = "\(least(.data))\(Quantity.bytes(state.unsavedBytes())) in \(some)\(more)"
    add(state.losesAtEnd(names) ? "lost" : "unsaved", words, .warning, facts)
  }

  private mutating func addOpenThings() {
    add("tasks", key: "tasks", state.tasks.count, .tasks, "background task")
    let waiting = state.notifications.count
    add("queue", key: "notifications", waiting, .notifications, "notification", " to be delivered")
    let wakes = state.wakes.values
    rows.append(
      .facts([
        Fact(data: "spans", .count(state.spans.count)),
        Fact(data: "wakes", .texts(wakes.map { names[$0.reason] })),
      ])
    )
    for wake in wakes.sorted(by: { $0.sequence < $1.sequence }).prefix(4) {
      let reason = names[wake.reason]
      let name = reason.isEmpty ? "" : "by \(Printable.line(reason)), "
      add("wake", "\(name)not completed, \(open(wake.time))")
    }
    add("deadlines", key: "deadlines", state.deadlines.count, .deadlines, "budget")
  }

  private mutating func addSurroundings() {
    let resources = state.resources.values
    let held = resources.filter { names[$0.name] != ResourceClass.suspensionPossible }
    if let interval = resources.first(where: {
      names[$0.name] == ResourceClass.suspensionPossible
    }) {
      add("maybe", "suspended, \(open(interval.time)): nothing is known that keeps it awake")
    }
    let more = held.count - Self.heldMax
    let list = Wording.list(
      held.prefix(Self.heldMax).map { Printable.line(names[$0.name]) }
        + (more > 0 ? ["\(least(.resources))\(Quantity.grouped(more)) more"] : [])
    )
    let some = list.isEmpty || state.process.ending == nil ? list : "\(list), held at its end"
    let all = Fact(data: "resources", .texts(resources.map { names[$0.name] }))
    add("resources", some, .plain, [all])
    if state.footprintTime != nil { add("memory", Quantity.bytes(state.footprint)) }
    if let isLocked = state.isDeviceLocked { add("device", isLocked ? "locked" : "unlocked") }
    let lost = state.completeness.lost
    let families = EventFamily.allCases.filter { state.completeness[$0].lost > 0 }
    let those = Wording.list(families.map { "\($0)" })
    let words = lost > 0 ? "\(Quantity.grouped(lost)) events so far (\(those))" : ""
    add("missing", words, .bad, [Fact(data: "lost", .count(lost))])
  }

  /// More locks and so on are counted.
  private static let heldMax = 5

  /// Of what more was there than is followed.
  private mutating func addOverflows() {
    let full = BoundedTable.allCases.filter { state.isFull($0) }
    let words = Wording.bounds(of: state) ?? ""
    add("bounds", words, .warning, [Fact(data: "overflowed", .texts(full.map(\.thing)))])
  }
}

extension Session {
  /// What an open span is called.
  func name(of span: OpenSpan) -> String {
    let name = player.names[player.names[span.site].name]
    if span.kind == .waitBegin {
      let on = player.names[NameID(word: span.detail)]
      return Printable.line(on.isEmpty ? name : "for \(on)")
    }
    return Printable.line(name.isEmpty ? EventText.kind(span.kind, player.names) : name)
  }
}
