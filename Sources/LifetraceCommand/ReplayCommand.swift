// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Walks a recording forward and backward."
  )
}
