// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Copies what is readable of a damaged recording.",
    discussion: """
      The damaged file is left as it is. What could not be read is said, and is a gap in the copy, \
      which rules and ledgers know of. It leaves with 2 where verify would of the copy: where events \
      are missing that no damage accounts for, or the end.
      """
  )

  @Argument(help: "The damaged recording.", completion: .file())
  var file: String

  @OptionGroup var output: NewTrace

  func run() throws {
    let summary = try CopyCommands.run(output, from: [file])
    for problem in summary.remaining { print("\(output.path): \(problem.text)") }
    if !summary.remaining.isEmpty { throw TraceOpening.damaged }
  }
}
