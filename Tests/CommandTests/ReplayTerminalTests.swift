// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// The prompt in a real terminal: completion, history, Ctrl-C, Ctrl-D.
@Suite(.waits) struct ReplayTerminalTests {
  private func start(_ folder: TestFolder, history: String, _ options: String = "") throws
    -> TerminalSession
  {
    let file = try folder.write(lostDraftStory, to: "lost.story")
    return try TerminalSession(
      "\(TerminalSession.quoted(BuiltBinary.path)) replay --no-init --color never \(options) "
        + TerminalSession.quoted(file),
      environment: [
        ("LIFETRACE_HISTFILE", history), ("INPUTRC", "/dev/null"), ("HOME", folder.path),
        ("TERM", "xterm"), ("LC_ALL", "C.UTF-8"),
      ],
      folder: folder.path
    )
  }

  private func isPrompt(_ screen: String, _ beginning: String) -> Bool {
    TerminalSession.lastLine(screen).hasPrefix(beginning)
  }

  /// Before that the terminal still edits lines itself, and keys such as Ctrl-D are its own.
  private func isEmptyPrompt(_ screen: String, _ prompt: String) -> Bool {
    TerminalSession.lastLine(screen).split(separator: " ").joined(separator: " ") == prompt
  }

  @Test func commandsThatNobodyTypesAreEchoed() throws {
    let folder = try TestFolder()
    let session = try start(folder, history: folder.path + "/h", "-q --echo -e 'goto 6' -e dirty")
    let screen = try session.wait(for: "the prompt") { isPrompt($0, "#6 notes#1 active>") }
    for line in ["(replay) goto 6", "(replay) dirty"] {
      #expect(screen.contains(line), "\(screen)")
    }
    try session.type("when", "Enter")
    let after = try session.wait(for: "the answer of when") { $0.contains("Event 6 of 10") }
    #expect(!after.contains("(replay) when"), "\(after)")
  }

  @Test func aSession() throws {
    let folder = try TestFolder()
    let history = folder.path + "/state/history"
    var terminal: TerminalSession? = try start(folder, history: history, "-e 'goto start'")
    let session = try #require(terminal)
    try session.wait(for: "the prompt") { isPrompt($0, "#0 start>") }

    // A unique beginning, completed by TAB.
    try session.type("got", "Tab")
    try session.wait(for: "goto, completed") { isPrompt($0, "#0 start> goto") }
    try session.type("end", "Enter")
    try session.wait(for: "the last event") { isPrompt($0, "#10 notes#1 not running>") }

    // Several: TAB twice lists them.
    try session.type("prev dir", "Tab")
    try session.wait(for: "dirty, completed") {
      isPrompt($0, "#10 notes#1 not running> prev dirty")
    }
    try session.type("Enter")
    try session.wait(for: "the edit") { isPrompt($0, "#6 notes#1 active>") }

    // Ctrl-C drops the line and keeps the program.
    try session.type("nonsense", "C-c")
    try session.wait(for: "an empty prompt") {
      isPrompt($0, "#6 notes#1 active>") && !isPrompt($0, "#6 notes#1 active> nonsense")
        && $0.contains("^C")
    }

    // Ctrl-C in a search drops what it found; the next line is taken as it is typed.
    try session.type("C-r", "got")
    try session.wait(for: "a line of the history") {
      TerminalSession.lastLine($0).contains("(reverse-i-search)`got': goto")
    }
    try session.type("C-c")
    try session.wait(for: "an empty prompt") { isEmptyPrompt($0, "#6 notes#1 active>") }
    try session.type("frobnicate", "Enter")
    try session.wait(for: "what is wrong with that line") {
      $0.contains("There is no command frobnicate.") && isEmptyPrompt($0, "#6 notes#1 active>")
    }
    // So with a count that is being typed.
    try session.type("goto", "M-3")
    try session.wait(for: "the count") { TerminalSession.lastLine($0).contains("(arg: 3)") }
    try session.type("C-c")
    try session.wait(for: "an empty prompt") { isEmptyPrompt($0, "#6 notes#1 active>") }

    // An empty line repeats stepping only.
    try session.type("step", "Enter")
    try session.wait(for: "a step") { isPrompt($0, "#7 notes#1 inactive>") }
    try session.type("Enter")
    try session.wait(for: "the step again") { isPrompt($0, "#8 notes#1 background>") }
    try session.type("when", "Enter")
    try session.wait(for: "the answer of when") { $0.contains("Event 8 of 10") }
    try session.type("Enter")
    try session.type("undo 2", "Enter")
    try session.wait(for: "where it was") { isPrompt($0, "#6 notes#1 active>") }

    // A wrong command is told, and nothing ends.
    try session.type("st", "Enter")
    try session.wait(for: "the ambiguity, and a prompt behind it") {
      $0.contains("st is ambiguous: state, step.") && isEmptyPrompt($0, "#6 notes#1 active>")
    }

    // Ctrl-D leaves, and the history was kept.
    try session.type("C-d")
    try session.wait(for: "the end") { $0.contains("exit code 0") }
    terminal = nil
    var status = stat()
    try #require(stat(history, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)

    let again = try start(folder, history: history, "-q -e 'goto start'")
    try again.wait(for: "the prompt") { isPrompt($0, "#0 start>") }
    try again.type("Up", "Up")
    try again.wait(for: "the line before last") { isPrompt($0, "#0 start> undo 2") }
    try again.type("C-c")
    try again.wait(for: "an empty prompt") { isEmptyPrompt($0, "#0 start>") }
    try again.type("quit", "Enter")
    try again.wait(for: "the end") { $0.contains("exit code 0") }
  }
}
