// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The program that runs the tests, and what was built beside it.
public enum TestProgram {
  /// What a program has said and how it ended.
  public struct Outcome: Sendable {
    /// Everything that it printed.
    public var said: String
    /// Its exit code; 128 and more for a signal, as a shell says it.
    public var code: Int32
  }

  /// The program itself.
  public static let executable: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// The directory of the built products, where the tool and the fixture apps are.
  public static let products: String = {
    executable.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
  }()

  /// Where tests put their files: what TMPDIR says, else /tmp.
  public static let temporary: String = {
    guard let named = getenv("TMPDIR") else { return "/tmp" }
    let path = String(cString: named)
    return path.isEmpty ? "/tmp" : path
  }()

  /// Runs a line of shell.
  public static func shell(_ line: String) -> Outcome {
    guard let pipe = popen(line, "r") else { return Outcome(said: "", code: -1) }
    var said: [UInt8] = []
    var portion = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = fread(&portion, 1, portion.count, pipe)
      if count == 0 { break }
      said += portion[..<count]
    }
    let status = pclose(pipe)
    let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    return Outcome(said: String(decoding: said, as: UTF8.self), code: code)
  }

  /// Runs tests of this program in a process of their own, with those that fail on purpose switched on.
  public static func runTests(_ arguments: String, keepingIn directory: String) -> Outcome {
    shell("LIFETRACE_FAIL=1 LIFETRACE_KEEP='\(directory)' '\(executable)' \(arguments) 2>&1")
  }

  /// Whether this process runs one test for ``runAlone(_:)``.
  public static let isAlone = getenv("LIFETRACE_ALONE") != nil

  /// With this a test that runs alone ends its process when all went well.
  public static let allWell: Int32 = 99

  /// Runs the test of that name in a process of its own: what it sets is the whole process's.
  ///
  /// Not by an exit test: the library waits for those among all children, and never comes to them
  /// while an older one is left that nobody waits for.
  public static func runAlone(_ test: String) -> Outcome {
    shell(
      "LIFETRACE_ALONE=1 '\(executable)' --testing-library swift-testing --filter '\(test)' 2>&1"
    )
  }
}

extension TestProgram.Outcome {
  /// The paths of the traces that failing tests kept, by the commands that were printed.
  public var kept: [String] {
    said.split(separator: "\n").compactMap { line in
      guard let range = line.firstRange(of: "lifetrace replay ") else { return nil }
      return String(line[range.upperBound...])
    }
  }
}
