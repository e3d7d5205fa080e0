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

  @Argument(help: "Recordings, or folders of them, read as one.", completion: .file())
  var files: [String]

  @Flag(help: "Leave with 2 where something was set aside or cannot be compared.")
  var strict = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let opened = try OpenedFiles(RecordingNames.files(files))
    let facts = ClockFacts(opened.source)
    print(json ? facts.json.text : facts.text.joined(separator: "\n"))
    let damage = opened.damage
    for line in damage { Failure.say(line) }
    if let code = opened.code { throw code }
    if !damage.isEmpty || strict && facts.isDoubtful { throw TraceOpening.damaged }
  }
}
