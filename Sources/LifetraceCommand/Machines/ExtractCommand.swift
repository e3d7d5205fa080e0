// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport

struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Makes one recording of a session in a folder of lifetrace collect.",
    discussion: """
      The chunks are those of the sender, byte for byte. Where all of them have come and their \
      recording ended well, so does the file. lifetrace sessions lists the names. It leaves with 2 \
      where something was damaged and is not in the result.
      """
  )

  @Argument(
    help: "The session, as lifetrace sessions names it, or as much as makes it the only one."
  )
  var session: String

  @Option(name: [.short, .customLong("directory")], help: "The folder.", completion: .directory)
  var directory: String

  @OptionGroup var output: NewTrace

  func run() throws {
    let readers = try SessionsCommand.segments(directory)
    let catalogue = Catalogue(readers)
    let found = catalogue.sessions(beginning: session)
    guard let only = found.first, found.count == 1 else {
      Failure.say(
        found.isEmpty
          ? "\(Printable.line(directory)) holds no session \(Printable.line(session)); "
            + "there are \(catalogue.sessions.count): lifetrace sessions \(Printable.line(directory))"
          : "\(found.count) sessions begin with \(Printable.line(session)): "
            + found.prefix(3).map(\.name).joined(separator: ", ")
      )
      throw ExitCode(EX_USAGE)
    }
    let damaged = try output.make { path throws(TraceFileError) in
      try catalogue.extract(only, to: path)
    }
    for problem in damaged { Failure.say(problem.description) }
    let missing = only.missing > 0 ? "; not there: \(Quantity.count(only.missing, "event"))" : ""
    print(
      "\(Printable.line(output.path)): \(Quantity.count(only.events, "event")) in "
        + "\(Quantity.count(only.chunks.count, "chunk"))\(missing)"
    )
    if !damaged.isEmpty { throw TraceOpening.damaged }
  }
}
