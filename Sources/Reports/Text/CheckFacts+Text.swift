// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceRules
import LifetraceTrace
import LifetraceWords

extension CheckFacts {
  /// More names than this are counted.
  private static let namesShown = 3

  /// A story in lines: errors in full, warnings counted, and what was not judged.
  ///
  /// `verbose` names the rules that were kept and those that had no occasion.
  package func text(verbose: Bool = false) -> String {
    var out = timeScales.sentences + clockDoubts.map { "Clocks: \($0)." }
    if !out.isEmpty { out.append("") }
    for (verdict, more) in folded(.error) { out += full(verdict, more: more) + [""] }
    let more = unshown(.error).filter { !isUnder(.error, $0.app, $0.rule) }
    out += more.map {
      "\($0.rule): \(Quantity.grouped($0.count)) more in \($0.app) like these."
    }
    if !more.isEmpty { out.append("") }
    out += grouped(.warning, "warnings") + grouped(.info, "notes") + undecided(verbose: verbose)
    out += summary(verbose: verbose)
    // Names and sources come from the recording, which may be hostile.
    return out.map { Printable.line($0) }.joined(separator: "\n") + "\n"
  }

  // MARK: One verdict

  /// `more` are those that say the same of other moments.
  func full(_ verdict: Verdict, more: [Verdict] = []) -> [String] {
    var lines =
      ["\(verdict.rule) \(verdict.severity)  \(label(verdict.stream))  \(moment(verdict))"]
      + ["  \(verdict.title.capitalised)."]
      + causeLines(verdict).map { "  \($0)" }
      + detailsBesideCause(verdict).map { "  \($0)" }
      + verdict.witnesses.map { "    \(line($0))" }
    if let first = more.first, let last = more.last {
      let writer = label(verdict.stream)
      let to = more.count > 1 ? " to \(writer):\(last.sequence)" : ""
      lines.append(
        "  And \(Quantity.grouped(more.count)) more like it: \(writer):\(first.sequence)\(to)."
      )
    }
    return lines + noteLines(verdict).map { "  \($0)" } + ["  Fix: \(verdict.advice)"]
      + command(verdict).map { "  \($0)" }
  }

  /// What other rules say of the same mistake.
  ///
  /// `It breaks DL02 too (notes#1:17): didEnterBackground ran for 7 s.`
  private func noteLines(_ verdict: Verdict) -> [String] {
    standing.notes(under: verdict).map { note in
      "It breaks \(note.rule) too (\(label(note.stream)):\(note.sequence)): \(note.title)."
    }
  }

  /// Violations, each with those behind it that differ in their times and numbers alone: of one rule,
  /// in one stream, about the same names and places of the source.
  private func folded(_ severity: Severity) -> [(first: Verdict, more: [Verdict])] {
    struct Likeness: Hashable {
      let rule: String
      let stream: StreamID
      let names: [String]
      let places: [String]
      let advice: String
    }
    var found: [(first: Verdict, more: [Verdict])] = []
    var known: [Likeness: Int] = [:]
    for verdict in findings where verdict.outcome == .violated && verdict.severity == severity {
      let likeness = Likeness(
        rule: verdict.rule,
        stream: verdict.stream,
        names: verdict.title.names,
        places: verdict.witnesses.map { "\($0.label) \($0.source.map { "\($0)" } ?? "")" },
        advice: "\(verdict.advice)"
      )
      if let place = known[likeness] {
        found[place].more.append(verdict)
      } else {
        known[likeness] = found.count
        found.append((verdict, []))
      }
    }
    return found
  }

  /// `cause: Notes/Editor.swift:41: …`, and what the time of a hang went into; empty where the title
  /// says as much.
  private func causeLines(_ verdict: Verdict) -> [String] {
    let cause = causes[verdict]
    return [cause?.words.map { "cause: \($0)" }, cause?.time?.words.map { "\($0)" }].compactMap {
      $0
    }
  }

  /// Its details but for what the cause says: that an edit was made, when and where.
  private func detailsBesideCause(_ verdict: Verdict) -> [Sentence] {
    guard let cause = causes[verdict], cause.words != nil, let event = cause.event,
      verdict.witnesses.contains(where: {
        $0.label == "edit" && $0.stream == event.stream && $0.sequence == event.sequence
      })
    else { return verdict.details }
    return verdict.details.filter { detail in
      let events = detail.parts.compactMap { part in
        if case .event(let name, let stream) = part { (stream, name.sequence) } else { nil }
      }
      return events.count != 1 || events[0] != (event.stream, event.sequence)
    }
  }

