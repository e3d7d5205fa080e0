// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceScenario
import LifetraceTrace
package import LifetraceWords

extension Reruns {
  /// The report, line by line.
  package func lines(_ paint: Paint) -> [String] {
    let with = changes.isEmpty ? "" : " with " + changes.joined(separator: ", ")
    let repeated = plays.count == 1 ? "" : " \(plays.count) times"
    var out = [
      paint("\(Printable.line(title)), played again\(repeated)\(with)", .strong)
        + ", in \(Quantity.duration(elapsed))"
    ]
    if let piece { out.append(piece) }
    for kind in kinds {
      out += [""] + lines(kind, paint(kind.first.kind.rule, kind.count > 0 ? .bad : .faint))
      if kind.count > 0, !kind.first.advice.isEmpty { out.append("  Fix: \(kind.first.advice)") }
    }
    let warnings = warningKinds
    if !warnings.isEmpty { out += ["", "warnings:"] }
    for kind in warnings {
      let rule = paint(kind.first.kind.rule, kind.count > 0 ? .warning : .faint)
      out += lines(kind, rule).map { "  \($0)" }
    }
    let complaints = complaints
    if !complaints.isEmpty { out.append("") }
    for one in complaints {
      out.append(
        "In the scenario, line \(one.first.place.line): \(Printable.line(one.first.message))"
          + (plays.count == 1 ? "" : " (in \(self.of(one.count)))")
      )
    }
    let undecided = undecidedRules.map { rule, count in
      plays.count == 1 ? rule : "\(rule) (in \(of(count)))"
    }
    if !undecided.isEmpty {
      out += ["", "undecidable: \(undecided.joined(separator: ", ")); lifetrace check says why"]
    }
    out += ["", "\(clean)\(warned)."]
    for play in plays {
      guard let file = play.file else { continue }
      let broken = play.found.isEmpty ? play.warnings : play.found
      let rules = broken.isEmpty ? "kept" : broken.map(\.kind.rule).joined(separator: ", ")
      out.append("Walk through it: lifetrace replay \(Printable.line(file))  (\(rules))")
    }
    return out
  }

  private func lines(_ kind: Kind, _ rule: String) -> [String] {
    let place = kind.first.kind.about
    return [
      rule + (place.isEmpty ? "" : "  " + place) + "  \(often(kind))", "  \(kind.first.title)",
    ]
  }

  /// What to make of a recording that is not whole.
  private var piece: String? {
    guard !missing.isEmpty else { return nil }
    let shown = missing.prefix(Self.missingShownMax).joined(separator: ", ")
    let more = missing.count - Self.missingShownMax
    return
      "  The recording is a piece (of lifetrace cut, or record --last): \(Printable.line(shown))"
      + (more > 0 ? " and \(more) more" : "")
      + ".\n  The whole scenario was played: what only the plays break may stand in the rest of it."
  }

  /// More are counted.
  private static let missingShownMax = 3

  private var clean: String {
    if plays.count == 1 {
      return cleanCount == 1 ? "It has no errors" : "It has errors"
    }
    return cleanCount == 0
      ? "None of \(plays.count) is without errors" : "\(self.of(cleanCount)) have no errors"
  }

  /// Beside the errors, as no exit code says it.
  private var warned: String {
    guard warnedCount > 0 else { return "" }
    return plays.count == 1 ? ", and warnings" : "; \(of(warnedCount)) have warnings"
  }

  private func often(_ kind: Kind) -> String {
    switch (kind.isRecorded, kind.count) {
    case (true, 0):
      "in the recording, and not again" + (plays.count == 1 ? "" : " in \(plays.count)")
    case (true, let count): plays.count == 1 ? "again" : "again, in \(of(count))"
    case (false, let count):
      (plays.count == 1 ? "now" : "in \(of(count))")
        + (missing.isEmpty
          ? ", and not in the recording" : ", and not in this piece of the recording")
    }
  }

  private func of(_ count: Int) -> String { "\(count) of \(plays.count)" }

  /// The report for programs; times are nanoseconds.
  package var json: JSON {
    .object([
      ("scenario", .string(title)),
      ("changes", .array(changes.map { .string($0) })),
      ("missing", .array(missing.map { .string($0) })),
      ("plays", JSON(plays.count)),
      ("clean", JSON(cleanCount)),
      ("elapsed", .int(elapsed)),
      ("warned", JSON(warnedCount)),
      ("found", .array(kinds.map(Self.json))),
      ("warnings", .array(warningKinds.map(Self.json))),
      (
        "undecidable",
        .array(
          undecidedRules.map { .object([("rule", .string($0.rule)), ("count", JSON($0.count))]) }
        )
      ),
      (
        "complaints",
        .array(
          complaints.map { one in
            .object([
              ("line", JSON(one.first.place.line)),
              ("message", .string(one.first.message)),
              ("count", JSON(one.count)),
            ])
          }
        )
      ),
      ("files", .array(plays.compactMap { $0.file.map { .string($0) } })),
    ])
  }

  private static func json(_ kind: Kind) -> JSON {
    .object([
      ("rule", .string(kind.first.kind.rule)),
      ("object", .string(kind.first.kind.object)),
      ("site", .string(kind.first.kind.site)),
      ("title", .string(kind.first.title)),
      ("recorded", .bool(kind.isRecorded)),
      ("count", JSON(kind.count)),
    ])
  }
}
