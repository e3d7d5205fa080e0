// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetracePlatform
import Support
import TestThreads
import Testing

/// `lifetrace rerun` with real processes.
@Suite(.waits) struct RerunCommandTests {
  private static let lostEdit = Golden.root + "/Sources/Examples/Notes/lost-edit.yml"

  /// A recording of the sample in the folder, `run.lifetrace`, started by that.
  private static func record(in folder: TestFolder, by start: String = "$notes") {
    let run = shell(
      "lifetrace record --scenario \(lostEdit) -o run.lifetrace -- \(start)",
      in: folder
    )
    #expect(run.status == 0, "\(run.output)")
  }

  @Test("The same loss is told as such, in how many of the plays, and the recordings are kept")
  func again() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    let run = shell("lifetrace rerun run.lifetrace --times 3", in: folder)
    #expect(run.status == 1, "\(run.output)")
    #expect(run.output.contains("lifetrace: starts "), "\(run.output)")
    #expect(run.output.contains("lost-edit.yml, played again 3 times, in "), "\(run.output)")
    #expect(run.output.contains("DS02  draft.txt, Editor.swift:43  again, in 3 of 3"))
    #expect(run.output.contains("None of 3 is without errors"))
    #expect(run.output.contains("lifetrace replay run-again.lifetrace  (DS01, DS02)"))
    // Only the first of those that break the same rules is kept.
    #expect(folder.names.filter { $0.hasSuffix(".lifetrace") }.count == 2)
    // What came of it can be played again, too.
    let third = shell("lifetrace rerun run-again.lifetrace -o third.lifetrace", in: folder)
    #expect(third.status == 1 && third.output.contains("replay third.lifetrace"), "\(third.output)")
    let refused = shell("lifetrace rerun run.lifetrace -o third.lifetrace", in: folder)
    #expect(refused.status == 125 && refused.output.contains("exists"), "\(refused.output)")
  }

  @Test("A scenario that is too long to be kept is told, with the line that plays it again")
  func tooLongToBeKept() throws {
    let folder = try TestFolder()
    let steps = (1...700).map { "- mark: \"step number \($0)\"" }.joined(separator: "\n")
    let text = "app: notes\nsteps:\n- launch\n\(steps)\n- home\n- purge\n"
    try folder.write(text, to: "long.yml")
    let run = shell(
      "lifetrace record --scenario long.yml -o run.lifetrace -- $notes",
      in: folder
    )
    #expect(run.status == 0, "\(run.output)")
    let line = "run.lifetrace --scenario long.yml -- "
    #expect(run.output.contains("no room for the scenario"), "\(run.output)")
    #expect(run.output.contains(line + "CMD"), "\(run.output)")
    let refused = shell("lifetrace rerun run.lifetrace", in: folder)
    #expect(refused.output.contains(line + "CMD"), "\(refused.output)")
    let again = shell("lifetrace rerun \(line)$notes", in: folder)
    #expect(again.status == 0 && again.output.contains("played again"), "\(again.output)")
  }

  /// What the host records of an app stands at the line of the step, however the file is written.
  private static let leak = """
    # A life with remarks
    app: wired
    time-scale: 0.05

    steps:
      # first
      - launch

      # a task that nobody ends
      - tell:
          leak: upload

      - home
      - wait:
          until: not-running
          within: 60s
    """

  @Test("What goes wrong at a line of the scenario goes wrong at that line again, and in explore")
  func lines() throws {
    let folder = try TestFolder()
    try folder.write(Self.leak, to: "leak.yml")
    let wired = "\"${lt%/*}/WireApp\""
    let record = shell(
      "lifetrace record --scenario leak.yml -o run.lifetrace --check -- \(wired)",
      in: folder
    )
    let leaked = "\"upload\" in the step at leak.yml:10 was never ended"
    #expect(record.output.contains(leaked), "\(record.output)")
    let run = shell("lifetrace rerun run.lifetrace", in: folder)
    #expect(run.output.contains("BT01  upload, leak.yml:10  again\n"), "\(run.output)")
    #expect(!run.output.contains("not in the recording"), "\(run.output)")
    let changed = shell("lifetrace rerun run.lifetrace --with 'home +1s'", in: folder)
    #expect(changed.output.contains("BT01  upload, leak.yml:10  again\n"), "\(changed.output)")
    let explore = shell("lifetrace explore leak.yml --no-reduce -- \(wired)", in: folder)
    #expect(explore.output.contains(leaked), "\(explore.output)")
  }

  @Test("A piece of a recording is called one: its whole scenario is played, or none is in it")
  func piece() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    _ = shell(
      """
      lifetrace cut run.lifetrace --to notes#1:20 -o head.lifetrace
      lifetrace cut run.lifetrace --from notes#1:20 -o tail.lifetrace
      """,
      in: folder
    )
    let head = shell("lifetrace rerun head.lifetrace", in: folder)
    #expect(head.status == 1, "\(head.output)")
    #expect(
      head.output.contains(
        "The recording is a piece (of lifetrace cut, or record --last): notes#1 has no end"
      ),
      "\(head.output)"
    )
    #expect(head.output.contains("now, and not in this piece of the recording"), "\(head.output)")
    let tail = shell("lifetrace rerun tail.lifetrace", in: folder)
    #expect(tail.status == 2 && tail.output.contains("is a piece of a recording"), "\(tail.output)")
    #expect(tail.output.contains("rerun tail.lifetrace --scenario FILE -- CMD"), "\(tail.output)")
    let named = shell(
      "lifetrace rerun tail.lifetrace --scenario \(Self.lostEdit) -- $notes",
      in: folder
    )
    #expect(
      named.status == 1 && named.output.contains("notes#1 begins with its event"),
      "\(named.output)"
    )
    #expect(!shell("lifetrace rerun run.lifetrace", in: folder).output.contains("a piece"))
  }

  @Test("A cut behind the last end is a piece too; what was merged makes none of a whole one")
  func pieceOfEndedLives() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    _ = shell(
      """
      lifetrace cut run.lifetrace --to "$(lifetrace dump run.lifetrace | sed -n \
        's/^+\\([0-9.]*\\)s notes#1.* process.exit .*/\\1/p')" -o ended.lifetrace
      lifetrace record -o other.lifetrace -- $emitter numbers 10
      lifetrace cut other.lifetrace --to Emitter#1:5 -o open.lifetrace
      lifetrace merge run.lifetrace open.lifetrace -o merged.lifetrace
      """,
      in: folder
    )
    let ended = shell("lifetrace rerun ended.lifetrace", in: folder)
    #expect(
      ended.output.contains("or record --last): it stops before the end of its scenario.\n"),
      "\(ended.output)"
    )
    let merged = shell("lifetrace rerun merged.lifetrace", in: folder)
    #expect(merged.status == 1 && !merged.output.contains("a piece"), "\(merged.output)")
    #expect(merged.output.contains("DS02  draft.txt, Editor.swift:43  again"), "\(merged.output)")
  }

  @Test("A recording is whole whose device has said nothing since its last chunk")
  func quietDevice() throws {
    let folder = try TestFolder()
    let text = "app: notes\nsteps:\n- launch\n- home\n- suspend\n- wait: 1s\n"
    try folder.write(text, to: "quiet.yml")
    // Chunks are sealed each quarter of a second.
    let run = shell(
      "lifetrace record --follow --scenario quiet.yml -o run.lifetrace -- $notes",
      in: folder
    )
    #expect(run.status == 0, "\(run.output)")
    let again = shell("lifetrace rerun run.lifetrace", in: folder)
    #expect(again.status == 0 && !again.output.contains("a piece"), "\(again.output)")
  }

  @Test("What the scenario expects and does not hold is told once, however often it is played")
  func complaints() throws {
    let folder = try TestFolder()
    try folder.write(
      """
      app: notes
      steps:
        - launch
        - tell: {edit: "Dear diary"}
        - home
        - expect: violation BT01
        - purge
      """,
      to: "life.yml"
    )
    _ = shell("lifetrace record --scenario life.yml -o run.lifetrace -- $notes", in: folder)
    let run = shell("lifetrace rerun run.lifetrace --times 3", in: folder)
    let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("In the scenario") }
    #expect(lines.count == 1, "\(run.output)")
    #expect(
      lines.first?.hasPrefix("In the scenario, line 6: expected a violation of BT01, found only ")
        == true && lines.first?.hasSuffix("(in 3 of 3)") == true,
      "\(run.output)"
    )
    let json = shell("lifetrace rerun run.lifetrace --times 2 --json", in: folder)
    let report = try JSON(parsing: Array(json.output.utf8).drop { $0 != UInt8(ascii: "{") })
    #expect(report["complaints"]?.array?.compactMap { $0["count"]?.int } == [2], "\(json.output)")
  }

  @Test("A change of one step decides whether it is lost")
  func changes() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    let kept = shell("lifetrace rerun run.lifetrace --with 'no purge'", in: folder)
    #expect(kept.status == 0, "\(kept.output)")
    #expect(
      kept.output.contains("DS02  draft.txt, Editor.swift:43  in the recording, and not again")
    )
    #expect(kept.output.contains("It has no errors"))
    // The editor saves after two seconds: while it may still run.
    let later = shell(
      "lifetrace rerun run.lifetrace --with 'suspend +5s' --json",
      in: folder
    )
    #expect(later.status == 0, "\(later.output)")
    let report = try JSON(parsing: Array(later.output.utf8).drop { $0 != UInt8(ascii: "{") })
    #expect(report["changes"]?.array?.first?.string == "suspend +5s")
    #expect(report["found"]?.array?.allSatisfy { $0["count"]?.int == 0 } == true)
    #expect(report["clean"]?.int == 1)
    let lost = shell("lifetrace rerun run.lifetrace --with 'purge = reboot'", in: folder)
    #expect(lost.status == 1, "\(lost.output)")
    #expect(lost.output.contains("DS02  draft.txt, Editor.swift:43  again"), "\(lost.output)")
  }

  @Test("Warnings are told apart from errors, and counted for themselves")
  func warnings() throws {
    let folder = try TestFolder()
    let life = "app: notes\nsteps:\n- launch\n- tell: {edit: a}\n- home\n- suspend\n"
    try folder.write(life, to: "life.yml")
    _ = shell("lifetrace record --scenario life.yml -o run.lifetrace -- $notes", in: folder)
    // The editor saves after two seconds, while nothing but luck keeps it running.
    let run = shell("lifetrace rerun run.lifetrace --times 2 --with 'suspend +4s'", in: folder)
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.output.contains(
        "\nwarnings:\n  BT11  saving, Editor.swift:59  in 2 of 2, and not in the recording\n"
      ),
      "\(run.output)"
    )
    #expect(run.output.contains("\n2 of 2 have no errors; 2 of 2 have warnings.\n"))
    #expect(run.output.contains(".lifetrace  (BT11)"), "\(run.output)")
  }

  @Test("Changes that cannot be made are answered with those that can")
  func usage() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    for (words, answer) in [
      ("--with 'lock +3s'", "there is no step `lock`. The scenario has\n    step 1  launch\n"),
      ("--with 'tell 2 +3s'", "there is no step `tell` number 2"),
      ("--with 'hoem +3s'", "did you mean `home`?"),
      ("--with slower", "STEP +300ms"),
      ("--with 'profile ios99'", "ios7"),
      ("--times 0", "--times is a number from 1"),
    ] {
      let run = shell("lifetrace rerun run.lifetrace \(words)", in: folder)
      #expect(run.status == 64 && run.output.contains(answer), "\(words): \(run.output)")
    }
    #expect(folder.names.filter { $0.hasSuffix(".lifetrace") } == ["run.lifetrace"])
  }

  @Test("The prompt plays it, too")
  func prompt() throws {
    let folder = try TestFolder()
    Self.record(in: folder)
    let run = shell(
      "lifetrace replay run.lifetrace --batch -q -e 'rerun --with \"no purge\"' -e 'rerun --with x'",
      in: folder
    )
    #expect(run.output.contains("played again with no purge"), "\(run.output)")
    #expect(run.status == 64 && run.output.contains("`x` is no change"), "\(run.output)")
    let json = shell("lifetrace replay run.lifetrace --batch -q --json -e rerun", in: folder)
    let answer = try JSON(parsing: Array(json.output.utf8)[...])
    #expect(answer["rerun"]?["plays"]?.int == 1, "\(json.output)")
  }

  @Test("What is not there any more is told, with what would do")
  func gone() throws {
    let folder = try TestFolder()
    let plain = shell(
      "lifetrace record -o plain.lifetrace -- true; lifetrace rerun plain.lifetrace",
      in: folder
    )
    #expect(plain.status == 2 && plain.output.contains("holds no scenario"), "\(plain.output)")
    #expect(plain.output.contains("lifetrace record --scenario FILE"))

    _ = shell("cp $notes app", in: folder)
    Self.record(in: folder, by: "./app")
    let same = shell("lifetrace rerun run.lifetrace", in: folder)
    #expect(!same.output.contains("another program"), "\(same.output)")
    let changed = shell("printf x >>app; lifetrace rerun run.lifetrace", in: folder)
    #expect(changed.status == 1, "\(changed.output)")
    #expect(changed.output.contains("app is another program than was recorded"))
    let gone = shell("rm app; lifetrace rerun run.lifetrace", in: folder)
    #expect(
      gone.status == 127 && gone.output.contains("rerun run.lifetrace -- CMD"),
      "\(gone.output)"
    )
    let other = shell("lifetrace rerun run.lifetrace -- $notes --fixed", in: folder)
    #expect(other.status == 0 && other.output.contains("It has no errors"), "\(other.output)")
    let moved = shell(
      "mkdir there && cd there && cp $notes app && lifetrace record -o ../moved.lifetrace "
        + "--scenario \(Self.lostEdit) -- ./app && cd .. && rm -r there && lifetrace rerun moved.lifetrace",
      in: folder
    )
    #expect(moved.status == 2 && moved.output.contains("cannot be entered"), "\(moved.output)")
  }

  @Test("A scenario with a secret is redacted, and so is not played")
  func redacted() throws {
    let folder = try TestFolder()
    let run = shell(
      """
      lifetrace record --redact '/diary/' --scenario \(Self.lostEdit) -o run.lifetrace -- $notes
      grep -c diary run.lifetrace
      lifetrace dump run.lifetrace | grep -c diary
      lifetrace rerun run.lifetrace
      """,
      in: folder
    )
    #expect(run.output.contains("\n0\n0\n"), "\(run.output)")
    #expect(run.status == 2 && run.output.contains("its scenario was redacted"), "\(run.output)")
    let file = shell("lifetrace rerun run.lifetrace --scenario \(Self.lostEdit)", in: folder)
    #expect(file.status == 1 && file.output.contains("again"), "\(file.output)")
  }
}
