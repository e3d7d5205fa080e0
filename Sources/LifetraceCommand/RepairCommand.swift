// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Keeps what is readable of a damaged recording."
  )
}
