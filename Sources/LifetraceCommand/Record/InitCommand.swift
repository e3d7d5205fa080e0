// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import LifetraceScenario
import LifetraceRecorder
import LifetracePlatform
import LifetraceTrace

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Writes a starter scenario, test and configuration.",
    discussion: """
      All of them or, when one exists already or cannot be written, none. The test is written where the \
      app is in Swift; in a folder of another language it is told how such an app takes part. With --keys nothing is \
      written, and the page of lifetrace.yml is printed: its keys, your own rules, thresholds.
      """
  )

  @Flag(help: "Print what lifetrace.yml may say, and write nothing.")
  var keys = false

  @Argument(help: "The directory to write into, that of the package; it is made if need be.")
  var directory = "."

  func run() throws {
    if keys { return print(Configuration.markdown, terminator: "") }
    let isSwift = !Starter.isOfAnotherLanguage(namesInDirectory(directory))
    let files = Starter.files(swift: isSwift).map {
      (path: "\(directory)/\($0.path)", text: $0.text)
    }
    let existing = files.map(\.path).filter { access($0, F_OK) == 0 }
    guard existing.isEmpty else {
      for path in existing { Failure.say("\(Printable.line(path)): the file exists") }
      Failure.say("nothing was written")
      throw TraceOpening.io
    }
    var made: [String] = []
    for file in files {
      if let problem = Self.write(file.text, to: file.path, &made) {
        for path in made.reversed() { remove(path) }
        Failure.say("\(problem); nothing was written")
        throw TraceOpening.io
      }
    }
    for file in files { print("wrote \(file.path)") }
    print("\n" + Starter.nextSteps(swift: isSwift))
  }

  /// Writes a new file and the directories above it; what went wrong, if something did.
  private static func write(_ text: String, to path: String, _ made: inout [String]) -> String? {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    for count in 1..<names.count {
      let folder = names[..<count].joined(separator: "/")
      if folder.isEmpty || mkdir(folder, 0o777) != 0 {
        if folder.isEmpty || errno == EEXIST { continue }
        return "\(folder): \(errnoText(errno))"
      }
      made.append(folder)
    }
    // Nothing that exists is touched.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return "\(Printable.line(path)): \(errnoText(errno))" }
    defer { close(descriptor) }
    made.append(path)
    let problem = Descriptor.write(text, to: descriptor)
    return problem == 0 ? nil : "\(Printable.line(path)): \(errnoText(problem))"
  }
}
