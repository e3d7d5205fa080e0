// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

/// `lifetrace record` as users call it; each test keeps its sessions in a folder of its own.
@Suite struct RecordCommandTests {
  /// Runs lines of shell in `folder`, where `lifetrace`, `emitter` and `notes` are the built ones.
  private func run(_ lines: String, in folder: TemporaryFolder) -> (status: Int32, output: String) {
    let products = String(BuiltBinary.path.dropLast("/lifetrace".count))
    let script = """
      cd \(folder.path) || exit 99
      export XDG_RUNTIME_DIR=\(folder.path) TMPDIR=\(folder.path)
      lt=\(TerminalSession.quoted(BuiltBinary.path))
      lifetrace() { \(TerminalSession.quoted(BuiltBinary.path)) "$@"; }
      emitter=\(TerminalSession.quoted(products + "/Emitter"))
      notes=\(TerminalSession.quoted(products + "/notes"))
      until_there() { while [ ! -e "$1" ]; do sleep 0.02; done; }
      \(lines)
      """
    return TerminalSession.shell("exec 2>&1; " + script)
  }

  @Test(arguments: [
    ("lifetrace record -o t -- sh -c 'exit 3'", Int32(3)),
    ("lifetrace record -o t -- sh -c 'kill -9 $$'", 137),
    ("lifetrace record -o t -- no-such-command", 127),
    ("touch plain; lifetrace record -o t -- ./plain", 126),
    ("lifetrace record -o /no/such/folder/t -- true", 125),
    ("lifetrace record -o t", 64),
    ("lifetrace record -o t --on-full sometimes -- true", 64),
  ])
  func theExitCodeIsTheChildsOrSaysWhatFailed(line: String, code: Int32) throws {
    let result = run(line, in: try TemporaryFolder())
    #expect(result.status == code, "\(result.output)")
    #expect(!result.output.isEmpty)
  }

