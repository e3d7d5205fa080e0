// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// `import`, and what the other commands make of its result.
@Suite(.waits) struct ImportTests {
  @Test func aLogIsImportedCheckedAndReplayed() throws {
    let folder = try TestFolder()
    let log = SampleLog(seed: 3, apps: 3, sessions: 4, noise: 3)
    try folder.write(log.text(.console), to: "phone.log")
    let imported = shell("lifetrace import console phone.log -o phone.lifetrace 2>&1", in: folder)
    #expect(imported.status == 0, "\(imported.output)")
    #expect(imported.output.contains("org.example.harborline"), "\(imported.output)")
    #expect(imported.output.contains("recognised"), "\(imported.output)")

    let info = shell("lifetrace info phone.lifetrace", in: folder)
    #expect(info.status == 0, "\(info.output)")
    #expect(info.output.contains("org.example.lantern"), "\(info.output)")
    #expect(shell("lifetrace verify phone.lifetrace", in: folder).status == 0)
    let check = shell("lifetrace check phone.lifetrace", in: folder)
    #expect(check.status == 0 || check.status == 1, "\(check.output)")
    #expect(!check.output.contains("ST01 error"), "\(check.output)")

    let replay = shell(
      "lifetrace replay -q --batch -e 'goto 0' -e state -e 'next suspend' -e state phone.lifetrace",
      in: folder
    )
    #expect(replay.status == 0, "\(replay.output)")
    #expect(replay.output.contains("unknown"), "\(replay.output)")
    #expect(replay.output.contains("suspended"), "\(replay.output)")
    #expect(replay.output.contains("phone.log:"), "\(replay.output)")
  }

  /// `import auto` knows what export jsonl writes; texts that a recording cuts are counted.
  @Test func linesOfARecordingAreKnown() throws {
    let folder = try TestFolder()
    let long = String(repeating: "x", count: 20_000)
    try folder.write(
      "app notes#1 pid=1\n+0s notes#1 main log text=short level=info\n",
      to: "story.txt"
    )
    let made = shell(
      """
      lifetrace import story story.txt -o a 2>/dev/null && lifetrace export jsonl a -o a.jsonl &&
      lifetrace import auto a.jsonl -o b 2>&1 && lifetrace dump a > a.txt && lifetrace dump b | cmp - a.txt &&
      sed 's/short/\(long)/' a.jsonl > long.jsonl && lifetrace import jsonl long.jsonl -o c 2>&1
      """,
      in: folder
    )
    #expect(made.status == 0, "\(made.output)")
    #expect(made.output.contains("a.jsonl: 1 writer, 1 event"), "\(made.output)")
    #expect(made.output.contains("long.jsonl: 1 text of more than 16,384 bytes: "))
    let both = shell("lifetrace import auto a.jsonl story.txt -o d 2>&1", in: folder)
    #expect(both.status == 64)
    #expect(both.output.contains("lifetrace import jsonl a.jsonl -o OUT"), "\(both.output)")
  }

