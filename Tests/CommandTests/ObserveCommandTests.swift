// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// `lifetrace record --observe` with programs that nobody has built for it.
@Suite(.waits) struct ObserveCommandTests {
  private func folder(data: String = "data: [\"*.sqlite\", \"*.txt\"]\n") throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(data, to: "lifetrace.yml")
    return folder
  }

  /// The data events of the recording `t`, a line each: kind, object, level.
  private static let events = """
    lifetrace dump t --where data | sed -n 's/.* \\(data.[a-z]*\\) \\([^ ]*\\) .*level=\\([a-z]*\\).*/\\1 \\2 \\3/p'
    """

  @Test func aDatabaseHasALedgerThoughNobodyTellsOfIt() throws {
    let folder = try folder()
    try folder.write(
      """
      import sqlite3
      db = sqlite3.connect('notes.sqlite')
      db.execute('create table t(a)')
      for n in range(3):
        db.execute('insert into t values(?)', (n,))
        db.commit()
      db.execute('pragma journal_mode=wal')
      db.execute('insert into t values(9)')
      db.commit()
      db.close()
      """,
      to: "edit.py"
    )
    let made = shell("lifetrace record --observe -o t -- python3 edit.py", in: folder)
    #expect(made.status == 0, "\(made.output)")
    let told = shell(Self.events, in: folder).output.split(separator: "\n")
    let levels = told.map { $0.split(separator: " ").last ?? "" }
    #expect(Set(told.compactMap { $0.split(separator: " ").dropFirst().first }) == ["notes.sqlite"])
    // Whatever the journal is, each transaction ends on the disk.
    #expect(levels.filter { $0 == "disk" }.count >= 4, "\(told)")
    #expect(levels.last == "disk", "\(told)")
    // It goes by the name of its script, not by that of the interpreter.
    let names = shell("lifetrace dump t --where data", in: folder).output
    #expect(names.contains("edit.py#1"), "\(names)")
    #expect(!names.contains("python3#1"), "\(names)")
    let check = shell("lifetrace check t", in: folder)
    #expect(check.status == 0, "\(check.output)")
  }

  /// A file that had versions and is not there: nothing that is observed has removed it.
  @Test func aFileThatIsGoneIsToldAndIsAQuestion() throws {
    let folder = try folder()
    try folder.write(
      """
      import sys
      try: open('notes.txt').read()
      except FileNotFoundError: pass
      if sys.argv[1:]: open('notes.txt', 'w').write('one')
      """,
      to: "edit.py"
    )
    let lives = "python3 edit.py new; env -u LD_PRELOAD rm notes.txt; python3 edit.py"
    let made = shell("lifetrace record --observe -o t -- sh -c '\(lives); true'", in: folder)
    #expect(made.status == 0, "\(made.output)")
    let told = shell("lifetrace dump t --where data", in: folder).output
    #expect(told.contains("site=gone"), "\(told)")
    let check = shell("lifetrace check t", in: folder)
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output.contains("what removed it may not have been observed"), "\(check.output)")
  }

  /// What is in the log of a database leaves its file as it was: that says nothing of versions.
  @Test func aKillBetweenCheckpointsTakesNothingFromADatabase() throws {
    let folder = try folder()
    try folder.write(
      """
      import os, sqlite3, sys
      db = sqlite3.connect('notes.sqlite')
      db.execute('pragma journal_mode=wal')
      db.execute('create table if not exists t(a)')
      db.commit()
      print(db.execute('select count(*) from t').fetchone()[0], flush=True)
      for n in range(3):
        db.execute('insert into t values(?)', (n,))
        db.commit()
      if sys.argv[1:] == ['kill']: os.kill(os.getpid(), 9)
      db.close()
      """,
      to: "edit.py"
    )
    let lives = "python3 edit.py kill; python3 edit.py; python3 edit.py kill; python3 edit.py"
    let made = shell("lifetrace record --observe -o t -- sh -c '\(lives); true' 2>&1", in: folder)
    let counts = made.output.split(separator: "\n").filter { $0.allSatisfy(\.isNumber) }
    #expect(counts == ["0", "3", "6", "9"], "\(made.output)")
    let check = shell("lifetrace check t", in: folder)
    #expect(check.status == 0, "\(check.output)")
    #expect(!check.output.contains("DS07"), "\(check.output)")
    #expect(!check.output.contains("No data object was declared:"), "\(check.output)")
  }

  /// The objects that writes to four places have in the recording, and what is said at its end.
  private func objects(data: String) throws -> (names: Set<String>, said: String) {
    let (here, there) = (try folder(data: data), try TestFolder())
    let made = shell(
      """
      export HOME=\(there.path)/home; mkdir -p $HOME/.local/share/shop in/drafts; ln -s $HOME link
      cat >write.sh <<'END'
      echo a >list.json; echo a >in/drafts/list.json; echo a >$HOME/.local/share/shop/list.json
      echo b >$HOME/tmp; mv $HOME/tmp $HOME/moved.json
      END
      lifetrace record --observe -o t -- sh write.sh
      """,
      in: here
    )
    #expect(made.status == 0, "\(made.output)")
    let told = shell(Self.events, in: here).output.split(separator: "\n")
    let names = told.compactMap { $0.split(separator: " ").dropFirst().first }
    return (Set(names.map { String($0).replacing(there.path, with: "THERE") }), made.output)
  }

  @Test(arguments: [
    ("list.json", ["list.json", "in/drafts/list.json", "THERE/home/.local/share/shop/list.json"]),
    ("**/shop/*.json", ["THERE/home/.local/share/shop/list.json"]),
    ("~/.local/**/*.json", ["THERE/home/.local/share/shop/list.json"]),
    ("~/*.json", ["THERE/home/moved.json"]),
    ("in/**", ["in/drafts/list.json"]),
  ])
  func dataIsFoundWhereItsGlobSays(glob: String, names: [String]) throws {
    let found = try objects(data: "data: [\"\(glob)\"]\n")
    #expect(found.names == Set(names), "\(found)")
    #expect(!found.said.contains("no file matched"), "\(found)")
  }

  @Test func aGlobFindsAFileThroughALink() throws {
    let folder = try folder(data: "")
    let made = shell(
      """
      mkdir real; ln -s real link; echo "data: [\\"$PWD/link/*.json\\"]" >lifetrace.yml
      lifetrace record --observe -o t -- sh -c 'cd -P link; echo a >list.json'
      """,
      in: folder
    )
    #expect(made.status == 0, "\(made.output)")
    #expect(!made.output.contains("no file matched"), "\(made.output)")
    #expect(shell(Self.events, in: folder).output.contains("real/list.json"))
  }

  /// Of an interpreter from elsewhere it is not its line that is to be looked at.
  @Test func aLineIsNamedWhereItsSourceIsThere() throws {
    let (here, there) = (try folder(), try TestFolder())
    try there.write(
      "#include <stdio.h>\nint main(void) {\n  FILE *f = fopen(\"a.txt\", \"w\");\n  fputs(\"a\", f);\n"
        + "  return fclose(f);\n}\n",
      to: "app.c"
    )
    let play = "lifetrace record --observe -f -o t -- ./app; lifetrace dump t --where data"
    let made = shell("cc -g -gz=none \(there.path)/app.c -o app && \(play)", in: here)
    #expect(made.output.contains("@\(there.path)/app.c:5"), "\(made.output)")
    let moved = shell("rm \(there.path)/app.c; \(play)", in: here)
    #expect(moved.output.contains("@\"app (main, line 5 of app.c)\""), "\(moved.output)")
    #expect(!moved.output.contains(there.path), "\(moved.output)")
  }

  @Test func globsThatMatchNothingAreNamedOnce() throws {
    let found = try objects(data: "data: [\"*.json\", \"*.jsn\", drafts/*.json, /list.json]\n")
    let missing =
      "no file matched `*.jsn`, `drafts/*.json`, `/list.json` of `data` in lifetrace.yml"
    #expect(found.said.split(separator: "no file matched").count == 2, "\(found)")
    #expect(found.said.contains(missing), "\(found)")
  }

  @Test func aGlobFindsWhatTheAppSavesThroughTheSDK() throws {
    let folder = try folder(data: "data: [draft.txt, other.txt]\n")
    try folder.write("app: wired\nsteps: [launch, {tell: {save: one}}, home]\n", to: "life.yml")
    let made = shell(
      "lifetrace record --observe --scenario life.yml -o t -- \"${lt%/*}/WireApp\"",
      in: folder
    )
    #expect(made.output.contains("no file matched `other.txt` of"), "\(made.output)")
  }

  @Test func withoutDataItIsSaidHowToNameIt() throws {
    let folder = try folder(data: "profile: ios13\n")
    let made = shell("lifetrace record --observe -o t -- true", in: folder)
    #expect(made.status == 0)
    #expect(made.output.contains("data: [\"*.json\", \"*.sqlite\"]"), "\(made.output)")
  }

  @Test func programsDoWhatTheyDidWithout() throws {
    let folder = try folder()
    let program = """
      set -e; exec 3>log; echo one >&3; exec 3>&-
      rm -rf r; git init -q r; cd r; git config user.email a@b; git config user.name n
      echo hi > a.txt; git add a.txt; git commit -q -m one; git log --format=%s; cd ..
      python3 -c 'import subprocess, os, tempfile, shutil
      print(subprocess.run(["sh", "-c", "exit 3"]).returncode)
      with tempfile.NamedTemporaryFile("w", suffix=".txt", dir=".", delete=False) as f: f.write("x")
      os.replace(f.name, "b.txt"); shutil.copy("b.txt", "c.txt"); print(open("c.txt").read())'
      cat log; bash -c 'echo two > d.txt; cat < d.txt; (exit 7)' || echo $?
      exit 5
      """
    try folder.write(program, to: "program.sh")
    let plain = shell("sh program.sh", in: folder)
    let observed = shell("lifetrace record --observe -o t -- sh program.sh", in: folder)
    #expect(plain.status == 5)
    #expect(observed.status == 5)
    #expect(observed.output.hasPrefix(plain.output), "\(observed.output)")
    let told = shell(Self.events, in: folder).output
    for object in ["b.txt", "c.txt", "d.txt", "r/a.txt"] {
      #expect(told.contains("data.durable \(object) kernel"), "\(told)")
    }
    #expect(shell("lifetrace check t", in: folder).status == 0)
  }

  @Test func nothingStandsBeforeAProgramUnlessAsked() throws {
    let folder = try folder()
    let show = "sh -c 'echo \"[$LD_PRELOAD] [$LIFETRACE_OBSERVE]\"' 2>/dev/null"
    #expect(shell("lifetrace record -o t -- \(show)", in: folder).output.hasPrefix("[] []\n"))
    let asked = shell(
      "LD_PRELOAD=libm.so.6 lifetrace record --observe -o u -- sh -c 'echo $LD_PRELOAD'",
      in: folder
    )
    #expect(asked.output.contains("libLifetraceObserve.so:libm.so.6\n"), "\(asked.output)")
  }

  @Test func whereTheLibraryIsMissingItIsToldWhatWouldDo() throws {
    let folder = try folder()
    let result = shell(
      "cp $lt ./lifetrace-alone; ./lifetrace-alone record --observe -- true",
      in: folder
    )
    #expect(result.status == 125)
    for part in ["libLifetraceObserve.so", "swift build --product LifetraceObserve"] {
      #expect(result.output.contains(part), "\(result.output)")
    }
    #expect(!folder.names.contains { $0.hasSuffix(".lifetrace") })
  }

  @Test func theLibraryBringsNothingAlong() throws {
    let library = "\"${lt%/lifetrace}/libLifetraceObserve.so\""
    // No Swift runtime, and nothing by which it could take the place of an SDK in the program.
    let needs = shell("objdump -p \(library) | grep NEEDED | grep -v 'libc.so\\|ld-linux' | wc -l")
    #expect(needs.output == "0\n")
    #expect(shell("nm -D --defined-only \(library) | grep -c ' [A-Z] l[to]_'").output == "0\n")
  }
}
