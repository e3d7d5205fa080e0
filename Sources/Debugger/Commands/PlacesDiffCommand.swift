// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `diff`: what differs between two places of the recording.
enum PlacesDiffCommand {
  static let all: [Command] = [
    Command(
      name: "diff",
      synopsis: "PLACE [PLACE] [WRITER]",
      summary: "tell what differs between the states at two places, or at PLACE and here",
      group: .looking,
      details: [
        "States, data, tasks, the queue, what is open or held, and time budgets, of each process with "
          + "events in between, or of WRITER. Ages, which change by themselves, do not count. A line "
          + "begins with + for what came, with - for what went, with ~ for what changed.",
        "To compare two recordings: lifetrace diff A B, in the shell.",
      ],
      examples: ["diff #1", "diff notes#1:7 end", "diff start . notes#1"],
      completes: .places
    ) { session, words in try run(session, words) }
  ]

  /// More lines than this are counted: a screen.
  static let linesMax = 34

  /// What came, went or changed.
  struct Change {
    var thing: StateThing
    var before: StateThing?
    var after: StateThing?

    var sign: String { before == nil ? "+" : after == nil ? "-" : "~" }
    var style: Style { before == nil ? .good : after == nil ? .bad : .warning }
  }

  private static func run(_ session: Session, _ words: [String]) throws -> Answer {
    guard 1...3 ~= words.count else {
      throw CommandError.usage("diff takes a place, or two, and perhaps a writer.")
    }
    let player = session.player
    let first = try Places.position(words[0], session)
    let second = words.count > 1 ? try Places.position(words[1], session) : player.here
    let writers = try words.dropFirst(2).first.map { word in
      let found = try session.streams(named: word)
      guard !found.isEmpty else { throw session.noWriter(word) }
      return Set(found.map(session.id))
    }
    let wanted = writers ?? player.only
    var rows: [Listing.Row] = []
    var full: Set<BoundedTable> = []
    for stream in player.timeline.startOrder.map(session.id)
    where wanted?.contains(stream) ?? true {
      let index = Int(stream.rawValue)
      guard first.cursors[index] != second.cursors[index] else { continue }
      if player.isInterrupted() { throw SearchInterrupted() }
      let before = player.state(of: stream, after: first.cursors[index])
      let after = player.state(of: stream, after: second.cursors[index])
      full.formUnion(BoundedTable.allCases.filter { before.isFull($0) || after.isFull($0) })
      let old = try session.things(of: before, stream)
      let new = try session.things(of: after, stream)
      let changes = changes(old, new)
      for (number, change) in changes.enumerated() {
        rows.append(.facts(facts(change, player.labels[stream], isFirst: number == 0)))
      }
    }
    return answer(session, first, second, rows, full)
  }

  private static func answer(
    _ session: Session,
    _ first: Position,
    _ second: Position,
    _ rows: [Listing.Row],
    _ full: Set<BoundedTable>
  ) -> Answer {
    let (from, to) = (first.ordinal, second.ordinal)
    var answer = Answer()
    let facts = [
      Fact("from", .count(from)), Fact("to", .count(to)), Fact("count", .count(rows.count)),
    ]
    let way = "\(Quantity.count(abs(to - from), "event")) \(from <= to ? "on" : "back")"
    answer.say("From #\(Quantity.grouped(from)) to #\(Quantity.grouped(to)), \(way):", facts)
    if rows.isEmpty {
      answer.say(full.isEmpty ? "  Nothing differs." : "  Nothing of what is followed differs.")
    }
    answer.list("changes", Array(rows.prefix(linesMax)), indent: 2)
    if rows.count > linesMax {
      let more = Quantity.count(rows.count - linesMax, "more difference")
      answer.say("  \(more): nearer places, or a writer behind them, show less.")
    }
    for table in BoundedTable.allCases where full.contains(table) {
      let many = Quantity.count(table.max, table.thing)
      answer.say(Line("  More than \(many) at once; the rest is not compared.", .warning))
    }
    return answer
  }

  /// What differs between two lists of things, part by part; what stays is left out.
  static func changes(_ before: [StateThing], _ after: [StateThing]) -> [Change] {
    var changes: [Change] = []
    for part in StateThing.Part.allCases {
      let old = before.filter { $0.part == part }
      let new = after.filter { $0.part == part }
      let wasThere = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      let isThere = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      for thing in old {
        let next = isThere[thing.id]
        guard next?.form != thing.form else { continue }
        changes.append(Change(thing: thing, before: thing, after: next))
      }
      for thing in new where wasThere[thing.id] == nil {
        changes.append(Change(thing: thing, before: nil, after: thing))
      }
    }
    return changes
  }

  private static func facts(_ change: Change, _ label: String, isFirst: Bool) -> [Fact] {
    let before = change.before?.form
    let after = change.after?.form
    let words = [before, after].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " → ")
    return [
      Fact("writer", .text(label), isFirst ? label : "", .name),
      Fact("change", .text(change.sign), change.style),
      Fact("part", .text(change.thing.part.rawValue), .faint),
      Fact("thing", .text(change.thing.name), change.thing.name, .strong),
      Fact(data: "before", before.map(Value.text) ?? .none),
      Fact(data: "after", after.map(Value.text) ?? .none),
      Fact(words: words),
    ]
  }
}