  @Test func timesOfTheLogAreShownAndFound() throws {
    let folder = try TestFolder()
    try folder.write(
      """
      default\t18:38:04.918477+0800\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1
      default\t18:38:07.622513+0800\tnotes\t{"_cmd":"onDidEnterBackground:"}
      default\t18:38:20.000000+0800\tnotes\t[BackgroundTask] Background Task 3 ("Save"), was created \
      over 30 seconds ago.

      """,
      to: "phone.log"
    )
    #expect(shell("lifetrace import console phone.log -o phone 2>&1", in: folder).status == 0)
    let info = shell("lifetrace info phone", in: folder).output
    let lines = info.split(separator: "\n").dropFirst(2).prefix(5).map { String($0) }
    #expect(
      lines == [
        "  notes#1, app, 5 events, from 18:37:49.999, over 30 s, "
          + "not ended by the end of the log, evidence: log, profile ios13",
        "    unknown before +14.919 s (18:38:04.918)",
        "    active from +14.919 s (18:38:04.918), inferred",
        "    inactive from +14.919 s (18:38:04.918)",
        "    background from +17.623 s (18:38:07.622)",
      ],
      "\(info)"
    )
    #expect(
      info.contains("    background task 3 \"Save\" from +0.000 s (18:37:49.999) on\n"),
      "\(info)"
    )
    #expect(!info.contains("suspension possible"), "\(info)")
    let check = shell("lifetrace check phone", in: folder).output
    #expect(check.contains("  18:38:20.000\n"), "\(check)")
    let dump = shell("lifetrace dump --from 18:38:07 --to 18:38:08 phone", in: folder).output
    #expect(dump.split(separator: "\n").filter { $0.hasPrefix("+") }.count == 1, "\(dump)")
    let replay = shell(
      "lifetrace replay -q --batch -e 'goto 18:38:07.7' -e 'set clock on' -e when phone",
      in: folder
    )
    #expect(replay.status == 0, "\(replay.output)")
    #expect(replay.output.contains("  18:38:07.622513  "), "\(replay.output)")
  }

  @Test func aLogAndACrashReportAreOneRecording() throws {
    let folder = try TestFolder()
    try folder.write(
      """
      default\t15:57:50.000000-0400\tDrafty\tDeactivation reason removed: 5; deactivation reasons: 32 -> 0; x
      default\t15:58:01.000000-0400\tDrafty\tDeactivation reason added: 5; deactivation reasons: 0 -> 32; x
      default\t15:58:02.000000-0400\tDrafty\tapplicationDidEnterBackground:

      """,
      to: "phone.log"
    )
    try folder.write(
      """
      Incident Identifier: 0A-1
      Process:             Drafty [4411]
      Identifier:          org.example.drafty
      Date/Time:           2026-04-19 15:58:12.6849 -0400
      Exception Type:  EXC_CRASH (SIGKILL)
      Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d
      Termination Description: SPRINGBOARD, scene-update watchdog transgression: org.example.drafty exhausted \
      real (wall clock) time allowance of 10.00 seconds | WatchdogEvent: scene-update | WatchdogVisibility: Background

      """,
      to: "Drafty.crash"
    )
    let made = shell("lifetrace import auto phone.log Drafty.crash -o both 2>&1", in: folder)
    #expect(made.status == 0, "\(made.output)")
    #expect(made.output.contains("2 files: 3 lines over "), "\(made.output)")
    #expect(made.output.contains("it is put on 2026-04-19, by Drafty.crash"), "\(made.output)")
    let check = shell("lifetrace check both", in: folder)
    #expect(check.status == 1 && check.output.contains("DL02 error"), "\(check.output)")
    #expect(check.output.contains("Drafty.crash:6"), "\(check.output)")
    let none = shell("lifetrace import auto phone.log missing -o x 2>&1", in: folder)
    #expect(none.status == 74, "\(none.output)")
  }

  @Test func theLinesOfAnAppAreItsEvents() throws {
    let folder = try TestFolder()
    try folder.write(
      "default\t10:00:01.0+0000\tDrafty\tedited draft v1\n"
        + "default\t10:00:02.0+0000\tDrafty\tapplicationDidEnterBackground:\n"
        + "default\t10:00:09.0+0000\trunningboardd\t[app<org.example.drafty>:44] Suspending task.\n",
      to: "phone.log"
    )
    try folder.write(
      "lines:\n  - line: \"edited {object} v{version}\"\n    event: data.dirty\n",
      to: "map.yml"
    )
    let dry = shell("lifetrace import dry-run --map map.yml phone.log 2>&1", in: folder)
    #expect(
      dry.status == 0 && dry.output.contains("1     phone.log:1  data.dirty"),
      "\(dry.output)"
    )
    for command in ["auto", "console"] {
      let made = shell(
        "lifetrace import \(command) --map map.yml phone.log -f -o x 2>&1",
        in: folder
      )
      #expect(made.status == 0, "\(made.output)")
      #expect(shell("lifetrace check x", in: folder).output.contains("DS01 error"))
    }
    try folder.write("lines:\n  - line: \"x {objekt}\"\n    event: mark\n", to: "map.yml")
    let wrong = shell("lifetrace import auto --map map.yml phone.log -o y 2>&1", in: folder)
    #expect(wrong.status == 78 && wrong.output.contains("map.yml:2:11: there is no `{objekt}`"))
  }

  @Test func importingTwiceMakesTheSameStreams() throws {
    let folder = try TestFolder()
    let log = SampleLog(seed: 4, apps: 2, sessions: 2)
    try folder.write(log.text(.syslog), to: "phone.log")
    let line =
      "lifetrace import console phone.log -o a && lifetrace import console - -o b < phone.log "
      + "&& lifetrace dump a | sed s/phone.log// > a.txt && lifetrace dump b | sed s/stdin// > b.txt "
      + "&& cmp a.txt b.txt 2>&1"
    let (status, output) = shell(line, in: folder)
    #expect(status == 0, "\(output)")
  }

  @Test func aStoryBecomesATrace() throws {
    let folder = try TestFolder()
    try folder.write(lostDraftStory, to: "lost.story")
    let (status, output) = shell(
      "lifetrace import story lost.story -o lost.lifetrace 2>&1 && lifetrace verify lost.lifetrace; "
        + "lifetrace check lost.lifetrace",
      in: folder
    )
    #expect(status == 1, "\(output)")
    #expect(output.contains("DS02"), "\(output)")
  }

  @Test func whatIsNoLogIsSaid() throws {
    let folder = try TestFolder()
    try folder.write("a letter to nobody\nin two lines\n", to: "letter")
    try folder.write("default\t10:00:00.1\tnoised\tonly noise here\n", to: "noise")
    let letter = shell("lifetrace import console letter -o x 2>&1", in: folder)
    #expect(letter.status == 2)
    #expect(letter.output.contains("is this a Console export?"), "\(letter.output)")
    #expect(letter.output.contains("a letter to nobody"), "\(letter.output)")
    let noise = shell("lifetrace import console noise -o x 2>&1", in: folder)
    #expect(noise.status == 2)
    #expect(noise.output.contains("nothing recognised"), "\(noise.output)")
    try folder.write(
      "default\t10:00:00.1\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1\n",
      to: "notes.log"
    )
    let other = shell("lifetrace import console notes.log --app mail -o x 2>&1", in: folder)
    #expect(other.status == 2)
    #expect(other.output.contains("contains mail\n  There are notes."), "\(other.output)")
    let replayed = shell("lifetrace replay --batch notes.log 2>&1", in: folder)
    #expect(replayed.output.contains("lifetrace import console notes.log"), "\(replayed.output)")
    #expect(shell("lifetrace import console missing -o x 2>&1", in: folder).status == 74)
    #expect(shell("test -e x", in: folder).status == 1)
  }
}
