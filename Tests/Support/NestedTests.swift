// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Runs tests of this test program in a process of their own, where they may fail.
public enum NestedTests {
  /// What a run has said and how it ended.
  public struct Outcome: Sendable {
    /// Everything that it printed.
    public var said: String
    /// Its exit code.
    public var code: Int32

    /// The paths of the traces it kept, by the commands that it prints.
    public var kept: [String] {
      said.split(separator: "\n").compactMap { line in
        guard let range = line.firstRange(of: "lifetrace replay ") else { return nil }
        return String(line[range.upperBound...])
      }
    }
  }

  /// Where the products of the build are, this program among them.
  public static let products: String = {
    let parts = executable.split(separator: "/").dropLast()
    return parts.reduce("") { "\($0)/\($1)" }
  }()

  /// Runs the program with `arguments` and with tests that fail on purpose switched on.
  public static func run(_ arguments: String, keepingIn directory: String) -> Outcome {
    shell("LIFETRACE_FAIL=1 LIFETRACE_KEEP='\(directory)' '\(executable)' \(arguments) 2>&1")
  }

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

  private static let executable: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    return String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
