// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `info`, `verify`, `dump`, `repair` and `merge` as users call them, over the test vectors.
@Suite(.waits) struct FileCommandTests {
  private static let vectors = Golden.root + "/Traces/vectors"

  private func run(_ arguments: String) -> (status: Int32, output: String) {
    shell("lifetrace \(arguments)")
  }

  private func vector(_ name: String) -> String {
    TerminalSession.quoted("\(Self.vectors)/\(name).lifetrace")
  }

  @Test(arguments: [
    ("two-writers", Int32(0)), ("cat", 0), ("no-index", 2), ("torn", 2), ("damaged", 2),
  ])
  func verifyJudgesTheFile(name: String, status: Int32) {
    let result = run("verify \(vector(name))")
    #expect(result.status == status, "\(result.output)")
    #expect(result.output.contains("whole") == (status == 0), "\(result.output)")
    #expect(result.output.contains("lifetrace repair") == ["torn", "damaged"].contains(name))
  }

  @Test func anUnfinishedRecordingMayBeWell() {
    #expect(run("verify --allow-unfinished \(vector("no-index"))").status == 0)
    #expect(run("verify --allow-unfinished \(vector("torn"))").status == 2)
  }

  @Test func infoSaysWhatIsInIt() {
    let (status, output) = run("info \(vector("two-writers"))")
    #expect(status == 0)
    #expect(output.contains("18 events of 2 processes in 4 chunks"), "\(output)")
    #expect(output.contains("ended well"))
    let json = run("info --json \(vector("cat"))").output
    #expect(json.hasPrefix("{\"file\":"))
    #expect(json.contains("\"duplicates\":4") && json.contains("\"events\":18"), "\(json)")
    #expect(run("info \(vector("no-index"))").output.contains("no end"))
  }

  @Test func theDeviceIsNoProcess() throws {
    let folder = try TestFolder()
    let text = """
      app device#1 role=harness
      app notes#1 pid=7
      +0s device#1 main device unlock
      +1s notes#1 main process.start reason=icon app=notes

      """
    _ = try folder.write(text, to: "story")
    #expect(run("import story \(folder.path)/story -o \(folder.path)/trace").status == 0)
    let (_, output) = run("info \(folder.path)/trace")
    #expect(output.contains(": 2 events of 1 process and the device in 2 chunks"), "\(output)")
  }

