// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Judges the file: checksums, order, gaps."
  )
}
