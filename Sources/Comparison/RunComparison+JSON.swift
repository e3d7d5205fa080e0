// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceRules

extension RunComparison {
  /// All that differs, as one object; lengths and times are nanoseconds.
  package func json(_ left: String, _ right: String) -> JSON {
    .object([
      ("left", .string(left)), ("right", .string(right)), ("equal", .bool(isEqual)),
      ("launches", .int(Int64(lifeCount))),
      ("looked", .object([("left", json(scopes.left)), ("right", json(scopes.right))])),
      (
        "lone",
        .array(
          lone.map {
            .object([
              ("launch", .string($0.life)), ("side", .string($0.isLeft ? "left" : "right")),
            ])
          }
        )
      ),
      ("differenceCount", .int(Int64(differenceCount))),
      ("differences", .array(differences.map(json))),
      ("slower", .array(slower.map(json))), ("faster", .array(faster.map(json))),
      ("newVerdicts", .array(newVerdicts.map(json))),
      ("goneVerdicts", .array(goneVerdicts.map(json))),
    ])
  }

  private func json(_ scope: Scope) -> JSON {
    let kinds = scope.leftOut.sorted { $0.key < $1.key }
    let leftOut = kinds.map { ($0.key, JSON.int(Int64($0.value))) }
    return .object([
      ("events", .int(Int64(scope.events))), ("compared", .int(Int64(scope.compared))),
      ("leftOut", .object(leftOut)),
    ])
  }

  private func json(_ difference: Difference) -> JSON {
    var members: [(String, JSON)] = [
      ("launch", .string(difference.life)), ("about", .string(difference.lane)),
      ("left", .array(difference.left.map(json))), ("leftCount", .int(Int64(difference.leftCount))),
      ("right", .array(difference.right.map(json))),
      ("rightCount", .int(Int64(difference.rightCount))),
    ]
    if let common = difference.common {
      members.append(
        ("after", .object([("left", json(common.left)), ("right", json(common.right))]))
      )
    }
    return .object(members)
  }

  private func json(_ entry: Entry) -> JSON {
    .object([
      ("event", .int(Int64(entry.number))), ("time", .int(entry.time)),
      ("text", .string("\(entry.sentence)")), ("source", .string(entry.source)),
    ])
  }

  private func json(_ slower: Slower) -> JSON {
    .object([
      ("app", .string(slower.app)), ("what", .string(slower.what)),
      ("left", .int(slower.left)), ("right", .int(slower.right)),
      ("leftCount", .int(Int64(slower.leftCount))), ("rightCount", .int(Int64(slower.rightCount))),
    ])
  }

  private func json(_ verdict: Verdict) -> JSON {
    .object([
      ("rule", .string(verdict.rule)), ("severity", .string(verdict.severity.rawValue)),
      ("app", .string(verdict.app)), ("incarnation", .int(Int64(verdict.incarnation))),
      ("text", .string("\(verdict.title)")),
    ])
  }
}
