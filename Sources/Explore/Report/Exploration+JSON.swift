// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceScenario

extension Exploration {
  /// The report for programs; `files` are those that were written for the failures, in their order.
  ///
  /// Times are nanoseconds. A case that was not played has no `reached`.
  package func json(files: [[String]] = []) -> JSON {
    let (all, played) = situations
    return .object([
      ("apps", .array(scenario.apps.map { .string($0.name) })),
      ("acts", .array(acts.map { .string($0.rawValue) })),
      ("points", JSON(points.count)),
      ("ends", JSON(cases.count)),
      ("played", JSON(playedCount)),
      ("missed", JSON(missedCount)),
      ("complete", .bool(isComplete)),
      ("situations", .object([("all", JSON(all)), ("played", JSON(played))])),
      ("elapsed", .int(elapsed)),
      ("reductionElapsed", reductionElapsed.map { .int($0) } ?? .null),
      ("budget", budget.map { .int($0) } ?? .null),
      ("cutBehindStep", cut.map { JSON($0.steps) } ?? .null),
      ("asWritten", .array(asWritten.map { $0.json })),
      ("onDisk", onDisk),
      ("neverRead", .array(neverRead.map { .string($0) })),
      ("writtenOver", .array(writtenOver.map { .string($0) })),
      ("matrix", matrix),
      (
        "failures",
        .array(
          failures.enumerated().map { number, failure in
            json(failure, files.indices.contains(number) ? files[number] : [])
          }
        )
      ),
      ("cases", .array(cases.map(json))),
    ])
  }

  /// Objects whose bytes were compared on disk, with their files, and those of which no file is known.
  private var onDisk: JSON {
    .object([
      (
        "compared",
        .array(
          files.compared.map {
            .object([("object", .string($0.object)), ("file", .string($0.file))])
          }
        )
      ),
      ("unknown", .array(files.unknown.map { .string($0) })),
    ])
  }

  private var matrix: JSON {
    let matrix = Matrix(self)
    return .array(
      matrix.rows.enumerated().flatMap { row, pending in
        matrix.columns.enumerated().compactMap { column, state -> JSON? in
          let field = matrix[row, column]
          guard field.all > 0 else { return nil }
          return .object([
            ("state", .string(state)), ("pending", .string(pending)), ("ends", JSON(field.all)),
            ("played", JSON(field.played)), ("failed", JSON(field.failed)),
          ])
        }
      }
    )
  }

  private func json(_ failure: Failure, _ files: [String]) -> JSON {
    .object([
      ("rule", .string(failure.kind.rule)),
      ("object", .string(failure.kind.object)),
      ("site", .string(failure.kind.site)),
      ("lacks", .string(failure.kind.lack.rawValue)),
      ("title", .string(failure.first.title)),
      ("advice", .string(failure.first.advice)),
      ("count", JSON(failure.cases.count)),
      ("first", failure.cases.first.map { json(cases[$0]) } ?? .null),
      ("smallest", JSON(failure.smallest?.yaml())),
      ("reductionCut", .bool(failure.isReductionCut)),
      ("files", .array(files.map { .string($0) })),
    ])
  }

  private func json(_ one: Case) -> JSON {
    let point = points[one.point]
    var out: [(String, JSON)] = [
      ("process", JSON(point.start + 1)),
      ("event", JSON(point.sequence)),
      ("said", .string(point.text)),
      ("place", .string(point.phrase)),
      ("source", .string(point.source)),
      ("state", .string(point.key.stateWord)),
      ("pending", .string(point.key.pending)),
      ("act", .string(one.act.rawValue)),
    ]
    if let trial = one.trial {
      out.append(("reached", .bool(trial.isReached)))
      out.append(("inHand", .bool(!trial.inHand.isEmpty)))
      out.append(("inFront", .bool(!trial.inFront.isEmpty)))
      out.append(("forecasts", .array(trial.forecasts.map(\.json))))
      out.append(("rules", .array(trial.found.map { .string($0.kind.rule) })))
    }
    return .object(out)
  }
}

extension Forecast {
  /// `lost` is null where a save was under way.
  fileprivate var json: JSON {
    .object([
      ("object", .string(object)), ("newest", JSON(newest)),
      ("lost", isLost.map { .bool($0) } ?? .null), ("leaves", leaves.map { JSON($0) } ?? .null),
      ("found", JSON(found)),
    ])
  }
}

extension Found {
  fileprivate var json: JSON {
    .object([
      ("rule", .string(kind.rule)), ("object", .string(kind.object)), ("title", .string(title)),
    ])
  }
}
