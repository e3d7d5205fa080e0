// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceReports

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
    let copy = FileFacts(output.path, copied: try output.copy([file]))
    for line in [copy.contents] + copy.complaints { print(line) }
    if !copy.problems.isEmpty { throw TraceOpening.damaged }
  }
}
