// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceDeviceLog
import LifetracePlatform
import LifetraceScenario

struct ImportDryRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dry-run",
    abstract: "Shows what each pattern of a map finds in logs, and writes nothing.",
    discussion: """
      A map says what lines of an app of your own stand for, so that the log of a phone holds its \
      edits and saves:

        process: Drafty
        lines:
          - line: "edited {object} to version {version}, {bytes} bytes"
            event: data.dirty
          - line: "saved {object} v{version}"
            event: data.durable

      import auto and import console take it with --map. For each pattern: how many lines it fits, the \
      first of them, and what its names in braces take there; then how many lines of the process fit \
      none.
      """
  )

  @Option(help: "The map.", completion: .file(extensions: ["yml", "yaml"]))
  var map: String

  @Argument(help: "The logs.", completion: .file())
  var files: [String]

  func run() throws {
    let map = try MapFile.read(self.map)
    let hits = try LogOptions.leaving { () throws(LogImportError) in
      try LogImport.rehearse(files, LogImport.Options(map: map))
    }
    for line in hits.table(of: map, named: self.map) { print(line) }
  }
}

/// The map of an import, read; a mistake in it is reported with its place and ends the command.
enum MapFile {
  static func read(_ path: String) throws -> LogMap {
    do {
      return try LogMap(contentsOf: path)
    } catch let problem as ScenarioProblem {
      Failure.say(problem.text(file: path))
    } catch {
      Failure.say("\(error)")
    }
    throw ExitCode(EX_CONFIG)
  }
}
