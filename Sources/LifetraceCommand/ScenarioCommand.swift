// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct ScenarioCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenario",
    abstract: "Checks and explains scenarios."
  )
}
