// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where an app keeps its files, and which program it is.
public struct Home: Sendable {
  /// A directory of its own.
  public var directory: String
  /// The program `CorrectApp`, for the app that starts a helper.
  public var program: String

  /// A home in a directory that exists.
  public init(directory: String, program: String) {
    self.directory = directory
    self.program = program
  }

  /// A file of the app, on the disk that loses its power at a reboot where the device has one.
  func path(_ name: String) -> String {
    (getenv("LIFETRACE_DISK").map { String(cString: $0) } ?? directory) + "/" + name
  }

  /// A file in the container that the app shares with its extensions.
  func shared(_ name: String) -> String {
    mkdir(directory + "/group", 0o700)
    return directory + "/group/" + name
  }
}
