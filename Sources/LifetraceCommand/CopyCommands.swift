// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import TraceFile

/// What `repair` and `merge` have in common.
enum CopyCommands {
  /// Writes the copy and says what could not be taken over; whether something could not.
  static func run(_ output: String, from inputs: [String]) throws -> Bool {
    TraceOpening.ignoreFileSizeSignal()
    let summary: CopySummary
    do throws(TraceFileError) {
      summary = try TraceCopy.make(output, from: inputs)
    } catch {
      throw TraceOpening.leave(error)
    }
    for (path, problem) in summary.problems { Failure.say("\(path): \(problem.text)") }
    let lost = summary.lost == 0 ? "" : ", \(summary.lost) events lost"
    print(
      "\(output): \(summary.events) events in \(summary.chunks) chunks\(lost), "
        + "\(summary.bytes) bytes"
    )
    return summary.hasLoss
  }
}
