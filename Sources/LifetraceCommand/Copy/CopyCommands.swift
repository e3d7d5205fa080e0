// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetraceTrace
import LifetraceTraceFile

extension TraceCensus {
  /// One line on a file: `14 events in 3 chunks, 4 events lost, 1 mark of loss, 2,460 bytes`.
  func text(bytes: UInt64) -> String {
    var parts = ["\(Quantity.count(events, "event")) in \(Quantity.count(chunks, "chunk"))"]
    if !lost.isNone { parts.append(lost.text) }
    if let letGoText { parts.append(letGoText) }
    if marks > 0 { parts.append(marks == 1 ? "1 mark of loss" : "\(marks) marks of loss") }
    return (parts + [Quantity.fileBytes(bytes, events: 0)]).joined(separator: ", ")
  }

  /// `1,868 events let go (--last)`, or nil.
  var letGoText: String? {
    letGo > 0 ? "\(Quantity.count(letGo, "event")) let go (--last)" : nil
  }

  /// The same for programs, without the losses by family.
  var json: [(String, JSON)] {
    [
      ("events", JSON(events)), ("chunks", JSON(chunks)), ("marks", JSON(marks)),
      ("lostInAll", JSON(lost.count)), ("missing", JSON(missing.count)),
      ("letGo", JSON(letGo)),
      ("uncounted", .bool(lost.isAtLeast)),
    ]
  }
}

/// What `repair` and `merge` have in common.
enum CopyCommands {
  /// Writes the copy and says what could not be taken over.
  static func run(_ output: NewTrace, from inputs: [String]) throws -> CopySummary {
    let summary = try output.make { path throws(TraceFileError) in
      try TraceCopy.make(path, from: inputs)
    }
    for (path, problem) in summary.problems {
      Failure.say("\(Printable.line(path)): \(problem.text)")
    }
    print("\(Printable.line(output.path)): \(summary.census.text(bytes: summary.bytes))")
    return summary
  }
}
