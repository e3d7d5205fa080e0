// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support

/// A program in a real terminal: tmux draws it, and the screen is read back.
///
///     let terminal = try TerminalSession("lifetrace replay run.lifetrace")
///     try terminal.type("step", "Enter")
///     try terminal.wait { $0.contains("#1 ") }
///
/// The screen is polled; nothing depends on how fast the program is.
final class TerminalSession {
  /// How long a screen may take to show what is expected: generous, because boxes are slow.
  static let secondsMax = 60

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let socket: String

  /// Starts `command` in a terminal of 120 columns and 40 rows, or more.
  init(_ command: String, environment: [(String, String)], folder: String, rows: Int = 40) throws {
    guard Self.shell("command -v tmux").status == 0 else {
      throw Failure(description: "tmux is missing; Scripts/setup.sh --tests installs it")
    }
    socket = folder + "/tmux"
    let variables = environment.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
    let start = Self.shell(
      "env -u TMUX TERM=xterm LC_ALL=C.UTF-8 tmux -f /dev/null -S \(Self.quoted(socket)) "
        + "new-session -d -x 120 -y \(rows) "
        + Self.quoted("env \(variables) \(command); echo \"exit code $?\"; exec cat")
    )
    guard start.status == 0 else { throw Failure(description: "tmux: \(start.output)") }
  }

  deinit { tmux("kill-server") }

  /// Types keys as tmux names them; text is typed as it is.
  func type(_ keys: String...) throws {
    for key in keys {
      let isName = ["Enter", "Tab", "Up", "C-c", "C-d", "C-r", "M-3"].contains(key)
      let result = tmux("send-keys \(isName ? "" : "-l ")-- \(Self.quoted(key))")
      guard result.status == 0 else { throw Failure(description: "tmux: \(result.output)") }
    }
  }

  /// The screen, once it shows what is expected.
  @discardableResult
  func wait(for what: String, _ isExpected: (String) -> Bool) throws -> String {
    var screen = ""
    for _ in 0..<Self.secondsMax * 20 {
      screen = tmux("capture-pane -p").output
      if isExpected(screen) { return screen }
      usleep(50_000)
    }
    throw Failure(description: "never on the screen: \(what)\n\(screen)")
  }

  @discardableResult
  private func tmux(_ command: String) -> (status: Int32, output: String) {
    Self.shell("tmux -S \(Self.quoted(socket)) \(command)")
  }

  /// The last line that is not empty: where the cursor is.
  static func lastLine(_ screen: String) -> String {
    screen.split(separator: "\n").last { $0.contains { $0 != " " } }.map(String.init) ?? ""
  }

  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// Runs a line of shell; its output and errors together.
  static func shell(_ line: String) -> (status: Int32, output: String) {
    let outcome = TestProgram.shell(line + " 2>&1")
    return (outcome.code, outcome.said)
  }
}

/// The built `lifetrace`, beside the test program, or where `LIFETRACE_BINARY` says.
enum BuiltBinary {
  static let path: String = {
    if let named = getenv("LIFETRACE_BINARY") { return String(cString: named) }
    return TestProgram.products + "/lifetrace"
  }()
}
