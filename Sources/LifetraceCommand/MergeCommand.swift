// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Puts several recordings into one."
  )
}
