// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Judges the app: which rules does the recording break."
  )
}
