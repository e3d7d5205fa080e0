// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import LifetraceTrace
package import LifetraceWords

extension Exploration {
  /// The report, line by line; `files` are those that were written for the failures, in their order.
  package func lines(_ paint: Paint, files: [[String]] = []) -> [String] {
    var out = [paint(coverage, .strong)]
    out += remarks
    if !asWritten.isEmpty {
      let rules = asWritten.map { "\($0.kind.rule) (\($0.title))" }
      out.append("Played as it is written, it breaks " + rules.joined(separator: "; ") + ".")
    }
    for complaint in complaints { out.append("In the scenario: \(complaint.message).") }
    if !cases.isEmpty { out += [""] + matrix(paint) + holes }
    out.append("")
    guard !failures.isEmpty else { return out + [verdict] }
    out.append(verdict)
    for (number, failure) in failures.enumerated() {
      out += [""] + lines(failure, paint)
      if files.indices.contains(number) {
        out += files[number].map { "  \($0)" }
      }
    }
    return out
  }

  /// What was played, in one sentence.
  private var coverage: String {
    let apps = scenario.apps.map(\.name).joined(separator: ", ")
    let acts = acts.map(\.rawValue).joined(separator: ", ")
    let seconds = Quantity.duration(elapsed)
    let how =
      isComplete && missedCount == 0
      ? "each of them was played" : "\(playedCount) of \(cases.count) ends were played"
    let search =
      reductionElapsed.map {
        "; the search for smallest scenarios took another \(Quantity.duration($0))"
      } ?? ""
    return
      "\(Quantity.count(Set(cases.map(\.point)).count, "point")) in the life of \(apps), each ended by: \(acts); "
      + "\(how), in \(seconds)\(search)"
  }

  /// What was not, and why.
  private var remarks: [String] {
    var out: [String] = []
    let (all, played) = situations
    if !isComplete, !cases.isEmpty {
      out.append(
        "  \(why): \(cases.count { $0.trial == nil }) were left out; \(played) of "
          + "\(Quantity.count(all, "different situation")) had at least one."
      )
    }
    if let cut {
      out.append(
        "  \(cases.isEmpty ? "\(why)" : "That was") in the first play of all, behind step \(cut.steps) of \(cut.all): what comes after "
          + "that is not among the points."
      )
    }
    let cutReductions = failures.count(where: \.isReductionCut)
    if cutReductions > 0 {
      let kinds = Quantity.count(failures.count, "kind")
      out.append(
        "  \(isComplete && isShort ? "\(why): smallest" : "Smallest") scenarios were not looked for to the end, "
          + "for \(cutReductions) of \(kinds) of failure."
      )
    }
    if missedCount > 0 {
      out.append(
        "  \(missedCount) did not come to their point when they were played again: the app does not do "
          + "the same each time, or another app's step starts it."
      )
    }
    let inHand = cases.count { $0.trial?.inHand.isEmpty == false }
    if inHand > 0 {
      out.append(
        "  At \(inHand) of them an edit was lost that the app was still being told of: no app can be "
          + "quicker, and that is not counted."
      )
    }
    let inFront = cases.count { $0.trial?.inFront.isEmpty == false }
    if inFront > 0 {
      out.append(
        "  At \(inFront) of them an edit was not saved yet, of an app in front or still saving on its way "
          + "from there: the system purges suspended apps, and that is not counted; --in active counts "
          + "what is lost in front."
      )
    }
    let compared = files.compared.map {
      $0.object == $0.file ? $0.object : "\($0.object) (\($0.file))"
    }
    if !compared.isEmpty {
      out.append(
        "  Compared on disk with what was reported saved: \(Printable.line(Self.list(compared)))."
      )
    }
    if !files.unknown.isEmpty {
      out.append(
        "  Not compared on disk, as no file of its own was seen to hold the bytes that were reported: "
          + "\(Printable.line(Self.list(files.unknown)))."
      )
    }
    return out
  }

  /// Where nobody is told of the end, apps lose most: a life without that place is not all of one.
  private var holes: [String] {
    guard acts.contains(.purge), cut == nil,
      !points.contains(where: { $0.key.state == .suspended })
    else { return [] }
    return [
      "  No point while suspended: this scenario never suspends the app. `- home` and `- suspend` add the "
        + "ends of which no app is told."
    ]
  }

  /// Objects that were reported saved, and of which no launch has ever said what it found.
  var neverRead: [String] {
    let trials = cases.compactMap(\.trial)
    let read = Set(trials.flatMap { $0.forecasts.map(\.object) })
    return Set(trials.flatMap(\.unread)).subtracting(read).sorted()
  }

  /// Objects that had been saved, and that a launch wrote over unread.
  var writtenOver: [String] {
    cases.compactMap(\.trial).reduce(into: Set<String>()) { $0.formUnion($1.writtenOver) }.sorted()
  }

