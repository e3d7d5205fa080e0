// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract:
      "Makes a recording of logs and reports of devices, of a story, of JSON lines, or of OpenTelemetry.",
    subcommands: [
      ImportAutoCommand.self, ImportConsoleCommand.self, ImportStoryCommand.self,
      ImportLinesCommand.self, ImportOTLPCommand.self, ImportDryRunCommand.self,
    ]
  )
}
