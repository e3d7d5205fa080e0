// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Glibc
import Host

/// `lifetrace.yml`, of the current directory or where `--config` says.
struct ProjectConfiguration: ParsableArguments {
  @Option(help: "The configuration to use; by default lifetrace.yml here, if there is one.")
  var config: String?

  /// Where it is; nil where there is none.
  var path: String? {
    config ?? (access(Configuration.fileName, F_OK) == 0 ? Configuration.fileName : nil)
  }

  /// Reads it; a mistake in it is told with its place and ends the command.
  func load() throws -> Configuration? {
    guard let path else { return nil }
    do {
      return try Configuration(contentsOf: path)
    } catch let problem as ScenarioProblem {
      Failure.say(problem.text(file: path))
    } catch {
      Failure.say("\(error)")
    }
    throw ExitCode(EX_CONFIG)
  }
}
