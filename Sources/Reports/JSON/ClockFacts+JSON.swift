// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
package import LifetraceJSON
import LifetraceTrace

extension ClockFacts {
  /// What `clocks --json` prints: times in nanoseconds, rates in parts in a million.
  package var json: JSON {
    .object([
      ("clocks", .array(clocks.enumerated().map { json($1, $0) })),
      ("oneAxis", .bool(isOneAxis)),
      (
        "evidence",
        .array(
          graph.pairs.map { pair in
            .object([
              ("from", JSON(pair.clocks.0)), ("to", JSON(pair.clocks.1)),
              ("there", JSON(pair.counts.forward)), ("back", JSON(pair.counts.backward)),
              ("trend", .double(pair.trend * 1e6)), ("wander", .double(pair.wander * 1e6)),
            ])
          }
        )
      ),
      (
        "steps",
        .array(
          graph.steps.map { step in
            .object([
              ("clock", JSON(step.clock)), ("from", .int(step.from)), ("to", .int(step.to)),
              ("others", .array(step.others.map { JSON($0) })),
            ])
          }
        )
      ),
      ("contradictions", .array(doubts.map(JSON.string))),
    ])
  }

  private func json(_ clock: Clock, _ number: Int) -> JSON {
    .object([
      ("clock", JSON(number)),
      ("name", .string(clock.name)),
      ("domain", .string("\(clock.domain)")),
      ("processes", .array(clock.processes.map(JSON.string))),
      ("reference", JSON(clock.reference)),
      ("first", clock.span.map { .int($0.lowerBound) } ?? .null),
      ("last", clock.span.map { .int($0.upperBound) } ?? .null),
      ("realOffset", clock.realOffset.map(JSON.int) ?? .null),
      (
        "widths",
        .array(
          clock.widths.map { width in
            .object([
              ("raw", .int(width.raw)), ("time", .int(width.time)), ("offset", .int(width.offset)),
              ("width", width.nanoseconds.map(JSON.int) ?? .null),
            ])
          }
        )
      ),
    ])
  }
}
