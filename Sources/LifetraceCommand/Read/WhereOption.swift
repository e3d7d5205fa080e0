// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline

/// Which events of a recording are wanted, in the language of questions.
struct WhereOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only events at which this holds: data.dirty, bytes > 1kB, purge && any data where unsaved > 0.",
      valueName: "expression"
    )
  )
  var text: String?

  /// What finds them; says what is wrong with the expression, and ends the command.
  func filter(_ timeline: Timeline) throws -> EventFilter {
    guard let text else { return EventFilter { _, _ in true } }
    do throws(QueryError) {
      let question = try Question(condition: text, schema: .of(timeline))
      return Asking(question, timeline).filter
    } catch {
      Failure.say("--where: \(error.sentence)")
      for line in error.marked(in: text) { Failure.say("  \(line)") }
      throw ExitCode(64)
    }
  }
}
