// SPDX-License-Identifier: Apache-2.0
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import LifetraceWords

// What differs, for people: `-` stands before what only the first recording has, `+` before what only
// the second has, as in a diff of texts.

extension RunComparison {
  /// Of each kind of difference so many are shown, unless all are asked for.
  package static let shownMax = 12

  /// Lines without an end; `left` and `right` are what the user calls the files.
  package func lines(_ left: String, _ right: String, all: Bool = false) -> [String] {
    let shown = all ? Int.max : Self.shownMax
    var lines = ["- \(Printable.line(left))", "+ \(Printable.line(right))"]
    if isEqual {
      let isSmall = scopes.left.isSmall || scopes.right.isSmall
      let none = isSmall ? "No difference in what is compared" : "No difference"
      let launches = Quantity.count(lifeCount, "launch")
      return lines + ["", "\(none): \(launches), \(compared)."] + leftOut
    }
    lines += section("Verdicts", verdictLines, shown)
    lines += section("What happened, with times since the launch", happened, shown)
    lines += section(
      "How long it took",
      slower.map { length($0, "slower") } + faster.map { length($0, "faster") },
      shown
    )
    return lines + ["", summary, "Looked at: \(compared)."] + leftOut + advice(left, right)
  }

  /// `2 of 200,002 events compared in each`.
  private var compared: String {
    func words(_ scope: Scope) -> String {
      scope.compared == scope.events
        ? Quantity.count(scope.events, "event")
        : "\(Quantity.grouped(scope.compared)) of \(Quantity.count(scope.events, "event"))"
    }
    let (first, second) = (words(scopes.left), words(scopes.right))
    return first == second
      ? "\(first) compared in each" : "\(first) compared of the first, \(second) of the second"
  }

  /// Which kinds took no part, and what of launches that only one has; no line where all took part.
  private var leftOut: [String] {
    let sides = [scopes.left, scopes.right].map(leftOut)
    guard sides != ["", ""] else { return [] }
    if sides[0] == sides[1] { return ["Not compared, in each: \(sides[0])."] }
    return zip(["-", "+"], sides).filter { !$0.1.isEmpty }.map { "Not compared, \($0): \($1)." }
  }

  private func leftOut(_ scope: Scope) -> String {
    let kinds = scope.leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var parts = kinds.prefix(Self.kindsMax).map { "\(Quantity.grouped($0.value)) \($0.key)" }
    let others = kinds.dropFirst(Self.kindsMax).reduce(0) { $0 + $1.value }
    if others > 0 { parts.append("\(Quantity.grouped(others)) of other kinds") }
    let lonely = scope.events - scope.compared - kinds.reduce(0) { $0 + $1.value }
    if lonely > 0 {
      parts.append("\(Quantity.grouped(lonely)) of launches that only this one has")
    }
    return Wording.list(parts.map { Printable.line($0) })
  }

  /// More kinds that are not compared are counted together.
  private static let kindsMax = 6

  private func section(_ title: String, _ items: [[String]], _ shown: Int) -> [String] {
    guard !items.isEmpty else { return [] }
    var lines = ["", title]
    for item in items.prefix(shown) { lines += item.map { "  " + $0 } }
    if items.count > shown {
      lines.append("  and \(Quantity.grouped(items.count - shown)) more; --all shows them")
    }
    return lines
  }

  private var verdictLines: [[String]] {
    newVerdicts.map { [line($0, "+")] } + goneVerdicts.map { [line($0, "-")] }
  }

  private func line(_ verdict: Verdict, _ sign: String) -> String {
    "\(sign) \(verdict.severity.rawValue) \(verdict.rule): \(verdict.title.line)"
  }

  private var happened: [[String]] {
    lone.map { ["\($0.isLeft ? "-" : "+") \($0.life): the whole launch"] }
      + differences.map(story)
  }

  private func story(_ difference: Difference) -> [String] {
    var lines = ["\(difference.life), \(Printable.line(difference.lane))"]
    if let common = difference.common {
      lines.append("    \(place(common.left, common.right)) \(common.left.sentence.line)")
    }
    lines += side("-", difference.left, difference.leftCount)
    lines += side("+", difference.right, difference.rightCount)
    return lines
  }

  private func place(_ left: Entry, _ right: Entry) -> String {
    left.number == right.number ? "#\(left.number)" : "#\(left.number), #\(right.number)"
  }

  private func side(_ sign: String, _ entries: [Entry], _ count: Int) -> [String] {
    var lines = entries.map { entry in
      let source = entry.source.isEmpty ? "" : "  \(entry.source)"
      let time = Quantity.sinceStart(entry.time)
      return "  \(sign) #\(entry.number) \(time) \(entry.sentence.line)\(source)"
    }
    if count > entries.count {
      lines.append("  \(sign) and \(Quantity.grouped(count - entries.count)) more")
    }
    return lines
  }

  private func length(_ found: Slower, _ word: String) -> [String] {
    let (left, right) = (Quantity.duration(found.left), Quantity.duration(found.right))
    let often = "\(Quantity.grouped(found.leftCount)) and \(Quantity.grouped(found.rightCount))"
    let times = found.leftCount == 1 && found.rightCount == 1 ? "" : " (medians of \(often))"
    return [
      "\(Printable.line(found.app)), \(Printable.line(found.what)): \(left) -> \(right), \(word)\(times)"
    ]
  }

  private var summary: String {
    var parts: [String] = []
    func add(_ count: Int, _ thing: String, _ rest: String) {
      if count > 0 { parts.append("\(Quantity.count(count, thing))\(rest)") }
    }
    add(newVerdicts.count, "verdict", " more")
    add(goneVerdicts.count, "verdict", " fewer")
    add(lone.count, "launch", " without a counterpart")
    add(differenceCount, "place", " where other things happened")
    add(slower.count, "thing", " slower")
    add(faster.count, "thing", " faster")
    return parts.joined(separator: ", ") + "."
  }

  /// Where to look first: at the earliest event that the other recording has not, in the second
  /// recording where both have other ones there.
  private func advice(_ left: String, _ right: String) -> [String] {
    let entries = differences.compactMap { difference in
      (difference.right.first.map { (right, $0) } ?? difference.left.first.map { (left, $0) })
        .map { (life: difference.lifeNumber, file: $0.0, entry: $0.1) }
    }
    let first = entries.min {
      ($0.life, $0.entry.time, $0.entry.number) < ($1.life, $1.entry.time, $1.entry.number)
    }
    guard let first else { return [] }
    let command =
      "lifetrace replay \(CommandText.file(first.file)) -e \"goto \(first.entry.number)\""
    return ["Where they part: \(command)"]
  }
}