  @Test func dumpPrintsOneLineAnEvent() {
    let lines = run("dump \(vector("two-writers"))").output.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("+") }.count == 18)
    #expect(lines.filter { $0.hasPrefix("app ") }.count == 2)
    let dirty = run("dump --json --where data.dirty \(vector("two-writers"))")
    #expect(dirty.status == 0)
    for line in dirty.output.split(separator: "\n") {
      #expect(line.contains("\"kind\":\"data.dirty\""))
    }
    // As at the prompt: without a unit, seconds.
    #expect(run("dump --from 0 --to 1h30min \(vector("two-writers"))").status == 0)
    let early = run("dump --to 1us \(vector("two-writers"))").output
    #expect(early.split(separator: "\n").filter { $0.hasPrefix("+") }.count < 18)
    #expect(run("dump --where nonsense \(vector("two-writers"))").status == 64)
    let wrong = run("dump --where 'dirty && bytes > 3s' \(vector("two-writers")) 2>&1")
    #expect(wrong.status == 64)
    #expect(wrong.output.contains("--where: bytes is a size; 3s is a length of time"))
    #expect(wrong.output.contains("  dirty && bytes > 3s\nlifetrace:                    ^~\n"))
    #expect(run("dump --from soon \(vector("two-writers"))").status == 64)
    #expect(run("dump \(vector("damaged"))").status == 2)
  }

  /// Two hosts whose clocks are a day apart.
  private static let twoHosts = """
    epoch 0s
    app notes#1 pid=12 clock=monotonic host=a realOffset=1700000000s
    app mail#1 pid=13 clock=monotonic host=b realOffset=1699913600s
    10s notes#1 main data.dirty draft.txt version=1 bytes=12
    86411s mail#1 main data.dirty inbox.db version=1 bytes=12
    12s notes#1 main data.dirty draft.txt version=2 bytes=12
    11.498s notes#1 main process.exit cause=signal code=9 evidence=simulated late
    86413.498s mail#1 main data.dirty inbox.db version=2 bytes=12

    """

  @Test func timesOfTwoHostsAreOnOneAxis() throws {
    let folder = try TestFolder()
    let story = try folder.write(Self.twoHosts, to: "story")
    let trace = TerminalSession.quoted(folder.path + "/trace")
    #expect(run("import story \(story) -o \(trace)").status == 0)
    let info = run("info \(trace)").output
    #expect(
      info.contains(
        "  spans 3.5 s on 2 clocks (monotonic), compared by real time, from "
          + "2023-11-14 22:13:30.000 UTC\n"
      ),
      "\(info)"
    )
    func writers(_ options: String) -> [String] {
      run("dump \(options) \(trace)").output.split(separator: "\n")
        .filter { $0.hasPrefix("+") }.map { String($0.split(separator: " ")[1]) }
    }
    #expect(writers("--to 1500ms") == ["notes#1", "mail#1", "notes#1"])
    #expect(writers("--from 1s --to 1s") == ["mail#1"])
    #expect(writers("--from 22:13:31 --to 22:13:31.999") == ["mail#1", "notes#1"])
    #expect(writers("--from 22:13:30 --to 22:13:30") == ["notes#1"])
    let json = run("dump --json --from 3s \(trace)").output
    #expect(json.contains("\"time\":86413498000000,\"sinceStart\":3498000000,"), "\(json)")
    #expect(json.split(separator: "\n").count == 1)
  }

  /// The moment of one event has one number, whoever tells it.
  @Test func aMomentIsCalledAlikeByDumpCheckAndReplay() throws {
    let folder = try TestFolder()
    let end = "86414s mail#1 main process.exit cause=signal code=9 evidence=simulated\n"
    let story = try folder.write(Self.twoHosts + end, to: "story")
    let trace = TerminalSession.quoted(folder.path + "/trace")
    #expect(run("import story \(story) -o \(trace)").status == 0)
    let dump = run("dump \(trace)").output
    let check = run("check \(trace)").output
    let replay = run("replay \(trace) -e 'goto mail#1:2'").output
    #expect(dump.contains("+4.000s mail#1 main process.exit "), "\(dump)")
    #expect(check.contains("DS02 error  mail#1  +4.000s\n"), "\(check)")
    #expect(check.contains("    +3.498s  mail#1:1  edit\n"), "\(check)")
    #expect(replay.contains("+4.000000 s  mail#1:2 "), "\(replay)")
    let json = run("check --format jsonl \(trace)").output
    #expect(json.contains("\"time\":86414000000000,\"sinceStart\":4000000000,"), "\(json)")
    #expect(json.contains("\"time\":86413498000000,\"sinceStart\":3498000000,"), "\(json)")
    // What dump prints is the same recording again: each clock is still that of its host.
    let copy = try folder.write(dump, to: "copy")
    let again = TerminalSession.quoted(folder.path + "/again")
    #expect(run("import story \(copy) -o \(again)").status == 0)
    #expect(run("dump \(again)").output == dump)
    #expect(run("dump --json \(again)").output == run("dump --json \(trace)").output)
  }

  /// What stands for a damaged chunk is passed over; a mark of loss is an event like others.
  @Test func aMarkOfLossIsDumpedBesideDamage() throws {
    let folder = try TestFolder()
    let story = try folder.write(
      """
      app mail#1
      +1s mail#1 main meta.loss family=unknown count=3 inferred by=inferred
      +2s mail#1 main touch

      """,
      to: "story"
    )
    let (mark, both) = (folder.path + "/mark", TerminalSession.quoted(folder.path + "/both"))
    #expect(run("import story \(story) -o \(TerminalSession.quoted(mark))").status == 0)
    let cat = "cat \(vector("damaged")) \(TerminalSession.quoted(mark)) > \(both)"
    #expect(TerminalSession.shell(cat).status == 0)
    let dump = run("dump \(both)")
    #expect(dump.status == 2)
    let losses = dump.output.split(separator: "\n").filter { $0.contains(" meta.loss ") }
    #expect(losses.count == 1, "\(dump.output)")
    #expect(losses.first?.contains(" mail#1 main meta.loss family=unknown count=3 ") == true)
  }

  @Test func infoSaysHowEachProcessEnded() throws {
    let folder = try TestFolder()
    let story = try folder.write(Self.twoHosts, to: "story")
    let trace = TerminalSession.quoted(folder.path + "/trace")
    #expect(run("import story \(story) -o \(trace)").status == 0)
    let lines = run("info \(trace)").output.split(separator: "\n")
    func line(_ label: String) -> Substring { lines.first { $0.hasPrefix("  \(label),") } ?? "" }
    #expect(line("notes#1").contains(", ended (signal), SIGKILL, evidence"), "\(lines)")
    #expect(line("mail#1").contains(", still running when the recording ended, evidence"))
    #expect(lines.contains("  the recording ended well"))
    #expect(run("info --json \(trace)").output.contains("\"ending\":\"ended (signal), SIGKILL\""))
  }

  @Test func repairKeepsWhatIsReadable() throws {
    let folder = try TestFolder()
    let fixed = TerminalSession.quoted(folder.path + "/fixed")
    let repair = run("repair \(vector("damaged")) -o \(fixed)")
    #expect(repair.status == 0)
    #expect(repair.output.contains("in 3 chunks"), "\(repair.output)")
    // What the damage took is still told, as a gap or an event less, never as a bad chunk.
    #expect(!run("verify \(fixed)").output.contains("checksum"))
    let merged = TerminalSession.quoted(folder.path + "/merged")
    let merge = run("merge \(fixed) \(vector("two-writers")) -o \(merged)")
    #expect(merge.output.contains("18 events in 4 chunks"), "\(merge.output)")
    #expect(run("verify \(merged)").status == 0)
    #expect(run("merge \(fixed) \(vector("two-writers")) -o \(merged)").status == 74)
  }

  /// Nobody writes a copy any more when it is looked at.
  @Test func theCopyOfATornFileDoesNotRun() throws {
    let folder = try TestFolder()
    let repair = run(
      "repair \(vector("torn")) -o \(TerminalSession.quoted(folder.path + "/fixed"))"
    )
    #expect(repair.output.contains("no end: the recording was cut"), "\(repair.output)")
    #expect(!repair.output.contains("still runs"), "\(repair.output)")
  }

  @Test(arguments: ["{ echo junk junk junk; cat V; }", "{ cat V; echo junk junk junk; }"])
  func whatStandsBesideARecordingIsLeftOut(making: String) throws {
    let folder = try TestFolder()
    let both = TerminalSession.quoted(folder.path + "/both")
    let making = making.replacing("V", with: vector("two-writers"))
    #expect(TerminalSession.shell("\(making) > \(both)").status == 0)
    #expect(run("verify \(both)").status == 2)
    // It ended well before somebody wrote beside it, and in its own place it can be put right.
    let repair = run("repair \(both) -o \(both) --force")
    #expect(repair.status == 0, "\(repair.output)")
    #expect(repair.output.contains("18 events in 4 chunks"), "\(repair.output)")
    #expect(run("verify \(both)").status == 0)
  }

  @Test func aNewRecordingIsWholeOrNotThere() throws {
    let folder = try TestFolder()
    let old = try folder.write("not to be lost\n", to: "old")
    let line = "cd \(folder.path) && ulimit -f 0; "
    let tool = TerminalSession.quoted(BuiltBinary.path)
    for output in ["new", "old --force"] {
      let result = TerminalSession.shell(
        "(\(line) \(tool) merge \(vector("two-writers")) -o \(output)) 2>&1"
      )
      #expect(result.status == 74)
      #expect(result.output.contains("nothing was written"), "\(result.output)")
    }
    #expect(TerminalSession.shell("ls \(folder.path)").output == "old\n")
    #expect(TerminalSession.shell("cat \(old)").output == "not to be lost\n")
    // The same words as of record, and nothing is replaced unasked.
    let refused = run("merge \(vector("two-writers")) -o \(old)")
    #expect(refused.status == 74)
    #expect(refused.output.contains("exists; choose another name with -o, or replace it with"))
  }

  @Test(arguments: [
    "info", "check", "dump", "verify", "replay --batch", "repair -o x", "merge -o x",
    "report -o x",
  ])
  func anEmptyFileIsNoRecording(command: String) throws {
    let folder = try TestFolder()
    let empty = try folder.write("", to: "empty")
    let result = run("\(command) \(empty)")
    #expect(result.status == 2)
    #expect(result.output.contains("holds no events"), "\(result.output)")
  }

  /// A page of one recording, of several, and of none; never in the place of a recording.
  @Test func aReportIsAPage() throws {
    let folder = try TestFolder()
    let page = folder.path + "/page.html"
    for files in [
      vector("two-writers"), "\(vector("two-writers")) \(vector("cat"))", vector("damaged"),
    ] {
      let made = run("report \(files) -o \(page)")
      let isDamaged = files == vector("damaged")
      #expect(made.status == (isDamaged ? 2 : 0), "\(made.output)")
      #expect(made.output.contains("page.html: "), "\(made.output)")
      #expect(made.output.contains("Damaged: ") == isDamaged, "\(made.output)")
      #expect(
        shell("grep -c '\"remarks\":\\[\"Damaged' \(page)").output == (isDamaged ? "1\n" : "0\n")
      )
      #expect(TerminalSession.shell("tail -c 8 \(page)").output == "</html>\n")
    }
    let copy = folder.path + "/copy.lifetrace"
    #expect(TerminalSession.shell("cp \(vector("two-writers")) \(copy)").status == 0)
    let refused = run("report \(copy) -o \(copy)")
    #expect(refused.status == 64)
    #expect(refused.output.contains("is the recording itself"), "\(refused.output)")
    #expect(TerminalSession.shell("cmp \(vector("two-writers")) \(copy)").status == 0)
    #expect(run("report /nowhere/at.all -o \(page)").status == 74)
    #expect(run("report \(copy)").status == 64)
  }

  /// What holds a part of it, or says it otherwise, is not put in the place of what was read.
  @Test(arguments: [
    "cut RUN --from 0s -o RUN --force", "cut RUN --to 1h -o LINK --force",
    "replay RUN -q -e 'notes -o LINK --force'", "replay RUN -q -e 'cut start end -o RUN --force'",
    "export jsonl RUN -o RUN", "export perfetto RUN -o LINK", "import jsonl LINES -o LINES --force",
  ])
  func whatIsReadStays(command: String) throws {
    let folder = try TestFolder()
    let (run, lines) = (folder.file("run.lifetrace"), folder.file("run.jsonl"))
    let link = folder.file("link")
    let made = TerminalSession.shell("cp \(vector("cat")) \(run); ln -s run.lifetrace \(link)")
    #expect(made.status == 0)
    #expect(self.run("export jsonl \(run) -o \(lines)").status == 0)
    let before = try (folder.read("run.lifetrace"), folder.read("run.jsonl"))
    let words = command.split(separator: " ").map {
      ["RUN": run, "LINK": link, "LINES": lines][$0] ?? String($0)
    }
    let result = self.run(words.joined(separator: " "))
    #expect(result.status != 0)
    let isSaid = ["is what is read", "is the recording or"].contains { result.output.contains($0) }
    #expect(isSaid, "\(result.output)")
    #expect(try folder.read("run.lifetrace") == before.0)
    #expect(try folder.read("run.jsonl") == before.1)
    #expect(folder.names == ["link", "run.jsonl", "run.lifetrace"])
  }

  /// Where there is no room, the page of before stays, and the reason is told.
  @Test func aReportIsWholeOrNotThere() throws {
    let folder = try TestFolder()
    _ = try folder.write("of before", to: "page.html")
    for name in ["page.html", "new.html"] {
      let tool = TerminalSession.quoted(BuiltBinary.path)
      let result = TerminalSession.shell(
        "(cd \(folder.path) && ulimit -f 8; \(tool) report \(vector("two-writers")) -o \(name)) 2>&1"
      )
      #expect(result.status == 74)
      #expect(
        result.output.contains("\(name): cannot write it: File too large; "),
        "\(result.output)"
      )
      #expect(result.output.contains("nothing was written"), "\(result.output)")
    }
    #expect(TerminalSession.shell("ls \(folder.path)").output == "page.html\n")
    #expect(TerminalSession.shell("cat \(folder.path)/page.html").output == "of before")
  }

  @Test func damageIsSaidOnce() throws {
    let result = run("check \(vector("damaged"))")
    #expect(result.status == 2)
    #expect(result.output.split(separator: "checksum").count == 2, "\(result.output)")
    #expect(result.output.contains("lost: what they held was not judged"), "\(result.output)")
  }

  @Test func whatIsNoTraceIsSaid() throws {
    let folder = try TestFolder()
    let text = TerminalSession.quoted(try folder.write("hello, this is a text\n", to: "text"))
    for command in ["info", "verify", "dump"] {
      let result = run("\(command) \(text)")
      #expect(result.status == 2)
      #expect(result.output.contains("not a trace"), "\(result.output)")
      #expect(run("\(command) /nowhere/at.all").status == 74)
      #expect(run("\(command)").status == 64)
    }
  }
}
