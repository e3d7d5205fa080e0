// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDebugger
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

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

  /// What is asked of the events of `timeline`; nil where all are wanted.
  ///
  /// Says what is wrong with the expression, and ends the command.
  func asking(_ timeline: Timeline) throws -> Asking? {
    guard let text else { return nil }
    do throws(QueryError) {
      return Asking(try Question(condition: text, schema: .of(timeline)), timeline)
    } catch {
      Failure.say("--where: \(error.sentence)")
      for line in error.marked(in: text) { Failure.say("  \(line)") }
      throw ExitCode(64)
    }
  }
}

extension Asking {
  /// Says how many of the places that were looked at a loss left open.
  func sayUndecided(labels: [String]) {
    let words = undecidedWords(met) { place, sequence in
      EventName(writer: labels[Int(place.stream.rawValue)], sequence: sequence)
    }
    if let words { Failure.say(Printable.line(words)) }
  }
}
