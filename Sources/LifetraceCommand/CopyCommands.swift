// SPDX-License-Identifier: GPL-3.0-or-later
import Trace
import ArgumentParser
import Replay
import TraceFile

/// What `repair` and `merge` have in common.
enum CopyCommands {
  /// Writes the copy and says what could not be taken over; whether something could not.
  static func run(_ output: NewTrace, from inputs: [String]) throws -> Bool {
    let summary = try output.make { path throws(TraceFileError) in
      try TraceCopy.make(path, from: inputs)
    }
    for (path, problem) in summary.problems { Failure.say("\(path): \(problem.text)") }
    var lost =
      summary.lost == 0 ? "" : ", \(Quantity.count(Int(clamping: summary.lost), "event")) lost"
    if summary.standIns > 0 {
      lost += summary.standIns == 1 ? ", 1 mark of loss" : ", \(summary.standIns) marks of loss"
    }
    print(
      "\(output.path): \(Quantity.count(summary.events, "event")) in "
        + "\(Quantity.count(summary.chunks, "chunk"))\(lost), "
        + Quantity.fileBytes(summary.bytes, events: 0)
    )
    return summary.hasLoss
  }
}
