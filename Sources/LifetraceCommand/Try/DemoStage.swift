// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import CLifetracePlatform
import LifetracePlatform
import LifetraceTrace

/// Where the demo plays: a folder, in which this program is run as a user would run it.
struct DemoStage {
  /// An absolute path.
  let folder: String
  /// What this program is called in the folder: the name of its file, usually `lifetrace`.
  let program: String
  /// What a shell here would call it.
  private let name: String

  /// Makes the folder, and puts the files of the sample app there; a new one where none is named.
  init(folder named: String?) throws {
    if let named {
      folder = absolutePath(named)
      // Where recordings of an earlier demo stand, they would be refused, each at its own time.
      guard mkdir(folder, 0o777) == 0 || (errno == EEXIST && namesInDirectory(folder).isEmpty)
      else {
        let why = errno == EEXIST ? "exists, and is not an empty folder" : errnoText(errno)
        Failure.say("\(Printable.line(named)): \(why)")
        throw TraceOpening.io
      }
    } else {
      let place = (environment("TMPDIR") ?? "/tmp") + "/lifetrace-demo.XXXXXX"
      var bytes = place.utf8CString.map { $0 }
      guard mkdtemp(&bytes) != nil else {
        Failure.say("\(Printable.line(place)): \(errnoText(errno)); -o names another place")
        throw TraceOpening.io
      }
      folder = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    program = Executable.path.split(separator: "/").last.map(String.init) ?? "lifetrace"
    let found = Executable.find(program).flatMap { realpath($0, nil) }
    defer { free(found) }
    name = found.map { String(cString: $0) } == Executable.path ? program : Executable.path
    for file in Demo.files {
      var output = try LineOutput(file: "\(folder)/\(file.name)")
      try output.write(String(decoding: file.bytes, as: UTF8.self))
      try output.flush()
    }
  }

  func say(_ text: String) {
    print("\n" + text)
    fflush(nil)
  }

  /// Shows the acts; the first that does not end as it should ends the demo.
  func play(_ acts: [Demo.Act]) throws {
    for act in acts {
      switch act {
      case .title(let text): say("== " + text)
      case .command(let words, let expected, let advice):
        say("$ " + ([program] + words).map(Self.quoted).joined(separator: " "))
        let code = try run(words)
        guard code != expected else { continue }
        Failure.say(
          "\(words[0]) should have left with \(expected), and left with \(code): \(advice)"
        )
        Failure.say("what was recorded is in \(Printable.line(folder))")
        throw ExitCode(1)
      }
    }
  }

  /// The exit code of this program with these words, run in the folder.
  private func run(_ words: [String]) throws -> Int32 {
    let child = cplatform_fork()
    if child == 0 { become(words) }
    guard child > 0 else {
      Failure.say("no process can be started: \(errnoText(errno))")
      throw ExitCode(EX_OSERR)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// Goes on as this program with these words, in the folder.
  func become(_ words: [String]) -> Never {
    // What has its name there is this program.
    let path = Executable.folder + ":" + (environment("PATH") ?? "/usr/bin:/bin")
    setenv("PATH", path, 1)
    let arguments = ([program] + words).map { strdup($0) } + [nil]
    if chdir(folder) == 0 { execv(Executable.path, arguments) }
    Failure.say("\(Printable.line(Executable.path)): \(errnoText(errno))")
    _exit(127)
  }

  /// The command as it can be typed in any folder.
  func line(toType words: [String]) -> String {
    let words = words.map { $0.hasSuffix(".lifetrace") ? "\(folder)/\($0)" : $0 }
    return ([name] + words + ["--source-dir", folder]).map(Self.quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "_./%=:-".contains($0) }
    return isPlain && !word.isEmpty ? word : "\"\(word)\""
  }
}