  private var writtenOverWords: String? {
    guard !writtenOver.isEmpty else { return nil }
    return
      "\(Printable.line(Self.list(writtenOver))), which had been saved, was written over by a launch that had "
      + "not said that it read it: what stood there is gone, and if that was the user's, it is lost (DS12; "
      + "`lifetrace check` names the lives). An app reads it before it writes it (`restore`, in C "
      + "LT_RESTORE), or says `discarded` where nothing of it is needed."
  }

  private var neverReadWords: String? {
    let names = neverRead.filter { !writtenOver.contains($0) }
    guard !names.isEmpty else { return nil }
    return
      "no launch said what it found of \(Printable.line(Self.list(names))), which had been saved: whether it "
      + "was there, and was read at all, is not known. An app says it with `restore`, in C with LT_RESTORE."
  }

  private static func list(_ names: [String]) -> String {
    let more = names.count - namedMax
    return names.prefix(namedMax).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  /// More objects are counted.
  private static let namedMax = 5

  /// Why no end was played at all; nil where one was, and where it is not for want of time.
  package var whyNoEnd: String? {
    guard playedCount == 0, missedCount == 0, !isComplete else { return nil }
    let first =
      cut.map { "in the first play of the scenario, behind step \($0.steps) of \($0.all)" }
      ?? "behind the first play of the scenario, which took \(Quantity.duration(firstElapsed))"
    return wasInterrupted
      ? "\(why) \(first)" : "\(why) \(first); it has to hold that play and the ends behind it"
  }

  /// Whether there was no time for all of it.
  private var isShort: Bool {
    let all = elapsed + (reductionElapsed ?? 0)
    return wasInterrupted || budget.map { all >= $0 } ?? false
  }

  /// Why not all was played.
  private var why: String {
    guard !wasInterrupted, let budget else { return "it was interrupted" }
    return "the budget of \(Quantity.duration(budget)) was up"
  }

  private var verdict: String {
    guard !failures.isEmpty else {
      guard playedCount > 0 else { return "Nothing was played, and so nothing is known." }
      guard asWritten.isEmpty else {
        return "At the ends nothing more went wrong than goes wrong as it is written."
      }
      let untold = [writtenOverWords, neverReadWords].compactMap(\.self)
      guard untold.isEmpty else {
        return "Nothing that was recorded went wrong. But " + untold.joined(separator: " And ")
      }
      guard missedCount == 0 else {
        return
          "Nothing went wrong at the ends that came to their point; of the others nothing is known."
      }
      guard isComplete else {
        return
          "Nothing went wrong at the ends that were played; of those that were left out nothing is known."
      }
      let others = cases.contains {
        $0.trial?.inHand.isEmpty == false || $0.trial?.inFront.isEmpty == false
      }
      return
        "Nothing went wrong: wherever it was ended, what had been saved was there at its next launch"
        + (others
          ? "; what else was lost is told above." : ", and nothing else had been there to lose.")
    }
    let failed = cases.count { $0.trial?.found.isEmpty == false }
    return
      "\(Quantity.count(failures.count, "kind")) of failure, at \(failed) of \(playedCount) ends:"
  }

  private func lines(_ failure: Failure, _ paint: Paint) -> [String] {
    let kind = failure.kind
    let place = kind.about
    var out = [
      paint(kind.rule, .bad) + (place.isEmpty ? "" : "  \(place)")
        + "  at \(Quantity.count(failure.cases.count, "end"))",
      "  \(failure.first.title)",
    ]
    if let first = failure.cases.first {
      let (one, point) = (cases[first], points[cases[first].point])
      let source = point.source.isEmpty ? "" : " (\(point.source))"
      out.append("  First: \(one.act.rawValue) \(point.phrase)\(source),")
      out.append(
        "    event \(point.label):\(point.sequence), \(point.key.stateWord), "
          + "\(point.key.pending), \(Quantity.duration(point.time)) after the begin"
      )
    }
    if !failure.first.advice.isEmpty { out.append("  Fix: \(failure.first.advice)") }
    return out
  }

  private func matrix(_ paint: Paint) -> [String] {
    let matrix = Matrix(self)
    var table = Table(indent: 2)
    table.add([Cell("")] + matrix.columns.map { Cell($0, .faint, right: true) })
    for (row, name) in matrix.rows.enumerated() {
      var cells = [Cell(name)]
      for column in matrix.columns.indices {
        let field = matrix[row, column]
        let failed = field.failed > 0 ? " !\(field.failed)" : ""
        let text = field.all == 0 ? "-" : "\(field.played)/\(field.all)\(failed)"
        let style: Style = field.failed > 0 ? .bad : field.played < field.all ? .warning : .plain
        cells.append(Cell(text, style, right: true))
      }
      table.add(cells)
    }
    return table.lines(paint) + [
      "  played/there are, !failed; -: this life is never in that situation"
    ]
  }
}
