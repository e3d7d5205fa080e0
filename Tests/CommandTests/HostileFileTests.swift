// SPDX-License-Identifier: Apache-2.0
import Fuzzing
import Glibc
import Support
import TestThreads
import Testing

/// 200 hostile inputs through the built binary: it may refuse, it may not crash or hang.
@Suite(.waits) struct HostileFileTests {
  static let scale = getenv("LIFETRACE_TEST_SCALE").flatMap { Double(String(cString: $0)) } ?? 1

  @Test func theBinarySurvives() throws {
    let folder = try TestFolder()
    let binary = TerminalSession.quoted(BuiltBinary.path)
    let commands: [(Fuzz.Target, String)] = [
      (.trace, "replay -q --batch -e 'next state' -e state input"), (.trace, "check input"),
      (.trace, "verify input"), (.console, "import console input -o out"),
      (.story, "import story input -o out"),
    ]
    let rounds = max(1, Int(40 * Self.scale))
    for (index, command) in commands.enumerated() {
      let fuzz = Fuzz(command.0, seed: 7)
      for round in 0..<rounds {
        write(fuzz.input(index * 10_000 + round), to: "\(folder.path)/input")
        let line =
          "cd \(folder.path) && rm -f out && ulimit -c 0 && SWIFT_BACKTRACE=enable=no "
          + "timeout \(Fuzz.secondsMax) \(binary) \(command.1) < /dev/null > /dev/null 2>&1"
        let status = TerminalSession.shell(line).status
        #expect(
          [0, 1, 2, 64, 74].contains(status),
          "\(command.1): seed 7, index \(index * 10_000 + round), status \(status)"
        )
      }
    }
  }

  private func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
