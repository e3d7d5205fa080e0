// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceJSON
import LifetraceReports
import LifetraceTimeline
import LifetraceTraceFile

struct ClocksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clocks",
    abstract: "Says how the clocks of several machines lie to each other, and how that is known.",
    discussion: """
      Each message bounds the clock of one machine by that of the other; what is between messages \
      follows from how fast clocks may go wrong. Printed are offset and width of each clock, the \
      messages that they follow from, where a clock was set or stood still, and what contradicts \
      the rest and was set aside. Real time places clocks without messages, and proves nothing.
      """
  )

  @Argument(help: "The recordings, read as one.", completion: .file())
  var files: [String]

  @Flag(help: "Leave with 2 where something was set aside or cannot be compared.")
  var strict = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let readers = try files.map(TraceOpening.open)
    let recording: JoinedTraces
    do throws(TraceFileError) {
      recording = try JoinedTraces(readers)
    } catch {
      throw TraceOpening.leave(error)
    }
    let facts = ClockFacts(JoinedSource(recording))
    print(json ? facts.json.text : facts.text.joined(separator: "\n"))
    let isDamaged = readers.contains { $0.problems.contains(where: \.isDamage) }
    for problem in readers.flatMap(\.problems) where problem.isDamage { Failure.say(problem.text) }
    if isDamaged || strict && facts.isDoubtful { throw TraceOpening.damaged }
  }
}
