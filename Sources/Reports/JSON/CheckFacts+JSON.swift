// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceRules

extension CheckFacts {
  /// One JSON object a verdict, and a last one that sums up; nothing else.
  ///
  /// `version` is the app's, as its start says, `os` the profile of the system that it ran under; null
  /// where the recording does not say. A rule without an occasion has those of the app's last process.
  /// `under` names the rule, writer and event of the verdict that says the same mistake better, where there
  /// is one: such a note is not counted in the sum.
  package var jsonLines: String {
    ((verdicts + summaries).map(json) + [summary]).map { $0.text + "\n" }.joined()
  }

  private func json(_ verdict: Verdict) -> JSON {
    let isPlaced = verdict.outcome != .held && verdict.outcome != .vacuous
    let path = isPlaced ? place(of: verdict.sequence, verdict.stream).path : file
    let ran = (isPlaced ? verdict.stream : latest[verdict.app]).flatMap(writer)
    var members: [(String, JSON)] = [
      ("file", .string(path)),
      ("rule", .string(verdict.rule)),
      ("outcome", .string(verdict.outcome.word)),
      ("severity", .string(verdict.severity.rawValue)),
      ("app", .string(verdict.app)),
      ("version", ran?.version.map(JSON.string) ?? .null),
      ("os", ran?.system.map(JSON.string) ?? .null),
      ("title", .string("\(verdict.title)")),
    ]
    if case .undecidable(let reason) = verdict.outcome {
      members.append(("reason", .string("\(reason)")))
    }
    members +=
      isPlaced
      ? [
        ("writer", .string(label(verdict.stream))),
        ("incarnation", JSON(Int(verdict.incarnation))),
        ("sequence", JSON(verdict.sequence)),
        ("time", .int(verdict.time.rawValue)),
        ("sinceStart", .int(sinceStart(verdict.stream, verdict.time))),
        ("details", .array(verdict.details.map { .string("\($0)") })),
        ("witnesses", .array(verdict.witnesses.map(json))),
      ] : [("occasions", JSON(verdict.occasions))]
    if let head = standing.head(of: verdict) {
      let place: [(String, JSON)] = [
        ("rule", .string(head.rule)), ("writer", .string(label(head.stream))),
        ("sequence", JSON(head.sequence)),
      ]
      members.append(("under", .object(place)))
    }
    if let cause = causes[verdict] { members += json(cause) }
    return .object(members + [("advice", .string("\(verdict.advice)"))])
  }

  private func json(_ cause: Cause) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    if let event = cause.event {
      members.append(
        (
          "cause",
          .object([
            ("writer", .string(label(event.stream))),
            ("sequence", JSON(event.sequence)),
            ("source", .string(event.source?.description ?? "")),
            ("words", .string(cause.words.map { "\($0)" } ?? "")),
          ])
        )
      )
    }
    if let time = cause.time {
      let parts = time.parts.map { part in
        JSON.object([("words", .string(part.words)), ("ns", .int(part.length))])
      }
      members.append(
        (
          "mainThread",
          .object([
            ("ns", .int(time.length)),
            ("parts", .array(parts)),
            ("notAccountedFor", .int(time.unaccounted)),
          ])
        )
      )
    }
    return members
  }

  private func json(_ witness: Witness) -> JSON {
    .object([
      ("label", .string(witness.label)),
      ("writer", .string(label(witness.stream))),
      ("sequence", JSON(witness.sequence)),
      ("time", .int(witness.time.rawValue)),
      ("sinceStart", .int(sinceStart(witness.stream, witness.time))),
      ("source", .string(witness.source?.description ?? "")),
    ])
  }

  private var summary: JSON {
    .object([
      ("summary", .string(file)),
      ("errors", JSON(violations(.error))),
      ("warnings", JSON(violations(.warning))),
      ("undecidable", JSON(undecidable)),
      ("notes", JSON(standing.notes.count)),
      ("accepted", JSON(accepted.count)),
      ("unmet", .array(unmet.map(JSON.string))),
      ("judged", .bool(isJudged)),
      ("ownRules", .array(ownRemarks.map(JSON.string))),
      ("withoutData", .array(dataless.map(JSON.string))),
      ("notJoined", .array(absentees.map(JSON.string))),
      ("lost", JSON(lost.count)),
      ("uncounted", .bool(lost.isAtLeast)),
      ("letGo", JSON(letGo)),
      ("timeScales", .array(timeScales.lines.map(JSON.string))),
      ("clockContradictions", .array(clockDoubts.map(JSON.string))),
    ])
  }
}

extension Checked {
  /// One JSON object a verdict, and a last one that sums up, or says why there is none.
  package var jsonLines: String {
    switch self {
    case .judged(let facts): facts.jsonLines
    case .unreadable(let file, let reason):
      JSON.object([("unreadable", .string(file)), ("reason", .string(reason))]).text + "\n"
    }
  }
}
