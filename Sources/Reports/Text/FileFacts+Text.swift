// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile

extension FileFacts {
  /// One line: `run.lifetrace: 14 events in 3 chunks, 4 events lost, 2,460 bytes`.
  package var contents: String { "\(Printable.line(path)): \(counts)" }

  /// What is wrong, a line each: `run.lifetrace: chunk at byte 40960: …`.
  package var complaints: [String] { problems.map { "\(Printable.line(path)): \($0.text)" } }

  /// The text of `verify`: the damage, whether the file is whole, and what helps.
  package var verdict: [String] {
    let judgement = problems.isEmpty ? "whole" : "readable"
    return complaints + ["\(Printable.line(path)): \(judgement): \(counts)"]
      + [recovery, isRepairable ? "To keep what is readable: \(repair)" : nil]
      .compactMap { $0.map { "  \($0)" } }
  }

  /// The text about a file whose contents are judged: its damage, and what helps.
  package var warnings: [String] {
    let hint = problems.contains { $0.kind == .noEnd } ? recovery : nil
    return complaints + (hint.map { ["\(Printable.line(path)): \($0)"] } ?? [])
      + (isRepairable ? ["to keep what is readable: \(repair)"] : [])
  }

  /// The command that keeps what is readable.
  var repair: String { "lifetrace repair \(Printable.line(path)) -o OUT" }

  private var counts: String {
    let marks = census.marks == 1 ? "1 mark of loss" : "\(census.marks) marks of loss"
    return [
      "\(Quantity.count(census.events, "event")) in \(Quantity.count(census.chunks, "chunk"))",
      census.lost.isNone ? nil : census.lost.text, census.letGoText,
      census.marks > 0 ? marks : nil, Quantity.fileBytes(bytes, events: 0),
    ]
    .compactMap { $0 }.joined(separator: ", ")
  }
}

extension TraceCensus {
  /// `1,868 events let go (--last or cut)`, or nil.
  var letGoText: String? {
    letGo > 0 ? "\(Quantity.count(letGo, "event")) let go (--last or cut)" : nil
  }
}
