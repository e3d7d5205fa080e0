// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a starter scenario, test and configuration."
  )
}
