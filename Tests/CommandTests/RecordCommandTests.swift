// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// `lifetrace record` as users call it; each test keeps its sessions in a folder of its own.
@Suite(.waits) struct RecordCommandTests {
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
    let result = shell(line, in: try TestFolder())
    #expect(result.status == code, "\(result.output)")
    #expect(!result.output.isEmpty)
  }

  @Test(arguments: [("-- no-such-command", Int32(127)), ("", 64)])
  func aScenarioThatNothingStartsLeavesNoFile(command: String, code: Int32) throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps:\n  - launch\n", to: "app.yml")
    let result = shell("lifetrace record --scenario app.yml \(command)", in: folder)
    #expect(result.status == code, "\(result.output)")
    #expect(shell("ls", in: folder).output == "app.yml\n")
  }

  @Test func aCommandThatNoAppOfTheScenarioNeedsIsRefused() throws {
    let folder = try TestFolder()
    try folder.write("apps: {notes: \"true\"}\nsteps:\n  - wait: 1ms\n", to: "life.yml")
    let result = shell("lifetrace record -o t --scenario life.yml -- $notes --fixed", in: folder)
    #expect(result.status == 64, "\(result.output)")
    for part in ["would not start", "notes --fixed`", "behind `--`", "apps: [notes]"] {
      #expect(result.output.contains(part), "\(result.output)")
    }
    #expect(shell("ls", in: folder).output == "life.yml\n")
    #expect(shell("lifetrace record -o t --scenario life.yml", in: folder).status == 0)
  }

  @Test func allThatIsWrongInAScenarioIsToldAtOnce() throws {
    let folder = try TestFolder()
    try folder.write("app: notes\nsteps:\n  - lunch\n  - hoem\n", to: "life.yml")
    let result = shell("lifetrace record --scenario life.yml -- true", in: folder)
    #expect(result.status == 64)
    for place in ["life.yml:3:", "life.yml:4:"] {
      #expect(result.output.contains(place), "\(result.output)")
    }
  }

  @Test func aStoryThatIsWrongIsAStory() throws {
    let folder = try TestFolder()
    let long = String(repeating: "x", count: 70_000)
    try folder.write("app a#1\n+1s a#1 main log text=\"\(long)\" level=info\n", to: "long.txt")
    let result = shell("lifetrace check long.txt", in: folder)
    #expect(result.status == 2)
    #expect(
      result.output
        == "lifetrace: long.txt: the story cannot be read: line 2, column 1: the line has "
        + "70,035 bytes, and a line of a story has at most 65,536 bytes\n"
    )
  }

  @Test func aFileIsReplacedOnlyWhenAsked() throws {
    let folder = try TestFolder()
    #expect(shell("lifetrace record -o t -- $emitter numbers 10", in: folder).status == 0)
    let refused = shell("cp t kept; lifetrace record -o t -- true", in: folder)
    #expect(refused.status == 125)
    #expect(refused.output.contains("--force"), "\(refused.output)")
    #expect(shell("cmp t kept", in: folder).status == 0)
    #expect(shell("lifetrace record -f -o t -- $emitter numbers 20", in: folder).status == 0)
    #expect(shell("lifetrace info t", in: folder).output.contains("22 events"))
  }

  @Test func aFileIsNotLostToACommandThatCannotStart() throws {
    let result = shell(
      """
      lifetrace record -o t -- $emitter numbers 10; cp t kept
      printf '#!/no/such/shell\\n' >bad; chmod +x bad
      lifetrace record -f -o t -- ./bad; echo "code $?"
      cmp t kept && echo same
      ls | grep before || echo clean
      lifetrace record -o new -- ./bad; ls new
      """,
      in: try TestFolder()
    )
    for line in ["code 127", "same", "clean", "'new'"] {
      #expect(result.output.contains(line), "\(result.output)")
    }
  }

  @Test func aFileInUseIsNotTaken() throws {
    let result = shell(
      """
      "$lt" record -o t -- sh -c 'touch runs; while [ ! -e go ]; do sleep 0.02; done' &
      first=$!
      until_there runs
      lifetrace record -f -o t -- true; echo "second $?"
      touch go; wait $first; echo "first $?"
      lifetrace verify t; echo "verify $?"
      """,
      in: try TestFolder()
    )
    for line in ["second 125", "first 0", "verify 0"] {
      #expect(result.output.contains(line), "\(result.output)")
    }
  }

  @Test func signalsReachTheCommand() throws {
    let result = shell(
      """
      "$lt" record -o t -- \
        sh -c 'trap "exit 9" TERM; touch runs; while :; do sleep 0.02; done' &
      until_there runs
      kill -TERM $!; wait $!; echo "code $?"
      lifetrace verify t; echo "verify $?"
      """,
      in: try TestFolder()
    )
    #expect(result.output.contains("code 9"), "\(result.output)")
    #expect(result.output.contains("verify 0"), "\(result.output)")
  }

  @Test(arguments: [("INT", Int32(130)), ("TERM", 143), ("HUP", 129)])
  func aScenarioThatIsInterruptedLosesNobodysData(signal: String, code: Int32) throws {
    let folder = try TestFolder()
    try folder.write(
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
    let result = shell(
      """
      "$lt" record --scenario life.yml -o t -- $notes & pid=$!
      until "$lt" dump t 2>/dev/null | grep -q there; do sleep 0.05; done
      kill -\(signal) $pid; wait $pid; echo "code $?"
      "$lt" check t; echo "check $?"
      "$lt" dump t --where log
      "$lt" dump t --where data | grep -c dirty
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
    let folder = try TestFolder()
    #expect(shell("lifetrace record -o open -- $emitter strings 20", in: folder).status == 0)
    #expect(shell("zstd -dcq <open | grep -c xxxxxxxx", in: folder).status == 0)
    let line = "lifetrace record -o t --redact '/x{8,}/' -- $emitter strings 20"
    #expect(shell(line, in: folder).status == 0)
    #expect(shell("zstd -dcq <t | grep -c xxxxxxxx", in: folder).status == 1)
    #expect(shell("lifetrace info t", in: folder).output.contains("22 events"))
    #expect(shell("lifetrace record -o u --redact '/(/' -- true", in: folder).status == 64)
  }

  @Test func blockingAndSyncLoseNothing() throws {
    let result = shell(
      "lifetrace record --sync --on-full block:5000 -o t -- $emitter numbers 300000",
      in: try TestFolder()
    )
    #expect(result.status == 0)
    #expect(result.output.contains("300,002 events, none lost"), "\(result.output)")
  }

  @Test func aSizeIsKept() throws {
    let folder = try TestFolder()
    let most = shell(
      "lifetrace record --max-size 64KiB -o t -- $emitter numbers 2000000",
      in: folder
    )
    #expect(most.output.contains("lost"), "\(most.output)")
    let edits = shell(
      "lifetrace record --max-size 16KiB -o v -- $emitter progress p 2 200000 0",
      in: folder
    )
    // Had it been saved, that could be among what is lost.
    #expect(edits.output.contains("unsaved data may be lost"), "\(edits.output)")
    #expect(shell("lifetrace verify t && [ $(stat -c %s t) -le 65536 ]", in: folder).status == 0)
    let last = shell(
      "lifetrace record --last 16KiB --on-full block:60000 -o u -- $emitter numbers 300000",
      in: folder
    )
    #expect(last.status == 0)
    let pattern = /([0-9,]+) events, none lost, ([0-9,]+) events let go/
    let said = try #require(last.output.firstMatch(of: pattern), "\(last.output)")
    func number(_ text: Substring) -> Int { Int(text.filter { $0 != "," }) ?? 0 }
    // With the start and the exit.
    #expect(number(said.1) + number(said.2) == 300_002)
    #expect(shell("lifetrace verify u && [ $(stat -c %s u) -le 32768 ]", in: folder).status == 0)
    for command in ["info", "verify", "check"] {
      let told = shell("lifetrace \(command) u", in: folder).output
      #expect(told.contains("\(said.2) events let go (--last or cut)"), "\(command): \(told)")
    }
    // The newest are there: the process's end is.
    #expect(shell("lifetrace dump u | tail -1", in: folder).output.contains("process.exit"))
  }

  @Test(arguments: [
    ("--max-size banana", "64MiB or 500kB"), ("--on-full maybe", "block:100"),
    ("--last long", "30s or 5m"),
  ])
  func aWrongValueIsAnsweredByRightOnes(option: String, example: String) throws {
    let result = shell("lifetrace record \(option) -o t -- true", in: try TestFolder())
    #expect(result.status == 64)
    #expect(result.output.contains(example), "\(result.output)")
  }

  @Test(arguments: ["", "dd if=/dev/null oflag=nonblock 2>/dev/null;"])
  func aSlowReaderGetsAllThatTheCommandPrints(makesItsPipeNotBlock: String) throws {
    let folder = try TestFolder()
    let result = shell(
      """
      { \(makesItsPipeNotBlock) "$lt" record --capture-output -o t -- seq 1 100000; } |
        { sleep 1; wc -l; }
      lifetrace dump --all --where log t | grep -c text
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

  @Test(arguments: ["", "--last 1GiB"])
  func whatAKilledRecorderHasLeftIsNamed(option: String) throws {
    let result = shell(
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
      in: try TestFolder()
    )
    let parts = result.output.split(separator: "== ").dropFirst()
    #expect(parts.count == 3)
    for part in parts {
      #expect(
        part.contains("its recorder was killed or found no room; bring in what it left with"),
        "\(result.output)"
      )
    }
    let end = result.output.split(separator: "12 events").last ?? ""
    #expect(end.contains("ended well") && !end.contains("killed"), "\(result.output)")
  }

  @Test func aSignalEndsOneRecoveryAndNotTheNext() throws {
    let result = shell(
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
      in: try TestFolder()
    )
    #expect(result.output.contains("recovered 0\n1\n"), "\(result.output)")
  }

  @Test func aFullDiskLosesNothing() throws {
    // A file system of a few pages, in a mount namespace of its own.
    let result = shell(
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
      in: try TestFolder()
    )
    if result.output.contains("unprivileged"), !Needs.isContinuousIntegration {
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
    let folder = try TestFolder()
    let line = """
      lifetrace record -o outer -- \(TerminalSession.quoted(BuiltBinary.path)) \
        record -o inner -- $emitter numbers 10
      """
    #expect(shell(line, in: folder).status == 0)
    #expect(shell("lifetrace info inner", in: folder).output.contains("12 events of 1 process"))
    #expect(shell("lifetrace info outer", in: folder).output.contains("Emitter numbers 10  pid "))
  }

  @Test func checkedAtOnce() throws {
    let folder = try TestFolder()
    let scenario = TerminalSession.quoted(Golden.root + "/Sources/Examples/Notes/lost-edit.yml")
    let broken = shell(
      "mkdir a; lifetrace record --check --scenario \(scenario) -o t -- $notes --directory a",
      in: folder
    )
    #expect(broken.status == 1)
    #expect(broken.output.contains("DS02 error"), "\(broken.output)")
    let fixed = shell(
      "mkdir b; lifetrace record --check --scenario \(scenario) -o u -- $notes --fixed --directory b",
      in: folder
    )
    #expect(fixed.status == 0, "\(fixed.output)")
  }
}
