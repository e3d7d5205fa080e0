// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceTrace

/// What a command does where the order of events of different machines is not proved: it says so, always.
struct OrderOption: ParsableArguments {
  @Flag(
    help: """
      Leave with 2 where clocks or messages contradict the order of events of different machines, \
      or clocks cannot be compared.
      """
  )
  var strict = false

  /// Says `doubts` of a recording; leaves with 2 where that is asked for.
  func say(_ doubts: [String], of file: String) throws {
    for doubt in doubts { Failure.say("\(Printable.line(file)): \(doubt)") }
    if strict, !doubts.isEmpty { throw TraceOpening.damaged }
  }
}