  @Test(arguments: [("-- no-such-command", Int32(127)), ("", 64)])
  func aScenarioThatNothingStartsLeavesNoFile(command: String, code: Int32) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("app: notes\nsteps:\n  - launch\n", to: "app.yml")
    let result = run("lifetrace record --scenario app.yml \(command)", in: folder)
    #expect(result.status == code, "\(result.output)")
    #expect(run("ls", in: folder).output == "app.yml\n")
  }

  @Test func aCommandThatNoAppOfTheScenarioNeedsIsRefused() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("apps: {notes: \"true\"}\nsteps:\n  - wait: 1ms\n", to: "life.yml")
    let result = run("lifetrace record -o t --scenario life.yml -- $notes --fixed", in: folder)
    #expect(result.status == 64, "\(result.output)")
    for part in ["would not start", "notes --fixed`", "behind `--`", "apps: [notes]"] {
      #expect(result.output.contains(part), "\(result.output)")
    }
    #expect(run("ls", in: folder).output == "life.yml\n")
    #expect(run("lifetrace record -o t --scenario life.yml", in: folder).status == 0)
  }

  @Test func allThatIsWrongInAScenarioIsToldAtOnce() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("app: notes\nsteps:\n  - lunch\n  - hoem\n", to: "life.yml")
    let result = run("lifetrace record --scenario life.yml -- true", in: folder)
    #expect(result.status == 125)
    for place in ["life.yml:3:", "life.yml:4:"] {
      #expect(result.output.contains(place), "\(result.output)")
    }
  }

  @Test func checkingAScenarioSaysWhatWillBePlayed() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write("app: notes\nsteps:\n  - launch\n", to: "one.yml")
    _ = try folder.write("app: notes\nsteps: []\n", to: "none.yml")
    let result = run("lifetrace scenario check one.yml none.yml", in: folder)
    #expect(result.status == 0)
    let said = """
      one.yml: 1 step for notes, profile ios13
      none.yml: 0 steps for notes, profile ios13: nothing will be played

      """
    #expect(result.output == said)
  }

  @Test func aFileIsReplacedOnlyWhenAsked() throws {
    let folder = try TemporaryFolder()
    #expect(run("lifetrace record -o t -- $emitter numbers 10", in: folder).status == 0)
    let refused = run("cp t kept; lifetrace record -o t -- true", in: folder)
    #expect(refused.status == 125)
    #expect(refused.output.contains("--force"), "\(refused.output)")
    #expect(run("cmp t kept", in: folder).status == 0)
    #expect(run("lifetrace record -f -o t -- $emitter numbers 20", in: folder).status == 0)
    #expect(run("lifetrace info t", in: folder).output.contains("22 events"))
  }

  @Test func aFileIsNotLostToACommandThatCannotStart() throws {
    let result = run(
      """
      lifetrace record -o t -- $emitter numbers 10; cp t kept
      printf '#!/no/such/shell\\n' >bad; chmod +x bad
      lifetrace record -f -o t -- ./bad; echo "code $?"
      cmp t kept && echo same
      ls | grep before || echo clean
      lifetrace record -o new -- ./bad; ls new
      """,
      in: try TemporaryFolder()
    )
    for line in ["code 127", "same", "clean", "'new'"] {
      #expect(result.output.contains(line), "\(result.output)")
    }
  }

  @Test func aFileInUseIsNotTaken() throws {
    let result = run(
      """
      "$lt" record -o t -- sh -c 'touch runs; while [ ! -e go ]; do sleep 0.02; done' &
      first=$!
      until_there runs
      lifetrace record -f -o t -- true; echo "second $?"
      touch go; wait $first; echo "first $?"
      lifetrace verify t; echo "verify $?"
      """,
      in: try TemporaryFolder()
    )
    for line in ["second 125", "first 0", "verify 0"] {
      #expect(result.output.contains(line), "\(result.output)")
    }
  }

  @Test func signalsReachTheCommand() throws {
    let result = run(
      """
      "$lt" record -o t -- \
        sh -c 'trap "exit 9" TERM; touch runs; while :; do sleep 0.02; done' &
      until_there runs
      kill -TERM $!; wait $!; echo "code $?"
      lifetrace verify t; echo "verify $?"
      """,
      in: try TemporaryFolder()
    )
    #expect(result.output.contains("code 9"), "\(result.output)")
    #expect(result.output.contains("verify 0"), "\(result.output)")
  }

  @Test(arguments: [("INT", Int32(130)), ("TERM", 143), ("HUP", 129)])
  func aScenarioThatIsInterruptedLosesNobodysData(signal: String, code: Int32) throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(
      """
      app: notes
      # The app's own save comes two minutes later.
      time-scale: 60
      steps:
        - launch
        - tell: {edit: "Dear diary"}
        - mark: there
        - wait: 10min
      """,
      to: "life.yml"
    )
    let result = run(
      """
      "$lt" record --scenario life.yml -o t -- $notes & pid=$!
      until "$lt" dump t 2>/dev/null | grep -q there; do sleep 0.05; done
      kill -\(signal) $pid; wait $pid; echo "code $?"
      "$lt" check t; echo "check $?"
      "$lt" dump t --kind log
      "$lt" dump t --kind data | grep -c dirty
      """,
      in: folder
    )
    #expect(result.output.contains("code \(code)\n"), "\(result.output)")
    #expect(result.output.contains("check 0\n"), "\(result.output)")
    #expect(result.output.hasSuffix("\n1\n"), "there was something to lose: \(result.output)")
    #expect(!result.output.contains("unsaved data lost"), "\(result.output)")
    #expect(result.output.contains("(SIG\(signal))"), "\(result.output)")
  }

  @Test func whatIsRedactedIsNowhereInTheFile() throws {
    let folder = try TemporaryFolder()
    #expect(run("lifetrace record -o open -- $emitter strings 20", in: folder).status == 0)
    #expect(run("zstd -dcq <open | grep -c xxxxxxxx", in: folder).status == 0)
    let line = "lifetrace record -o t --redact '/x{8,}/' -- $emitter strings 20"
    #expect(run(line, in: folder).status == 0)
    #expect(run("zstd -dcq <t | grep -c xxxxxxxx", in: folder).status == 1)
    #expect(run("lifetrace info t", in: folder).output.contains("22 events"))
    #expect(run("lifetrace record -o u --redact '/(/' -- true", in: folder).status == 64)
  }

  @Test func blockingAndSyncLoseNothing() throws {
    let result = run(
      "lifetrace record --sync --on-full block:5000 -o t -- $emitter numbers 300000",
      in: try TemporaryFolder()
    )
    #expect(result.status == 0)
    #expect(result.output.contains("300,002 events, none lost"), "\(result.output)")
  }

  @Test func aSizeIsKept() throws {
    let folder = try TemporaryFolder()
    let most = run("lifetrace record --max-size 64KiB -o t -- $emitter numbers 2000000", in: folder)
    #expect(most.output.contains("lost"), "\(most.output)")
    let edits = run(
      "lifetrace record --max-size 16KiB -o v -- $emitter progress p 2 200000 0",
      in: folder
    )
    // Had it been saved, that could be among what is lost.
    #expect(edits.output.contains("unsaved data may be lost"), "\(edits.output)")
    #expect(run("lifetrace verify t && [ $(stat -c %s t) -le 65536 ]", in: folder).status == 0)
    let last = run(
      "lifetrace record --last 16KiB --on-full block:60000 -o u -- $emitter numbers 300000",
      in: folder
    )
    #expect(last.status == 0)
    let pattern = /([0-9,]+) events, none lost, ([0-9,]+) events before were let go/
    let said = try #require(last.output.firstMatch(of: pattern), "\(last.output)")
    func number(_ text: Substring) -> Int { Int(text.filter { $0 != "," }) ?? 0 }
    // With the start and the exit.
    #expect(number(said.1) + number(said.2) == 300_002)
    #expect(run("lifetrace verify u && [ $(stat -c %s u) -le 32768 ]", in: folder).status == 0)
    // The newest are there: the process's end is.
    #expect(run("lifetrace dump u | tail -1", in: folder).output.contains("process.exit"))
  }

  @Test func whatTheCommandPrintsIsPassedOnAndKept() throws {
    let folder = try TemporaryFolder()
    let result = run("lifetrace record --capture-output -o t -- echo a-word", in: folder)
    #expect(result.output.contains("a-word"))
    #expect(run("lifetrace dump --all --kind log t", in: folder).output.contains("a-word"))
    // What it prints before it joins and after it has emitted its last is its own all the same.
    let line =
      "lifetrace record --capture-output -o u -- sh -c 'echo first; exec $0 numbers 5' $emitter"
    #expect(run("(\(line)) | head -c 200 | wc -c", in: folder).status == 0)
    let dump = run("lifetrace dump --kind log u", in: folder).output
    #expect(dump.contains("Emitter#1 main log text=first"), "\(dump)")
  }

  @Test(arguments: [
    ("--max-size banana", "64MiB or 500kB"), ("--on-full maybe", "block:100"),
    ("--last long", "30s or 5m"),
  ])
  func aWrongValueIsAnsweredByRightOnes(option: String, example: String) throws {
    let result = run("lifetrace record \(option) -o t -- true", in: try TemporaryFolder())
    #expect(result.status == 64)
    #expect(result.output.contains(example), "\(result.output)")
  }

  @Test func aScenarioThatCannotBeReadIsAFailureOfOurs() throws {
    let result = run(
      "lifetrace record --scenario none.yml -- true; echo $?; ls",
      in: try TemporaryFolder()
    )
    #expect(result.output.hasSuffix("No such file or directory\n125\n"), "\(result.output)")
  }

  @Test(arguments: ["", "dd if=/dev/null oflag=nonblock 2>/dev/null;"])
  func aSlowReaderGetsAllThatTheCommandPrints(makesItsPipeNotBlock: String) throws {
    let folder = try TemporaryFolder()
    let result = run(
      """
      { \(makesItsPipeNotBlock) "$lt" record --capture-output -o t -- seq 1 100000; } |
        { sleep 1; wc -l; }
      lifetrace dump --all --kind log t | grep -c text
      { \(makesItsPipeNotBlock) "$lt" dump --all t; echo "dumped $?" >&2; } | { sleep 1; grep -c text; }
      """,
      in: folder
    )
    #expect(
      result.output.split(separator: "\n").filter { $0 == "100000" }.count == 3,
      "\(result.output)"
    )
    #expect(result.output.contains("dumped 0"), "\(result.output)")
  }

  @Test func aProcessThatPrintsOnAndOnDoesNotKeepTheRecording() throws {
    let result = run(
      "\"$lt\" record --capture-output -o t -- sh -c 'while :; do echo on; done & exit 3' >/dev/null; echo \"code $?\"",
      in: try TemporaryFolder()
    )
    #expect(result.output.contains("code 3\n"), "\(result.output)")
  }

  @Test func whatCannotBePassedOnIsToldOnce() throws {
    let result = run(
      "lifetrace record --capture-output -o t -- sh -c 'echo one; sleep 0.2; echo two' >/dev/full; echo $?",
      in: try TemporaryFolder()
    )
    #expect(
      result.output.matches(of: /cannot be passed on: No space left/).count == 1,
      "\(result.output)"
    )
  }

  @Test(arguments: ["", "--last 1GiB"])
  func whatAKilledRecorderHasLeftIsNamed(option: String) throws {
    let result = run(
      """
      "$lt" record \(option) -o t -- \
        sh -c '$0 numbers 10; touch runs; while [ ! -e go ]; do sleep 0.02; done' $emitter &
      first=$!
      until_there runs
      [ -n "\(option)" ] || until [ -s t ]; do sleep 0.02; done
      kill -9 $(cat /proc/$first/task/$first/children)
      touch go; wait $first
      for what in info verify check; do
        echo "== $what"; lifetrace $what t
      done
      lifetrace record --recover; lifetrace info t; echo "info $?"
      """,
      in: try TemporaryFolder()
    )
    let parts = result.output.split(separator: "== ").dropFirst()
    #expect(parts.count == 3)
    for part in parts {
      #expect(
        part.contains("its recorder was killed; bring in what it left with"),
        "\(result.output)"
      )
    }
    let end = result.output.split(separator: "12 events").last ?? ""
    #expect(end.contains("ended well") && !end.contains("killed"), "\(result.output)")
  }

  @Test func aSignalEndsOneRecoveryAndNotTheNext() throws {
    let result = run(
      """
      children() { cat /proc/$1/task/$1/children; }
      for name in a b; do
        "$lt" record -o $name -- $emitter progress p-$name 1 0 1000 2>/dev/null & front=$!
        until_there p-$name
        until [ -n "$(children $front)" ]; do sleep 0.02; done
        recorder=$(children $front); kill -9 $recorder
        while [ "$(children $front)" = "$recorder" ]; do sleep 0.02; done
        apps="$apps $(children $front)"
      done
      said() { [ "$(grep -c 'recording until the end' said)" = $1 ]; }
      "$lt" record --recover 2>said & recovery=$!
      until said 1; do sleep 0.02; done
      kill -TERM $recovery
      until said 2; do sleep 0.02; done
      kill -9 $apps; wait $recovery; echo "recovered $?"
      grep -c 'no longer recorded' said; cat said
      """,
      in: try TemporaryFolder()
    )
    #expect(result.output.contains("recovered 0\n1\n"), "\(result.output)")
  }

  @Test func whatACommandPrintsIsNoApp() throws {
    let folder = try TemporaryFolder()
    let result = run("lifetrace record --check --capture-output -o t -- echo a-word", in: folder)
    #expect(result.output.contains("No app joined this recording"), "\(result.output)")
    #expect(!result.output.contains("0 errors"), "\(result.output)")
    #expect(run("lifetrace info t", in: folder).output.contains("device#1, harness"))
  }

  @Test func aCommandThatNobodyListensToEnds() throws {
    let folder = try TemporaryFolder()
    let result = run("lifetrace record --capture-output -o t -- yes | head -1", in: folder)
    #expect(result.output.contains("y\n"))
    #expect(run("lifetrace verify t", in: folder).status == 0)
  }

  @Test func aFullDiskLosesNothing() throws {
    // A file system of a few pages, in a mount namespace of its own.
    let result = run(
      """
      mkdir small
      export lt emitter
      unshare -m sh -c '
        mount -t tmpfs -o size=32k none small || exit 77
        $lt record -o small/t -- $emitter numbers 600000; echo "code $?"
        $lt info small/t >/dev/null; echo "opens $?"
        mount -o remount,size=64m small
        $lt record --recover "$PWD"/lifetrace-0-*; echo "recovered $?"
        $lt verify small/t; echo "verify $?"
      '; [ $? != 0 ] && echo unprivileged
      """,
      in: try TemporaryFolder()
    )
    if result.output.contains("unprivileged") {
      return print("a full disk: not tried, unprivileged")
    }
    for line in [
      "code 125", "No space left", "what is not in the file stays in",
      "make room, then: lifetrace record --recover", "opens 0", "recovered 0",
      "600,002 events, none lost", "verify 0",
    ] {
      #expect(result.output.contains(line), "\(line): \(result.output)")
    }
  }

  @Test func anInnerRecordingHasItsOwnProcesses() throws {
    let folder = try TemporaryFolder()
    let line = """
      lifetrace record -o outer -- \(TerminalSession.quoted(BuiltBinary.path)) \
        record -o inner -- $emitter numbers 10
      """
    #expect(run(line, in: folder).status == 0)
    #expect(run("lifetrace info inner", in: folder).output.contains("12 events of 1 process"))
    #expect(run("lifetrace info --all outer", in: folder).output.contains("Emitter#1, bystander"))
  }

  @Test func checkedAtOnce() throws {
    let folder = try TemporaryFolder()
    let scenario = TerminalSession.quoted(Golden.root + "/Sources/Examples/Notes/lost-edit.yml")
    let broken = run(
      "mkdir a; lifetrace record --check --scenario \(scenario) -o t -- $notes --directory a",
      in: folder
    )
    #expect(broken.status == 1)
    #expect(broken.output.contains("DS02 error"), "\(broken.output)")
    let fixed = run(
      "mkdir b; lifetrace record --check --scenario \(scenario) -o u -- $notes --fixed --directory b",
      in: folder
    )
    #expect(fixed.status == 0, "\(fixed.output)")
  }
}
