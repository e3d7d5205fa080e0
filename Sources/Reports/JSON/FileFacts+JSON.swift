// SPDX-License-Identifier: Apache-2.0
package import LifetraceJSON
import LifetraceTrace
import LifetraceTraceFile

extension FileFacts {
  /// What `verify --json` prints.
  package var json: JSON {
    .object(members + [("whole", .bool(problems.isEmpty)), ("problems", problemList)])
  }

  /// What every object about a file begins with.
  var members: [(String, JSON)] {
    [("file", .string(path)), ("bytes", JSON(bytes))] + census.members
  }

  /// What is wrong with it, an object each.
  var problemList: JSON {
    .array(
      problems.map {
        .object([
          ("kind", .string($0.kind.rawValue)), ("byte", $0.byte.map { JSON($0) } ?? .null),
          ("stream", $0.stream.map { JSON(Int($0.rawValue)) } ?? .null),
          ("text", .string($0.text)),
        ])
      }
    )
  }
}

extension TraceCensus {
  /// The events there and those gone, without the losses by family.
  var members: [(String, JSON)] {
    [
      ("events", JSON(events)), ("chunks", JSON(chunks)), ("marks", JSON(marks)),
      ("lostInAll", JSON(lost.count)), ("missing", JSON(missing.count)),
      ("letGo", JSON(letGo)),
      ("uncounted", .bool(lost.isAtLeast)),
    ]
  }

  /// The losses by family.
  var losses: JSON {
    .object(
      EventFamily.allCases.compactMap { family in
        dropped[family].map { ("\(family)", JSON($0.count)) }
      }
    )
  }
}
