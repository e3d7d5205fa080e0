// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `Scripts/demo.sh`, the first thing that anybody runs.
@Suite(.waits) struct DemoTests {
  private static var products: String { String(BuiltBinary.path.dropLast("/lifetrace".count)) }

  private func demo(_ options: String, in folder: TestFolder) throws -> TerminalSession {
    try TerminalSession(
      "\(TerminalSession.quoted(Golden.root + "/Scripts/demo.sh")) \(options)",
      environment: [
        ("LIFETRACE_BIN", Self.products), ("TMPDIR", folder.path), ("HOME", folder.path),
        ("XDG_RUNTIME_DIR", folder.path), ("LIFETRACE_HISTFILE", folder.path + "/h"),
        ("TERM", "xterm"), ("LC_ALL", "C.UTF-8"), ("PAGER", "cat"),
      ],
      folder: folder.path,
      rows: 200
    )
  }

  @Test func inATerminalItRunsThrough() throws {
    let folder = try TestFolder()
    let screen = try demo("", in: folder).wait(for: "the end, unasked") {
      $0.contains("exit code ")
    }
    #expect(screen.contains("exit code 0"), "\(screen)")
    #expect(screen.contains("(replay) prev purge"), "\(screen)")
    #expect(screen.contains("The loss was found and explained, and the fix holds"), "\(screen)")
  }

  @Test func onRequestItEndsInTheDebugger() throws {
    let folder = try TestFolder()
    let terminal = try demo("--interactive", in: folder)
    let screen = try terminal.wait(for: "the prompt") {
      $0.contains("== The debugger") && TerminalSession.lastLine($0).contains("notes#1 suspended>")
    }
    #expect(screen.contains("The loss was found and explained, and the fix holds"), "\(screen)")
    try terminal.type("quit", "Enter")
    try terminal.wait(for: "the end") { $0.contains("exit code 0") }
  }

  @Test func itRunsTwiceInOneCloneAndLeavesItClean() throws {
    let folder = try TestFolder()
    let result = TerminalSession.shell(
      """
      exec 2>&1
      cd \(folder.path) && mkdir -p clone/Sources/Examples sessions && cd clone || exit 99
      root=\(TerminalSession.quoted(Golden.root))
      cp -r "$root/Scripts" "$root/.gitignore" . && cp -r "$root/Sources/Examples" Sources/
      git init -q . && git add -A
      git -c user.name=test -c user.email=test@example.org commit -qm clone || exit 98
      export LIFETRACE_BIN=\(TerminalSession.quoted(Self.products))
      export TMPDIR=\(folder.path)/sessions XDG_RUNTIME_DIR=\(folder.path)/sessions
      for time in first second; do
        Scripts/demo.sh > ../$time.txt 2>&1 < /dev/null || { cat ../$time.txt; exit 1; }
      done
      git status --porcelain --ignored
      ls ../sessions | sed 's/demo.*/demo/'
      grep -c 'The loss was found and explained, and the fix holds' ../first.txt ../second.txt
      """
    )
    #expect(result.status == 0, "\(result.output)")
    // The recordings stay; no session of a recorder does.
    let left = "lifetrace-demo\nlifetrace-demo\n"
    #expect(result.output == left + "../first.txt:1\n../second.txt:1\n", "\(result.output)")
  }

  /// A stranger has the program and nothing else: no sources, no other file, no right.
  @Test func theProgramAloneDoesIt() throws {
    let folder = try TestFolder()
    let result = shell(
      """
      cp "$lt" ./alone && cd / && cd - >/dev/null
      LD_LIBRARY_PATH=${lt%/lifetrace} ./alone demo -o here >said 2>&1 </dev/null || { cat said; exit 1; }
      ls here
      grep -o 'here/lost.html$' said
      grep -o '43 |     store.draft.dirty.*' said | tail -1
      # What it says to type at the end can be typed elsewhere.
      cd / && eval "$(tail -1 "$OLDPWD/said") --batch -e 'prev dirty'" | tail -1
      """,
      in: folder
    )
    #expect(result.status == 0, "\(result.output)")
    #expect(
      result.output == """
        Editor.swift
        fixed.lifetrace
        lost-edit.yml
        lost.html
        lost.lifetrace
        here/lost.html
        43 |     store.draft.dirty { text.utf8 }
            43 |     store.draft.dirty { text.utf8 }

        """,
      "\(result.output)"
    )
  }

  @Test func aFolderThatHoldsThingsIsNotTaken() throws {
    let folder = try TestFolder()
    let result = shell(
      "mkdir kept; echo mine >kept/file; lifetrace demo -o kept; ls kept",
      in: folder
    )
    #expect(
      result.output == "lifetrace: kept: exists, and is not an empty folder\nfile\n",
      "\(result.output)"
    )
  }
}
