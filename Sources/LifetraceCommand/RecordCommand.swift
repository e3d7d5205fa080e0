// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records every process below a command."
  )
}
