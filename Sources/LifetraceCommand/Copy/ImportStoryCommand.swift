// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceTrace
import ArgumentParser
import LifetraceInterop
import LifetraceReplay
import LifetraceTraceFile

struct ImportStoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "story",
    abstract: "Reads a recording in text, as dump prints it and people write it."
  )

  @Argument(help: "The story.", completion: .file())
  var file: String

  @OptionGroup var output: NewTrace

  func run() throws {
    let story = try Recording.readStory(file)
    try output.make(keeping: [file]) { path throws(TraceFileError) in
      try story.write(to: TraceWriter(path: path, options: .create))
    }
    let events = story.writers.reduce(0) { $0 + $1.events.count }
    Failure.say(
      "\(Printable.line(file)): \(Quantity.count(story.writers.count, "writer")), \(Quantity.count(events, "event"))"
    )
  }
}
