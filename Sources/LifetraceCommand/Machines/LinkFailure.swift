// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetracePlatform
import LifetraceTraceFile
import LifetraceTransport

/// How a command leaves that talks to a server.
enum LinkFailure {
  /// Runs `body`; says what went wrong and leaves with its code.
  static func leaving<Result>(
    _ body: () throws(Sender.Failure) -> Result
  ) throws -> Result {
    do throws(Sender.Failure) {
      return try body()
    } catch {
      if case .file(let problem) = error { throw TraceOpening.leave(problem) }
      Failure.say(text(error))
      throw ExitCode(EX_UNAVAILABLE)
    }
  }

  /// What went wrong, in words.
  static func text(_ error: Sender.Failure) -> String {
    switch error {
    case .link(let error): error.description
    case .file(let error): error.description
    }
  }
}
