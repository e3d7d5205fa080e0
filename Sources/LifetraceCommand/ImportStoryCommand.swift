// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Interop
import TraceFile

struct ImportStoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "story",
    abstract: "Reads a recording in text, as dump prints it and people write it."
  )

  @Argument(help: "The story.", completion: .file())
  var file: String

  @Option(name: .shortAndLong, help: "The trace to make.", completion: .file())
  var output: String

  func run() throws {
    let story = try Recording.readStory(file)
    try Output.create(output) { writer throws(TraceFileError) in try story.write(to: writer) }
    let events = story.writers.reduce(0) { $0 + $1.events.count }
    Failure.say("\(file): \(story.writers.count) writers, \(events) events")
  }
}

/// A trace file that a command makes.
enum Output {
  /// Creates the file and lets `body` write it.
  static func create(
    _ path: String,
    _ body: (TraceWriter) throws(TraceFileError) -> Void
  ) throws {
    do throws(TraceFileError) {
      let writer = try TraceWriter(path: path, options: .create)
      try body(writer)
    } catch {
      Failure.say(error.description)
      throw ExitCode(74)
    }
  }
}
