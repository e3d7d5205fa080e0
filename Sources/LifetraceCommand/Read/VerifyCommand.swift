// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import ArgumentParser
import LifetraceDebugger
import LifetraceReplay
import LifetraceTrace
import LifetraceTraceFile

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Judges the file: reads every byte of a recording.",
    discussion: """
      Leaves with 0 where all chunks are whole and none is missing, else with 2. A recording that was \
      cut between chunks, at its beginning or its end, is incomplete: 2 as well, unless \
      --allow-unfinished.
      """
  )

  @Argument(help: "The recording.", completion: .file())
  var file: String

  @Flag(help: "A recording that was cut between chunks, or still runs, is well.")
  var allowUnfinished = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let reader = try TraceOpening.open(file)
    do throws(TraceFileError) {
      try reader.verify()
    } catch {
      throw TraceOpening.leave(error)
    }
    let problems = reader.problems.filter { !allowUnfinished || $0.isDamage }
    let census = reader.census
    if json {
      print(
        JSON.object(
          [("file", .string(file)), ("bytes", JSON(reader.fileBytes))] + census.json + [
            ("whole", .bool(problems.isEmpty)),
            ("problems", .array(problems.map(InfoCommand.json))),
          ]
        ).text
      )
    } else {
      for problem in problems { print("\(Printable.line(file)): \(problem.text)") }
      let judgement = problems.isEmpty ? "whole" : "readable"
      print("\(Printable.line(file)): \(judgement): \(census.text(bytes: reader.fileBytes))")
      if let hint = RecoveryHint.text(for: reader) { print("  \(hint)") }
      if problems.contains(where: \.isRepairable) {
        print("  To keep what is readable: lifetrace repair \(Printable.line(file)) -o OUT")
      }
    }
    if !problems.isEmpty { throw TraceOpening.damaged }
  }
}
