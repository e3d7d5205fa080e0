// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a recording of logs and reports of devices, or of a story.",
    subcommands: [
      ImportAutoCommand.self, ImportConsoleCommand.self, ImportStoryCommand.self,
      ImportDryRunCommand.self,
    ]
  )
}
