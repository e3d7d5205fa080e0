// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Says what a recording holds."
  )
}
