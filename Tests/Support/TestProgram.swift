// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The program that runs the tests, and what was built beside it.
public enum TestProgram {
  /// What a program has said and how it ended.
  public struct Outcome: Sendable {
    /// Everything that it printed.
    public var said: String
    /// Its exit code.
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

  /// Runs a line of shell.
  public static func shell(_ line: String) -> Outcome {
    guard let pipe = popen(line, "r") else { return Outcome(said: "", code: -1) }
    var said: [UInt8] = []
    while true {
      let byte = fgetc(pipe)
      if byte == EOF { break }
      said.append(UInt8(truncatingIfNeeded: byte))
    }
    let status = pclose(pipe)
    return Outcome(said: String(decoding: said, as: UTF8.self), code: (status >> 8) & 0xff)
  }

  /// Runs tests of this program in a process of their own, with those that fail on purpose switched on.
  public static func runTests(_ arguments: String, keepingIn directory: String) -> Outcome {
    shell("LIFETRACE_FAIL=1 LIFETRACE_KEEP='\(directory)' '\(executable)' \(arguments) 2>&1")
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
