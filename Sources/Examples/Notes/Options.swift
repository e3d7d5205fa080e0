// SPDX-License-Identifier: Apache-2.0
import Glibc
import NotesCore

extension NotesDelegate.Options {
  private static let usage = """
    usage: notes [--fixed] [--directory PATH]
      --fixed           saves the draft when the app enters the background
      --directory PATH  keeps draft.txt there; else in the folder that the scenario gives
                        (LIFETRACE_DATA), else in the current directory
    It is the sample app of lifetrace, and lives as a scenario tells it:
      lifetrace record --scenario lost-edit.yml -- notes

    """

  /// What the command line and the environment ask for; anything else ends the process.
  init(arguments: [String]) {
    self.init()
    fixed = Self.variable("NOTES_FIXED") == "1"
    directory = Self.variable("NOTES_DIRECTORY")
    var rest = arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--fixed": fixed = true
      case "--directory":
        guard let path = rest.popFirst() else { Self.leave("--directory needs a path") }
        directory = path
      case "--help", "-h":
        print(Self.usage, terminator: "")
        exit(0)
      default: Self.leave("unknown option '\(word)'")
      }
    }
  }

  private static func leave(_ why: String) -> Never {
    let text = "notes: \(why)\n\(usage)"
    _ = write(STDERR_FILENO, text, text.utf8.count)
    exit(64)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
