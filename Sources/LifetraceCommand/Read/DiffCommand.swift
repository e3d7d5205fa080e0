// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceComparison
import LifetraceJSON
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// Tells what differs between two recordings of one program.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two recordings: what happened, how long it took, what rules say.",
    discussion: """
      Launches are compared by app and number, and in each the events of a callback, an object, a \
      task and so on, in their order. Times take no part in that, nor do process numbers and names \
      made anew for each run. What takes longer is told where each time of one recording is above all \
      of the other and the median by a quarter and 10 ms; of what was timed less than three times, \
      where it is twice as long and 100 ms longer.

      What comes as often as time allows takes no part either: turns of the run loop, samples of \
      memory and processor, log lines, uses of resources, what the recorder says of itself. How many \
      events were compared and how many of which kind were not is said at the end.

      Leaves with 0 where nothing differs, with 1 where something does, with 2 where a file is \
      damaged or no recording.
      """
  )

  @Argument(help: "The recording to compare with, or a story.", completion: .file())
  var first: String

  @Argument(help: "The other one.", completion: .file())
  var second: String

  @Flag(help: "Show all differences, not the first \(RunComparison.shownMax) of each sort.")
  var all = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var judging: JudgementOptions

  func run() throws {
    let configuration = try judging.project.load()
    let judgement = try judging.judgement(configuration)
    let recordings = try [first, second].map { try Recording(opening: $0) }
    let timelines = recordings.map { Timeline($0.source) }
    for (file, timeline) in zip([first, second], timelines) where timeline.count == 0 {
      Failure.say("\(Printable.line(file)): holds no events: there is nothing to compare")
      throw TraceOpening.damaged
    }
    let progress = ProgressBar(total: timelines[0].count + timelines[1].count)
    let found = RunComparison(timelines[0], timelines[1], by: judgement) { progress.show($0) }
    progress.clear()
    var output = LineOutput()
    if json {
      try output.print(found.json(first, second).text)
    } else {
      for line in found.lines(first, second, all: all) { try output.print(line) }
    }
    try output.flush()
    var isWhole = true
    for (recording, timeline) in zip(recordings, timelines) {
      for problem in recording.problems { Failure.say(problem) }
      for problem in timeline.damage { Failure.say("\(problem)") }
      if recording.isDamaged || !timeline.damage.isEmpty { isWhole = false }
    }
    if !isWhole { throw TraceOpening.damaged }
    if !found.isEqual { throw ExitCode(1) }
  }
}
