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
  /// The version of the tool.
  package var version = ""

  /// More events are not listed, unless ``eventsMax`` says so; see ``PageEvents``.
  package static var eventsMax: Int { PageEvents.listedMax }
  /// How many events are listed at most.
  package var eventsMax = PageEvents.listedMax
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
    var columns = PageColumns()
    var strings = PageStrings()
    let lanes = PageLanes(layout, player.names)
    let groups = lanes.json(&columns, &strings)
    let flows = lanes.flows(&columns)
    var stories = PageFindings(player, findings, judgement)
    let violations = try stories.json()
    var events = PageEvents(player, most: eventsMax)
    let wanted = timeline.count > eventsMax ? Self.near(stories.places) : nil
    try events.add(&strings, isWanted: wanted) { progress(2 * timeline.count + $0) }
    let listed = events.listed
    let tables = events.json(&columns)
    let ledger = PageLedger(player, findings)
    let gravest = findings.gravest.map { JSON($0.number) } ?? .null
    let data = JSON.object([
      ("title", .string(Printable.line(title))), ("replay", .string(Printable.line(replay))),
      ("version", .string(version)), ("span", .array([.int(0), .int(whole.upperBound)])),
      ("wall", wall(timeline)), ("count", JSON(timeline.count)), ("listed", JSON(listed)),
      ("axis", lanes.axis), ("lives", ledger.lives), ("groups", groups), ("flows", flows),
      ("violations", violations), ("first", gravest),
      ("violationCount", JSON(count(findings.violations.count, findings.unplaced))),
      ("undecidable", JSON(findings.undecidable.count)),
      ("unjudged", findings.unjudged.sentence.map { .string(Printable.line($0)) } ?? .null),
      ("losses", JSON(layout.losses)),
      ("rules", stories.rules), ("ledger", ledger.json), ("tree", .array(tree.map { .string($0) })),
      ("remarks", .array((remarks + Self.damage(timeline)).map { .string(Printable.line($0)) })),
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

  private func count(_ placed: Int, _ unplaced: [(rule: String, count: Int)]) -> Int {
    unplaced.reduce(placed) { $0 + $1.count }
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

  private func wall(_ timeline: Timeline) -> JSON {
    guard let wall = timeline.alignment.wall else { return .null }
    return .string(wall.text(HostTime(rawValue: 0)))
  }

  /// Of a large recording: what is no span of work, and what is near to a violation.
  private static func near(_ places: [EventPlace]) -> (Event, EventPlace) -> Bool {
    var ranges: [StreamID: [ClosedRange<Int>]] = [:]
    for place in places {
      ranges[place.stream, default: []].append(
        place.index - PageEvents.aroundMax...place.index + PageEvents.aroundMax
      )
    }
    return { event, place in
      switch event.kind.family {
      case .callback, .work, .notification, .resource, .message:
        ranges[place.stream]?.contains { $0.contains(place.index) } ?? false
      default: true
      }
    }
  }
}
