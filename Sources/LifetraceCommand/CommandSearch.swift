// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceRecorder
import LifetracePlatform
import LifetraceTrace

/// Whether a command can be run, asked before a file is made for it.
enum CommandSearch {
  /// The exit code with which `env` would leave, said on stderr; nil when it can be run.
  static func problem(with name: String) -> Int32? {
    var found: String?
    let places =
      name.contains("/")
      ? [""]
      : (environment("PATH") ?? "/usr/bin:/bin")
        .split(separator: ":", omittingEmptySubsequences: false).map {
          $0.isEmpty ? "./" : "\($0)/"
        }
    for place in places where access(place + name, F_OK) == 0 {
      var facts = stat()
      let isFile = stat(place + name, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
      if isFile, access(place + name, X_OK) == 0 { return nil }
      if found == nil { found = place + name }
    }
    guard let found else {
      Failure.say("\(Printable.line(name)): command not found")
      return 127
    }
    Failure.say("\(Printable.line(found)): cannot be run: is it a program, and executable?")
    return 126
  }
}
