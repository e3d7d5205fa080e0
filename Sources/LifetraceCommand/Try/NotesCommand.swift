// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceApp
import LifetracePlatform
import NotesCore

/// The sample app in this program, so that a demo needs no other file.
struct NotesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notes",
    abstract: "Is the sample app, which demo and doctor record.",
    discussion:
      "It lives as a scenario tells it: lifetrace record --scenario FILE -- lifetrace notes",
    shouldDisplay: false
  )

  @Flag(help: "Save the draft when the app enters the background.")
  var fixed = false

  func run() {
    let options = NotesDelegate.Options(
      fixed: fixed,
      directory: environment("LIFETRACE_DATA") ?? "."
    )
    MainActor.assumeIsolated {
      Application.main(
        configuration: .init(bundleIdentifier: "notes"),
        delegate: NotesDelegate(options: options)
      )
    }
  }
}
