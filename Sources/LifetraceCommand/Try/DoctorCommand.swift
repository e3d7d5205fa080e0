// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDoctor
import LifetracePlatform
import LifetraceWords

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Says what this machine can and cannot do, and how to mend it.",
    discussion: """
      Each thing is tried: an app is recorded while it is suspended and purged, a child is stopped, a \
      disk loses its power. Leaves with 0 where apps can be recorded, with 1 where not; what only \
      goes with less is said, and does not count.
      """
  )

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let app = [Executable.path, NotesCommand.configuration.commandName ?? ""]
    let diagnosis = Diagnosis.make(version: Lifetrace.configuration.version, app: app)
    let isShown = isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR") == nil
    print(
      json
        ? diagnosis.json.text : diagnosis.lines(Paint(isOn: isShown)).joined(separator: "\n")
    )
    if !diagnosis.canRecord { throw ExitCode(1) }
  }
}
