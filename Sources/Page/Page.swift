// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
package import LifetraceJudging
import LifetraceLayout
package import LifetraceReplay
import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// A recording as one page: what was broken and by which line, a picture of it, all of its events.
///
///     let page = Page(title: "run", replay: "lifetrace replay run.lifetrace", judgement: Judgement())
///     try page.write(of: player) { text in … }
///
/// The page needs no network and keeps nothing apart. Whatever a recording spells stands in it as
/// data only: no name can become a tag or a script.
package struct Page {
  /// What the page is called.
  package var title: String
  /// The command that replays it, to which the page adds where to go.
  package var replay: String
  /// How the recording is judged.
  package var judgement: Judgement
  /// What is wrong with the recording, a sentence each.
  package var remarks: [String] = []
  /// The processes as a tree, a line each, where it shows more than those with events of their own.
  package var tree: [String] = []
  /// How well the clocks of several machines lie on the axis, a sentence each.
  package var clocks: [String] = []
  /// The version of the tool.
  package var version = ""

  /// No page is larger: that is what mail and pull requests take.
  ///
  /// A million events are some 22 MB. Of a larger recording the page lists what is no span of work and
  /// what is near to violations, draws lanes in less detail, and says what it leaves out.
  package static let bytesMax = 25_000_000
  /// How large the page may be.
  package var bytesMax = Page.bytesMax
  /// All events are passed as often.
  package static let passes = 3

  /// A page of that name.
  package init(title: String, replay: String, judgement: Judgement) {
    (self.title, self.replay, self.judgement) = (title, replay, judgement)
  }

  /// Makes the page, and hands it out in parts.
  ///
  /// `progress` is told how many events were read, of ``passes`` times their number.
  package func write(
    of player: Player,
    progress: (Int) -> Void = { _ in },
    to output: (String) throws -> Void
  ) throws {
    let timeline = player.timeline
    let findings = try player.findings(judgement, progress: progress)
    let whole = 0...max(1, timeline.duration)
    let layout = try Layout(of: player, whole) {
      progress(timeline.count + $0)
    }
    var stories = PageFindings(player, findings, judgement)
    let first = stories.first
    var ledger = PageLedger(player, findings)
    var room = PageRoom(bytesMax - PageText.frameBytes(title: title) - Self.restBytesMax)
    let lives = room.fit(ledger.lives, share: 0.3, "process")
    let tree = room.fit(tree.map { .string($0) }, share: 0.1, "line of the process tree")
    let violations = try stories.json(&room)
    let rows = ledger.json(&room)
    // A third for texts, half for the picture; events get what these leave.
    var strings = PageStrings(bytesMax: room.left / 3)
    var columns = PageColumns()
    var lanes = PageLanes(
      layout,
      player.names,
      streams: lives.count,
      first: ([first].compactMap { $0 } + stories.gravestFirst).map(\.stream)
    )
    lanes.pack(&columns, &strings, &room, most: room.left / 2)
    let flows = lanes.flows(&columns, &room)
    let axis = lanes.axis
    let events = try list(player, &strings, stories.places, lives.count, room.left) {
      progress(2 * timeline.count + $0)
    }
    let listed = events.listed
    let tables = events.json(&columns)
    room.take(events.bytes + strings.bytes)
    // What the events have left is for finer lanes, and an eighth of it for the texts of these.
    let texts = room.left / 8
    room.take(texts)
    strings.bytesMax = min(strings.bytesMax, strings.bytes + texts)
    lanes.pack(&columns, &strings, &room, most: room.left)
    let groups = lanes.json(&room)
    room.leaveOut(timeline.count - listed, "event")
    let gravest = first.map { JSON($0.number) } ?? .null
    let remarks =
      self.remarks + Self.damage(timeline) + ledger.remarks
      + [Self.remark(onFlowsOf: layout), room.remark(of: bytesMax)].compactMap { $0 }
    let data = JSON.object([
      ("title", .string(Printable.line(title))), ("replay", .string(Printable.line(replay))),
      ("version", .string(version)), ("span", .array([.int(0), .int(whole.upperBound)])),
      ("wall", wall(timeline)), ("clocks", .array(clocks.map { .string(Printable.line($0)) })),
      ("scale", .array(scale(timeline).map { .string(Printable.line($0)) })),
      ("count", JSON(timeline.count)), ("listed", JSON(listed)),
      ("axis", axis), ("lives", .array(lives)), ("groups", groups), ("flows", flows),
      ("violations", violations), ("first", gravest),
      (
        "violationCount",
        JSON(count(findings.violations.count - stories.noteCount, findings.unplaced))
      ),
      ("undecidable", JSON(findings.undecidable.count)),
      ("unjudged", findings.unjudged.sentence.map { .string(Printable.line($0)) } ?? .null),
      ("losses", JSON(layout.losses)),
      ("rules", stories.rules), ("ledger", rows), ("tree", .array(tree)),
      ("remarks", .array(remarks.map { .string(Printable.line($0)) })),
      ("looks", .array(Bar.Look.allCases.map { .string("\($0)") })),
      ("kinds", .array(Instant.Kind.allCases.map { .string("\($0)") })),
      ("families", .array(EventFamily.allCases.map { .string("\($0)") })),
      ("tables", tables), ("strings", strings.json),
    ])
    let text = data.text
    try PageText.write(
      title: title,
      data: text,
      columns: columns.base64,
      to: output
    )
  }

  /// What is not taken piece by piece: the title, the rules, the axis, what is wrong, names of looks.
  private static let restBytesMax = 200_000

  /// All events; where they find no room, those around violations, and as many as there is room for,
  /// from the first on, of those that are no span of work.
  private func list(
    _ player: Player,
    _ strings: inout PageStrings,
    _ places: [EventPlace],
    _ streams: Int,
    _ bytesMax: Int,
    progress: (Int) -> Void
  ) throws(SearchInterrupted) -> PageEvents {
    let before = strings
    let none = PageEvents(player, streams: streams, bytesMax: bytesMax)
    var events = none
    try events.add(&strings, progress: progress) { _, _ in .asRoomAllows }
    guard events.leftOut > 0 else { return events }
    let isNear = Self.near(places)
    var kept = 0
    if !places.isEmpty {
      strings = before
      events = none
      try events.add(&strings, progress: progress) { isNear($1) ? .first : .not }
      guard events.leftOut == 0 else { return events }
      kept = events.bytes + strings.bytes - before.bytes
    }
    strings = before
    events = none
    events.kept = kept
    try events.add(&strings, progress: progress) { event, place in
      isNear(place) ? .first : Self.isSpan(event) ? .not : .asRoomAllows
    }
    return events
  }

  private func count(_ placed: Int, _ unplaced: [(rule: String, count: Int)]) -> Int {
    unplaced.reduce(placed) { $0 + $1.count }
  }

  /// A sentence about messages without an arrow; nil where all have one.
  static func remark(onFlowsOf layout: Layout) -> String? {
    guard layout.flowsLeftOut > 0 else { return nil }
    let count = Quantity.count(layout.flowsLeftOut, "message")
    let most = Quantity.count(Layout.flowsMax, "arrow")
    return "\(count) without an arrow: a page has at most \(most), export perfetto has more."
  }

  /// What was met in the passes over a timeline and cannot be read, in a sentence each, at most
  /// three; nothing is decoded before.
  package static func damage(_ timeline: Timeline) -> [String] {
    var met: [String] = []
    for problem in timeline.damage {
      let line = String(problem.description.prefix { $0 != "\n" })
      // A chunk is read in each pass.
      if !met.contains(line), met.count <= damageMax { met.append(line) }
    }
    let more = met.count > damageMax ? ["More of it cannot be read; verify lists all."] : []
    return met.prefix(damageMax).map {
      "Damaged: \($0). Its events stand here as losses, and what they held is not judged."
    } + more
  }

  private static let damageMax = 3

  /// What the clock on the wall showed when the recording began: milliseconds since 1970, or since
  /// midnight where the day is not known, nanoseconds behind these, and the zone as it is written.
  private func wall(_ timeline: Timeline) -> JSON {
    guard let wall = timeline.alignment.wall else { return .null }
    let begin = HostTime(rawValue: 0)
    let (whole, rest) = wall.start.quotientAndRemainder(dividingBy: 1_000_000)
    let clock = wall.clock(begin)
    let zone =
      wall.hasDay ? String(wall.text(begin).dropFirst("2026-11-21 ".count + clock.count)) : ""
    return .object([
      ("ms", .int(whole)), ("ns", .int(rest)), ("day", .bool(wall.hasDay)), ("zone", .string(zone)),
    ])
  }

  /// What a second of the recording stands for in sentences of rules, where that is not a second.
  private func scale(_ timeline: Timeline) -> [String] {
    TimeScales(timeline.streams.map(\.attributes)).sentences
  }

  /// What is near to a violation.
  private static func near(_ places: [EventPlace]) -> (EventPlace) -> Bool {
    var ranges: [StreamID: [ClosedRange<Int>]] = [:]
    for place in places {
      ranges[place.stream, default: []].append(
        place.index - PageEvents.aroundMax...place.index + PageEvents.aroundMax
      )
    }
    return { place in ranges[place.stream]?.contains { $0.contains(place.index) } ?? false }
  }

  private static func isSpan(_ event: Event) -> Bool {
    switch event.kind.family {
    case .callback, .work, .notification, .resource, .message: true
    default: false
    }
  }
}
