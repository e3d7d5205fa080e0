// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import Glibc
import Host

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a starter scenario, test and configuration."
  )

  @Argument(help: "The directory to write into.")
  var directory = "."

  func run() throws {
    for file in Starter.files {
      let path = "\(directory)/\(file.path)"
      // Nothing that exists is touched.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else {
        let reason = errno == EEXIST ? "exists already" : String(cString: strerror(errno))
        throw ValidationError("\(path): \(reason)")
      }
      defer { close(descriptor) }
      let bytes = Array(file.text.utf8)
      guard write(descriptor, bytes, bytes.count) == bytes.count else {
        throw ValidationError("\(path): \(String(cString: strerror(errno)))")
      }
      print("wrote \(path)")
    }
  }
}
