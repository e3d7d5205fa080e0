// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a recording of a log or a story.",
    subcommands: [ImportConsoleCommand.self, ImportStoryCommand.self]
  )
}