  /// One witness, as `+2.104s  notes#1:17  edit  Notes/Editor.swift:41`.
  private func line(_ witness: Witness) -> String {
    let (stream, sequence) = (witness.stream, witness.sequence)
    var parts = [time(stream, witness.time), "\(label(stream)):\(sequence)", witness.label]
    if let source = witness.source { parts.append("\(source)") }
    if !isHeld(stream, sequence) { parts.append("(not in the recording)") }
    return parts.joined(separator: "  ")
  }

  /// The command that opens the recording at the cause, else where the story begins; of one of several
  /// files, which may call the writer otherwise, as it says before.
  private func command(_ verdict: Verdict) -> [String] {
    let cause = causes[verdict]?.place
    let there = verdict.witnesses.filter { isHeld($0.stream, $0.sequence) }
    let witness =
      there.first { $0.label == "edit" } ?? there.first { $0.label != Witness.open } ?? there.first
    let target =
      cause.flatMap { isHeld($0.stream, $0.sequence) ? $0 : nil }
      ?? witness.map { ($0.stream, $0.sequence) } ?? (verdict.stream, verdict.sequence)
    let (path, writer) = place(of: target.sequence, target.stream)
    let (sequence, here) = (target.sequence, label(target.stream))
    let open =
      "lifetrace replay \(CommandText.file(path)) -e "
      + CommandText.argument("goto \(CommandText.word("\(writer):\(sequence)"))")
    return (writer == here ? [] : ["In \(path) alone \(here) is called \(writer):"]) + [open]
  }

  /// When a verdict became so, also as the log says it, so that the lines around can be found.
  private func moment(_ verdict: Verdict) -> String {
    let wall = writer(verdict.stream)?.wall
    return time(verdict.stream, verdict.time) + (wall.map { "  \($0.text(verdict.time))" } ?? "")
  }

  /// Since the start of the recording, to the millisecond.
  private func time(_ stream: StreamID, _ time: HostTime) -> String {
    Quantity.sinceStart(sinceStart(stream, time)) + "s"
  }

  // MARK: Many

  private func grouped(_ severity: Severity, _ title: String) -> [String] {
    let some = findings.filter { $0.outcome == .violated && $0.severity == severity }
    let unshown = unshown(severity).filter { !isUnder(severity, $0.app, $0.rule) }
    return some.isEmpty ? [] : ["\(title):"] + examples(some, unshown) + [""]
  }

  private func undecided(verbose: Bool) -> [String] {
    let some = verdicts.filter { $0.doubt != nil }
    guard !some.isEmpty else { return [] }
    let unshown = unshownDoubts
    guard !verbose else { return ["undecidable:"] + examples(some, unshown) + [""] }
    var (reasons, ofReason): ([String], [String: [Verdict]]) = ([], [:])
    for verdict in some {
      let reason = verdict.doubt ?? ""
      if ofReason[reason] == nil { reasons.append(reason) }
      ofReason[reason, default: []].append(verdict)
    }
    // What one rule alone leaves open is told rule by rule.
    let shared = reasons.filter { Set((ofReason[$0] ?? []).map(\.rule)).count > 1 }
    let others = some.filter { !shared.contains($0.doubt ?? "") }
    return ["undecidable:"] + shared.flatMap { folded($0, ofReason[$0] ?? [], unshown) }
      + examples(others, unshown.filter { more in others.contains { $0.rule == more.rule } }) + [""]
  }

  /// What several rules leave open for the same reason, with the first as an example.
  ///
  /// Why those were in doubt that are only counted nobody knows.
  private func folded(
    _ reason: String,
    _ some: [Verdict],
    _ unshown: [(app: String, rule: String, count: Int)]
  ) -> [String] {
    let rules = Set(some.map(\.rule)).sorted().joined(separator: " ")
    let isMore = unshown.contains { more in some.contains { $0.rule == more.rule } }
    let times = (isMore ? "more than " : "") + Quantity.grouped(some.count)
    return [
      "  \(rules)  \(times) times, each because \(reason); first:",
      "    \(some[0].rule)  \(label(some[0].stream))  \(moment(some[0]))",
      "    \(some[0].title.capitalised).",
    ] + command(some[0]).map { "    \($0)" }
  }

