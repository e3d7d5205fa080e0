// SPDX-License-Identifier: Apache-2.0
import LifetraceApp
import NotesCore

Application.main(
  configuration: .init(bundleIdentifier: "notes"),
  delegate: NotesDelegate(options: .init(arguments: CommandLine.arguments))
)
