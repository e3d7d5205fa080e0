// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Prints one line an event."
  )
}
