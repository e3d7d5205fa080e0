// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `state`: everything that is known of one app, in words.
enum StateText {
  static func reply(_ session: Session, _ stream: StreamID) -> Reply {
    let player = session.player
    let names = player.names
    let label = player.labels[stream]
    let state = player.state(of: stream)
    if let notYet = session.notYet(stream) {
      let word = session.stateWord(state, of: stream)
      return Reply([notYet], json: [("writer", .string(label)), ("state", .string(word))])
    }
    let now = session.now(of: stream)
    var table = Table()
    func add(_ name: String, _ value: String, _ style: Style = .plain) {
      if !value.isEmpty { table.add([Cell(name, .faint), Cell(value, style)]) }
    }
    func since(_ time: HostTime) -> String {
      "since \(Wording.time(session.time(time, of: stream))), \(Quantity.duration(now - time))"
    }

    let place = state.placeInLife
    let cause = names[place.cause]
    let isApp = player.timeline.streams[Int(stream.rawValue)].attributes.role == .app
    let word = session.stateWord(state, of: stream)
    add(
      "state",
      isApp
        ? word + (state.appState == .unknown ? "" : ", \(since(place.since))")
          + (cause.isEmpty ? "" : " (\(Printable.line(cause)))")
        : word,
      .strong
    )
    if isApp, place.before != .unknown { add("before", Wording.state(place.before)) }
    if let started = state.process.started {
      let reason = names[state.process.reason]
      add(
        "launched",
        Wording.time(session.time(started, of: stream))
          + (reason.isEmpty ? "" : " (\(Printable.line(reason)))")
      )
    }
    if let ending = state.process.ending {
      add(
        "ended",
        Wording.time(session.time(ending.time, of: stream)) + " ("
          + Printable.line(names[ending.cause]) + "), in state \(Wording.state(ending.state))",
        .bad
      )
    }
    for span in state.spans.values.sorted(by: { $0.sequence < $1.sequence }).prefix(8) {
      add(
        span.kind.info?.name.split(separator: ".").first.map(String.init) ?? "span",
        "\(session.name(of: span)) on \(Wording.thread(span.thread)), \(since(span.time))"
      )
    }
    let unsaved = state.unsaved()
    if unsaved.isEmpty {
      add(
        "data",
        state.data.isEmpty
          ? "" : state.process.ending == nil ? "everything is saved" : "everything was saved",
        .good
      )
    } else {
      let objects = unsaved.prefix(4).map { Printable.line(names[$0.name]) }
      let more = unsaved.count > 4 ? " and \(unsaved.count - 4) more" : ""
      add(
        state.process.ending == nil ? "unsaved" : "lost",
        "\(Quantity.bytes(state.unsavedBytes())) in \(objects.joined(separator: ", "))\(more)",
        .warning
      )
    }
    if !state.tasks.isEmpty { add("tasks", Quantity.count(state.tasks.count, "background task")) }
    if !state.notifications.isEmpty {
      add("queue", "\(Quantity.count(state.notifications.count, "notification")) to be delivered")
    }
    for wake in state.wakes.values.sorted(by: { $0.sequence < $1.sequence }).prefix(4) {
      let reason = names[wake.reason]
      let name = reason.isEmpty ? "" : "by \(Printable.line(reason)), "
      add("wake", "\(name)not completed, \(since(wake.time))")
    }
    if !state.deadlines.isEmpty {
      add("deadlines", Quantity.count(state.deadlines.count, "budget"))
    }
    let held = state.resources.values.filter {
      names[$0.name] != ResourceClass.suspensionPossible
    }
    if let interval = state.resources.values.first(where: {
      names[$0.name] == ResourceClass.suspensionPossible
    }) {
      add("maybe", "suspended, \(since(interval.time)): nothing is known that keeps it awake")
    }
    add("resources", Wording.list(held.prefix(5).map { Printable.line(names[$0.name]) }))
    if state.footprintTime != nil { add("memory", Quantity.bytes(state.footprint)) }
    if let isLocked = state.isDeviceLocked { add("device", isLocked ? "locked" : "unlocked") }
    let lost = state.completeness.lost
    if lost > 0 {
      let families = EventFamily.allCases.filter { state.completeness[$0].lost > 0 }
      add(
        "missing",
        "\(Quantity.grouped(lost)) events so far (\(Wording.list(families.map { "\($0)" })))",
        .bad
      )
    }
    return Reply(
      [session.paint(label, .name)] + table.lines(session.paint).map { "  " + $0 },
      json: [
        ("writer", .string(label)),
        ("state", .string(word)),
        ("sinceNs", .int(session.time(place.since, of: stream).rawValue)),
        ("before", .string(Wording.state(place.before))),
        ("cause", .string(cause)),
        ("unsavedBytes", JSON(state.unsavedBytes())),
        ("unsaved", .array(unsaved.map { .string(names[$0.name]) })),
        ("tasks", JSON(state.tasks.count)),
        ("notifications", JSON(state.notifications.count)),
        ("spans", JSON(state.spans.count)),
        ("wakes", .array(state.wakes.values.map { .string(names[$0.reason]) })),
        ("deadlines", JSON(state.deadlines.count)),
        ("resources", .array(state.resources.values.map { .string(names[$0.name]) })),
        ("lost", JSON(lost)),
      ]
    )
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
