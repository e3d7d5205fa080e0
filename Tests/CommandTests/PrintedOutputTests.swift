// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What a recorded command prints: passed on, kept where asked for, never in the way.
@Suite(.waits) struct PrintedOutputTests {
  @Test func whatTheCommandPrintsIsPassedOnAndKept() throws {
    let folder = try TestFolder()
    let result = shell("lifetrace record --capture-output -o t -- echo a-word", in: folder)
    #expect(result.output.contains("a-word"))
    #expect(shell("lifetrace dump --all --where log t", in: folder).output.contains("a-word"))
    // What it prints before it joins and after it has emitted its last is its own all the same.
    let line =
      "lifetrace record --capture-output -o u -- sh -c 'echo first; exec $0 numbers 5' $emitter"
    #expect(shell("(\(line)) | head -c 200 | wc -c", in: folder).status == 0)
    let dump = shell("lifetrace dump --where log u", in: folder).output
    #expect(dump.contains("Emitter#1 main log text=first"), "\(dump)")
  }

  /// A line that is too long is cut, and a secret may stand across the cut.
  @Test func ofAPrintedLineThatIsCutNothingIsKept() throws {
    let folder = try TestFolder()
    let secret = "token=0123456789abcdef"
    let lines = [
      String(repeating: "x", count: 16_374) + secret + String(repeating: "y", count: 20_000),
      "short " + secret,
      // As long as a line may be: not cut.
      String(repeating: "z", count: 16_384),
      "end",
    ]
    try folder.write(lines.joined(separator: "\n"), to: "lines")
    let record = "lifetrace record --capture-output"
    let result = shell(
      "\(record) --redact '/token=[0-9a-f]{16}/' -o t -- cat lines > out; cmp lines out",
      in: folder
    )
    #expect(result.status == 0, "\(result.output)")
    let dump = shell("lifetrace dump --all --where log t", in: folder).output
    #expect(dump.matches(of: /cut text redacted [0-9]+/).count == 3, "\(dump)")
    #expect(!dump.contains("xxx") && !dump.contains("yyy") && !dump.contains("token="))
    #expect(dump.contains("short [redacted 4]") && dump.contains("zzz") && dump.contains("end"))
    // Without a pattern the pieces are there.
    #expect(shell("\(record) -o u -- cat lines > out", in: folder).status == 0)
    #expect(shell("lifetrace dump --all --where log u", in: folder).output.contains("xxxtoken="))
  }

  @Test func aProcessThatPrintsOnAndOnDoesNotKeepTheRecording() throws {
    let result = shell(
      "\"$lt\" record --capture-output -o t -- sh -c 'while :; do echo on; done & exit 3' >/dev/null; echo \"code $?\"",
      in: try TestFolder()
    )
    #expect(result.output.contains("code 3\n"), "\(result.output)")
  }

  @Test func whatCannotBePassedOnIsToldOnce() throws {
    let result = shell(
      "lifetrace record --capture-output -o t -- sh -c 'echo one; sleep 0.2; echo two' >/dev/full; echo $?",
      in: try TestFolder()
    )
    #expect(
      result.output.matches(of: /cannot be passed on: No space left/).count == 1,
      "\(result.output)"
    )
  }

  @Test func whatACommandPrintsIsNoApp() throws {
    let folder = try TestFolder()
    let result = shell("lifetrace record --check --capture-output -o t -- echo a-word", in: folder)
    #expect(result.output.contains("No app joined this recording"), "\(result.output)")
    #expect(!result.output.contains("0 errors"), "\(result.output)")
    #expect(shell("lifetrace info t", in: folder).output.contains("device#1, device"))
  }

  @Test func aCommandThatNobodyListensToEnds() throws {
    let folder = try TestFolder()
    let result = shell("lifetrace record --capture-output -o t -- yes | head -1", in: folder)
    #expect(result.output.contains("y\n"))
    #expect(shell("lifetrace verify t", in: folder).status == 0)
  }
}
