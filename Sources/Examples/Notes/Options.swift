// SPDX-License-Identifier: Apache-2.0
import Glibc
import NotesCore

extension NotesDelegate.Options {
  /// What the command line and the environment ask for: `--fixed`, `--directory PATH`.
  init(arguments: [String]) {
    self.init()
    fixed = arguments.contains("--fixed") || Self.variable("NOTES_FIXED") == "1"
    if let flag = arguments.firstIndex(of: "--directory"), flag + 1 < arguments.count {
      directory = arguments[flag + 1]
    } else if let given = Self.variable("NOTES_DIRECTORY") {
      directory = given
    }
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