  /// Per rule: how often, and the first as an example.
  private func examples(
    _ some: [Verdict],
    _ unshown: [(app: String, rule: String, count: Int)]
  ) -> [String] {
    var out: [String] = []
    var told: Set<String> = []
    for verdict in some where told.insert(verdict.rule).inserted {
      let more = unshown.reduce(0) { $0 + ($1.rule == verdict.rule ? $1.count : 0) }
      let number = some.count { $0.rule == verdict.rule } + more
      let times = number == 1 ? "" : "  \(Quantity.grouped(number)) times, first:"
      out.append("  \(verdict.rule)  \(label(verdict.stream))  \(moment(verdict))\(times)")
      out.append("    \(verdict.title.capitalised).")
      if case .undecidable(let reason) = verdict.outcome {
        out.append("    Because \(reason).")
      } else {
        out +=
          causeLines(verdict).map { "    \($0)" } + detailsBesideCause(verdict).map { "    \($0)" }
        out += noteLines(verdict).map { "    \($0)" }
      }
      out += command(verdict).map { "    \($0)" }
    }
    return out
  }

  // MARK: Summing up

  func summary(verbose: Bool) -> [String] {
    guard isJudged || !absentees.isEmpty || !otherApps.isEmpty else {
      return [Unjudged.nothingJudged] + Self.observing + unmetLines
    }
    var out = isJudged ? [] : [nobody]
    if !absentees.isEmpty {
      let who = Quantity.count(absentees.count, "process")
      out.append("\(who) could not join\(isJudged ? ", so not all was judged" : ""):")
      out += absentees.prefix(Self.namesShown).map { "  \($0)." }
      let more = absentees.count - Self.namesShown
      if more > 0 { out.append("  and \(more) more (lifetrace dump --where log)") }
    }
    guard isJudged else { return out + unmetLines }
    out += verbose ? remarkableLines : []
    out += unbrokenRules(verbose: verbose) + own(verbose: verbose)
    out += [unjudged.sentence].compactMap { $0 }
    if !lost.isNone { out.append("\(lost.text): what they held was not judged.") }
    if letGo > 0 {
      let events = Quantity.count(letGo, "event")
      out.append("\(events) let go (--last or cut): what they held was not judged.")
    }
    return out + acceptedLines + unmetLines + ["\(totals)."]
  }

  /// What a program that links nothing can be judged by.
  private static let observing = [
    "  Of a program that knows nothing of lifetrace, files are judged where lifetrace.yml names them",
    "    data: [\"*.json\", \"*.sqlite\"]",
    "  and it is recorded with: lifetrace record --observe -- CMD...",
  ]

  private var nobody: String {
    guard !otherApps.isEmpty else { return "No app joined this recording, so nothing was judged." }
    return "No app of that name took part, so nothing was judged; there is: "
      + otherApps.joined(separator: ", ") + "."
  }

  /// What was asked of the recording and is not there.
  var unmetLines: [String] { unmet.map { "Not met: \($0)." } }

  /// The rules that nothing broke: a count of those kept and those that were not exercised, or their ids.
  private func unbrokenRules(verbose: Bool) -> [String] {
    let (kept, idle) = unbroken
    guard verbose else {
      let count = Quantity.count(kept.count, "rule") + " kept"
      return [idle.isEmpty ? "\(count)." : "\(count), \(idle.count) not exercised."]
    }
    return [("kept", kept), ("not exercised", idle)].compactMap { title, rules in
      rules.isEmpty ? nil : "\(title): \(rules.joined(separator: " "))"
    }
  }

  /// What rules of the project asked for and was not met: their names may be misspelt.
  private func own(verbose: Bool) -> [String] {
    let shown = verbose ? ownRemarks.count : Self.namesShown
    let more = ownRemarks.count - shown
    return ownRemarks.prefix(shown).map { "\($0)." }
      + (more > 0 ? ["\(more) more of your rules are like these (check --verbose)."] : [])
  }
}

extension Checked {
  /// A story in lines; nothing about a file that could not be read, which is reported elsewhere.
  package func text(verbose: Bool) -> String {
    if case .judged(let facts) = self { facts.text(verbose: verbose) } else { "" }
  }
}
