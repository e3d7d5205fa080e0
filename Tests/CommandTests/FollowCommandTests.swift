// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// `dump --follow` and `replay --follow` beside a recorder that is at work, as somebody runs them.
@Suite(.waits) struct FollowCommandTests {
  /// Waits until a line stands in a file, for at most 20 s.
  private static let untilSaid = """
    until_said() { n=0; until grep -qs "$1" "$2"; do sleep 0.05; n=$((n+1)); [ $n -lt 400 ] || exit 97; done; }
    """

  /// A command that goes on until `go` and then `over` are there, with an app before each; for a minute at
  /// most, whatever becomes of the test.
  private static let record = """
    "$lt" record --follow -o t -- timeout 60 sh -c '$0 numbers 40; until [ -e go ]; do sleep 0.02; done; $0 unsaved; until [ -e over ]; do sleep 0.02; done' \
      $emitter > said 2>&1 & front=$!
    """

  @Test func dumpGoesOnUntilTheRecorderEnds() throws {
    let folder = try TestFolder()
    let result = shell(
      """
      \(Self.untilSaid)
      \(Self.record)
      "$lt" dump --follow t > lines 2> problems & follower=$!
      until_said 'Emitter#1 main' lines
      grep -c Emitter#2 lines
      touch go
      until_said 'Emitter#2 main data.dirty' lines
      touch over; wait $front; wait $follower; echo code $?
      cat problems
      lifetrace dump t > whole
      grep -v '^app ' lines > a; grep -v '^app ' whole > b; cmp a b && echo the same
      """,
      in: folder
    )
    #expect(result.output.hasPrefix("0\ncode 0\n"), "\(result.output)")
    #expect(result.output.hasSuffix("the same\n"), "\(result.output)")
  }

  @Test func whatIsAskedForIsChosenFromWhatComes() throws {
    let folder = try TestFolder()
    let result = shell(
      """
      \(Self.untilSaid)
      \(Self.record)
      "$lt" dump --follow --where dirty t > lines 2> problems & follower=$!
      until_said '^app ' lines
      touch go
      until_said 'data.dirty' lines
      touch over; wait $front; wait $follower; echo code $?
      grep -v '^app \\|^epoch ' lines | grep -vc data.dirty
      """,
      in: folder
    )
    #expect(result.output == "code 0\n0\n", "\(result.output)")
  }

  @Test func thePromptGoesAlong() throws {
    let folder = try TestFolder()
    let made = shell("\(Self.record)\nuntil [ -s t ]; do sleep 0.02; done", in: folder)
    #expect(made.status == 0, "\(made.output)")
    let session = try TerminalSession(
      "\(TerminalSession.quoted(BuiltBinary.path)) replay --no-init --color never --follow "
        + TerminalSession.quoted(folder.file("t")),
      environment: [
        ("LIFETRACE_HISTFILE", folder.file("h")), ("INPUTRC", "/dev/null"), ("HOME", folder.path),
        ("TERM", "xterm"), ("LC_ALL", "C.UTF-8"),
      ],
      folder: folder.path
    )
    try session.wait(for: "the prompt") { TerminalSession.lastLine($0).hasPrefix("#") }
    try session.type("until dirty", "Enter")
    try session.wait(for: "that it waits") { $0.contains("Waiting for more than") }
    _ = shell("touch go", in: folder)
    try session.wait(for: "the edit") {
      TerminalSession.lastLine($0).hasPrefix("#") && $0.contains("Emitter#2")
    }
    try session.type("continue", "Enter")
    _ = shell("touch over", in: folder)
    try session.wait(for: "the end") { $0.contains("The recording has ended") }
    try session.type("quit", "Enter")
    try session.wait(for: "the exit code") { $0.contains("exit code 0") }
  }
}
