// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `replay` where nobody types: scripts, pipes, exit codes, JSON.
@Suite(.waits) struct ReplayBatchTests {
  private func replay(_ arguments: String, input: String = "/dev/null") throws
    -> (status: Int32, output: String)
  {
    let folder = try TestFolder()
    let file = try folder.write(lostDraftStory, to: "lost.story")
    let script = try folder.write("goto end\n\n# a remark\nprev dirty\n", to: "script")
    try folder.write("goto 3\n\nstep x\n", to: "wrong")
    try folder.write("goto 3\nquit\nfrob\n", to: "input")
    let line =
      "cd \(folder.path) && HOME=\(folder.path) LIFETRACE_HISTFILE=\(folder.path)/h "
      + "\(TerminalSession.quoted(BuiltBinary.path)) replay \(arguments) lost.story < \(input)"
    _ = (file, script)
    return TerminalSession.shell(line)
  }

  @Test func scriptsAndCommandsRunInOrder() throws {
    let (status, output) = try replay("-q --batch -x script -e when")
    #expect(status == 0, "\(output)")
    #expect(output.contains("Event 6 of 10"), "\(output)")
    #expect(!output.contains("\u{1b}"))
  }

  @Test func whatTheInitFileSetsIsNoNews() throws {
    let folder = try TestFolder()
    _ = try folder.write(lostDraftStory, to: "lost.story")
    #expect(
      TerminalSession.shell(
        "cd \(folder.path) && mkdir lifetrace && printf 'set digits 2\nset nonsense 1\nwhen\n' "
          + "> lifetrace/replayrc"
      ).status == 0
    )
    let (_, output) = TerminalSession.shell(
      "cd \(folder.path) && XDG_CONFIG_HOME=\(folder.path) "
        + "\(TerminalSession.quoted(BuiltBinary.path)) replay -q --batch lost.story "
        + "-e 'show digits' -e 'set digits 4' 2>&1"
    )
    #expect(!output.contains("digits is 2."), "\(output)")
    #expect(output.contains("nonsense") && output.contains("Event 0 of 10"), "\(output)")
    #expect(output.contains("digits is 4."), "\(output)")
    #expect(output.contains("digits  2 "), "\(output)")
  }

  @Test func filesAndCommandsTakeTurns() throws {
    let (status, output) = try replay("-q --batch -e 'goto 3' -x script --execute=when -x script")
    #expect(status == 0, "\(output)")
    let answers = output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    let firsts = answers.map { $0.prefix { $0 != " " } }
    #expect(firsts == ["#3", "#10", "That", "#6", "Event", "#6", "#10", "That", "#6"], "\(output)")
  }

  @Test func standardInputIsBatch() throws {
    let (status, output) = try replay("-q", input: "input")
    #expect(status == 0, "\(output)")
    #expect(output.contains("#3"), "\(output)")
    #expect(!output.contains("frob"))
  }

  @Test func theFirstErrorEndsIt() throws {
    #expect(try replay("-q --batch -e frob -e 'goto 3'").status == 64)
    let (status, output) = try replay("-q --batch -e 'goto end' -e step -e 'goto 3'")
    #expect(status == 1)
    #expect(output.contains("This is the end of the recording."))
    #expect(!output.contains("#3"))
    #expect(try replay("--batch -x missing").status == 74)
    #expect(try replay("--profile ios99").status == 64)
  }

  /// What a batch expects decides its exit code: 1 for no, 2 for what losses leave open.
  @Test func anExpectationDecidesTheExitCode() throws {
    let holds = try replay("-q --batch -e 'goto 10' -e 'expect any data where unsaved > 1kB'")
    #expect(holds.status == 0, "\(holds.output)")
    let fails = try replay("-q --batch -e 'goto 10' -e 'expect all data where unsaved == 0'")
    #expect(fails.status == 1, "\(fails.output)")
    let folder = try TestFolder()
    let lossy = """
      app notes#1
      +0s notes#1 main process.start reason=icon app=notes
      +1s notes#1 main meta.loss family=data count=3
      +2s notes#1 main mark here

      """
    _ = try folder.write(lossy, to: "lossy.story")
    let open = TerminalSession.shell(
      "cd \(folder.path) && HOME=\(folder.path) \(TerminalSession.quoted(BuiltBinary.path)) replay -q "
        + "--batch -e 'goto end' -e 'expect all data where unsaved == 0' lossy.story 2>&1"
    )
    #expect(open.status == 2, "\(open.output)")
    #expect(open.output.contains("It cannot be decided at #3, events are missing"))
  }

  @Test func aWrongLineOfAScriptIsNamed() throws {
    for (arguments, said) in [
      ("-q --batch -e 'frob 3'", "lifetrace: replay: `frob 3`: There is no command frob."),
      ("-q --batch -e dirt -e stat -e 'finf x'", "lifetrace: replay: `finf x`: There is no"),
      ("-q --batch -x wrong", "lifetrace: replay: wrong:3: `step x`: x is not a count"),
      ("-q --batch -e run", "There is no command run. Try help, or apropos run.\n"),
    ] {
      let (status, output) = try replay(arguments)
      #expect(status == 64, "\(arguments): \(output)")
      #expect(output.contains(said), "\(arguments): \(output)")
    }
    let (status, output) = try replay("-q", input: "wrong")
    #expect(status == 64 && output.contains("line 3: `step x`: x is not a count"), "\(output)")
  }

  @Test func answersAreJSONLines() throws {
    let (status, output) = try replay("--json --batch -e 'goto 6' -e state -e dirty -e 'list 3'")
    #expect(status == 0)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 5)
    for line in lines { #expect(line.hasPrefix("{\"") && line.hasSuffix("}"), "\(line)") }
    #expect(lines[0].contains("\"command\":\"open\""))
    #expect(lines[3].contains("\"object\":\"draft.txt\""))
  }

  @Test func anEventIsOneJSONObjectInDumpAndReplay() throws {
    let folder = try TestFolder()
    let story =
      lostDraftStory + "+10s    notes#1 t3   kind.200 odd x=72 @Notes/Editor.swift:9\n"
    try folder.write(story, to: "lost.story")
    func run(_ arguments: String) -> String {
      let binary = TerminalSession.quoted(BuiltBinary.path)
      return TerminalSession.shell(
        "cd \(folder.path) && HOME=\(folder.path) \(binary) \(arguments) < /dev/null"
      ).output
    }
    _ = run("import story lost.story -o lost.lifetrace")
    let replay = "replay -q --json --batch lost.lifetrace"
    for (kind, event) in [("data.dirty", 4), ("kind.200", 11)] {
      let dumped = try #require(
        run("dump --json --where \(kind) lost.lifetrace").split(separator: "\n").first
      )
      #expect(dumped.contains("\"kind\":\"\(kind)\""), "\(dumped)")
      let members = dumped.dropFirst().dropLast()
      for command in ["goto \(event)", "next \(kind)"] {
        let said = run(
          "\(replay) -e '\(command)'".replacing("-e 'next", with: "-e 'goto start' -e 'next")
        )
        #expect(said.contains("{\"event\":\(event),\(members),\"text\":"), "\(said)\n\(dumped)")
      }
    }
  }

  @Test func aQuietAnswerInJSONIsTheAnswerAlone() throws {
    let (status, output) = try replay("-q --json --batch -e when")
    #expect(status == 0)
    #expect(output.split(separator: "\n").count == 1, "\(output)")
    #expect(output.hasPrefix("{\"command\":\"when\""), "\(output)")
  }

  @Test func anUnreadableFileIsSaid() throws {
    let result = TerminalSession.shell(
      "\(TerminalSession.quoted(BuiltBinary.path)) replay /nowhere/at.all --batch"
    )
    #expect(result.status == 2 || result.status == 74, "\(result)")
    #expect(result.output.contains("/nowhere/at.all"), "\(result.output)")
  }
}
