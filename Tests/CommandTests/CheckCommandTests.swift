// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// `check` as a build script uses it: exit codes, formats, selections, several files.
@Suite(.waits) struct CheckCommandTests {
  private let folder: TestFolder

  /// A launch after the purge of ``lostDraftStory``, which finds the version before and saves its own.
  private static let relaunch = """
    app notes#2 app=notes pid=19 profile=ios13 started=12s
    +12s    notes#2 main process.start reason=icon app=notes
    +12.2s  notes#2 main state.transition from=not-running to=inactive cause=launch
    +12.3s  notes#2 main data.restored draft.txt version=1 bytes=900
    +12.4s  notes#2 main state.transition from=inactive to=active cause=launch
    +13s    notes#2 main data.dirty draft.txt version=2 bytes=1300 @Notes/Editor.swift:41
    +13.2s  notes#2 main state.transition from=active to=inactive cause=home
    +13.3s  notes#2 main state.transition from=inactive to=background cause=home
    +13.5s  notes#2 main state.suspend by=host

    """

  /// Only a warning: a task without an expiration handler.
  private static let warning = """
    app upload#1 profile=ios13
    +0s upload#1 main process.start reason=icon app=upload
    +1s upload#1 main task.begin "send" id=4 hasHandler=false
    +2s upload#1 main task.end id=4

    """

  init() throws {
    folder = try TestFolder()
    try folder.write(lostDraftStory, to: "lost.story")
    try folder.write(Self.relaunch, to: "relaunch.story")
    try folder.write(Self.warning, to: "warning.story")
    try folder.write(keptStory, to: "kept.story")
    for name in ["lost", "relaunch", "warning", "kept"] {
      let made = run("lifetrace import story \(name).story -o \(name)")
      #expect(made.status == 0, "\(made.output)")
    }
  }

  private func run(_ line: String) -> (status: Int32, output: String) { shell(line, in: folder) }

  @Test func theExitCodeIsTheVerdict() throws {
    #expect(run("lifetrace check kept").status == 0)
    let lost = run("lifetrace check lost")
    #expect(lost.status == 1, "\(lost.output)")
    #expect(lost.output.contains("DS02 error  notes#1  +9.000s"), "\(lost.output)")
    #expect(lost.output.contains("Editor.swift:41"), "\(lost.output)")
    #expect(lost.output.contains("lifetrace replay lost -e \"goto notes#1:5\""), "\(lost.output)")
    // The command it names goes there.
    let gone = run("lifetrace replay -q --batch lost -e 'goto notes#1:5'")
    #expect(gone.output.contains("data.dirty  draft.txt version 2"), "\(gone.output)")
    #expect(run("lifetrace check").status == 64)
    #expect(run("lifetrace check missing").status == 74)
    #expect(run("lifetrace check kept > /dev/full").status == 74)
    #expect(run("lifetrace check kept <&-").status == 0)
  }

  @Test func aStoryIsJudgedAsTheTraceThatItBecomes() {
    let story = shell("lifetrace check lost.story", in: folder)
    let trace = shell("lifetrace check lost", in: folder)
    #expect(story.status == 1, "\(story.output)")
    let said = trace.output.replacing("replay lost ", with: "replay lost.story ")
    #expect(story.output == said, "\(story.output)")
    #expect(!folder.names.contains { $0.hasPrefix("lifetrace-story-") })
    #expect(shell("lifetrace check warning kept.story", in: folder).status == 0)
    let prose = shell("echo hello >prose; lifetrace check prose", in: folder)
    #expect(prose.status == 2 && prose.output.contains("not a trace"), "\(prose.output)")
  }

  @Test func ofAProgramWithoutTheSDKItIsSaidHowToObserveIt() {
    let made = shell("lifetrace record -o plain -- sh -c true", in: folder)
    let judged = shell("lifetrace check plain", in: folder)
    for said in [made.output, judged.output] {
      #expect(said.contains("lifetrace record --observe"), "\(said)")
      #expect(said.contains("data: [\"*.json\", \"*.sqlite\"]"), "\(said)")
    }
  }

  @Test func whoeverStopsReadingDoesNotChangeTheVerdict() {
    let result = run("{ lifetrace check lost; echo \"code $?\" > code; } | true; cat code")
    #expect(result.output.contains("code 1"), "\(result.output)")
  }

  @Test func aDamagedOrUnfinishedRecordingIsNotClean() {
    let cut = run("head -c 300 kept > cut; lifetrace check cut")
    #expect(cut.status == 2, "\(cut.output)")
    #expect(cut.output.contains("lifetrace: cut:"), "\(cut.output)")
    // What is broken in what can be read weighs more.
    let damaged = run("{ cat lost; head -c 300 kept; } > both; lifetrace check both")
    #expect(damaged.status == 1, "\(damaged.output)")
    #expect(damaged.output.contains("lifetrace: both:"), "\(damaged.output)")
    let several = run("lifetrace check --each cut kept")
    #expect(several.status == 2, "\(several.output)")
    #expect(several.output.contains("== kept"), "\(several.output)")
  }

  @Test(arguments: ["a b.lifetrace", "it's \"$HOME\" `x`", "-e"])
  func thePrintedCommandRuns(name: String) throws {
    let file = TerminalSession.quoted("./" + name)
    let check = run("cp lost \(file); lifetrace check -- \(TerminalSession.quoted(name))").output
    let command = try #require(
      check.split(separator: "\n").first { $0.contains("  lifetrace replay ") },
      "\(check)"
    )
    #expect(command.hasSuffix(" -e \"goto notes#1:5\""), "\(command)")
    let walked = run("cp lost \(file); \(command) -q --batch -e 'info event'")
    #expect(walked.status == 0, "\(command): \(walked.output)")
    #expect(walked.output.contains("event    notes#1:5 "), "\(walked.output)")
  }

  @Test func failOnSaysFromWhatOn() {
    #expect(run("lifetrace check warning").status == 0)
    #expect(run("lifetrace check --fail-on warning warning").status == 1)
    #expect(run("lifetrace check --fail-on info warning").status == 1)
    #expect(run("lifetrace check --fail-on never lost").status == 0)
    #expect(run("lifetrace check --fail-on nonsense lost").status == 64)
    #expect(run("lifetrace check --fail-on undecidable kept").status == 0)
  }

  @Test func dataIsRequired() {
    #expect(run("lifetrace check --require-data kept").status == 0)
    #expect(run("lifetrace check warning").status == 0)
    let bare = run("lifetrace check --require-data warning")
    #expect(bare.status == 1)
    #expect(bare.output.contains("warning: upload declared no data object"), "\(bare.output)")
  }

  @Test func rulesAndProfilesAreChosen() {
    #expect(run("lifetrace check --rules BT,MT lost").status == 0)
    let one = run("lifetrace check --rules DS01 lost")
    #expect(one.status == 1)
    #expect(one.output.contains("DS01") && !one.output.contains("DS02"), "\(one.output)")
    #expect(run("lifetrace check --rules -DS lost").status == 0)
    let unknown = run("lifetrace check --rules XY99 lost")
    #expect(unknown.status == 64)
    #expect(
      unknown.output.contains("there is no rule XY99; lifetrace rules lists them"),
      "\(unknown.output)"
    )
    #expect(run("lifetrace check --profile classic lost").status == 1)
    #expect(run("lifetrace check --profile ios99 lost").status == 64)
  }

  @Test func jsonLinesAreJSON() {
    let result = run(
      "lifetrace check --each --format jsonl lost kept 2>/dev/null | python3 -c '\n"
        + "import json, sys\n"
        + "rows = [json.loads(line) for line in sys.stdin]\n"
        + "lost = [row for row in rows if row.get(\"outcome\") == \"violated\"]\n"
        + "print(sorted({row[\"rule\"] for row in lost}))\n"
        + "print([(row[\"summary\"], row[\"errors\"]) for row in rows if \"summary\" in row])\n"
        + "print({row[\"file\"] for row in lost}, all(\"file\" in r or \"summary\" in r for r in rows))\n"
        + "print([w[\"source\"] for w in lost[0][\"witnesses\"] if w[\"label\"] == \"edit\"])\n'"
    )
    #expect(
      result.output == """
        ['DS01', 'DS02']
        [('lost', 2), ('kept', 0)]
        {'lost'} True
        ['Notes/Editor.swift:41']

        """
    )
  }

  @Test func aLaunchInAnotherFileKnowsWhatWasLeft() {
    let two = run("lifetrace check lost relaunch")
    #expect(two.status == 1)
    #expect(
      two.output.contains("This run never saved it; version 1 of the run before is what is left."),
      "\(two.output)"
    )
    #expect(
      two.output.contains("The next launch, notes#2, found version 1 (notes#2:2)."),
      "\(two.output)"
    )
    // The same in another order, where the files are given so, and the same as in one file.
    let turned = run("lifetrace check relaunch lost").output
    #expect(Self.verdicts(turned).sorted() == Self.verdicts(two.output).sorted())
    let one = run("cat lost relaunch > all; lifetrace check all")
    #expect(Self.verdicts(one.output) == Self.verdicts(two.output))
    // The prompt knows it as well: what the first run left is known when the next one begins.
    let why = run("lifetrace replay -q --batch all -e 'goto notes#2:0' -e 'why draft.txt'").output
    #expect(why.contains("draft.txt was not edited in this life of the app."), "\(why)")
    #expect(run("lifetrace check lost lost").output == run("lifetrace check lost").output)
    // Each command goes to the file that has the event, by the name that the writer has there.
    let commands = two.output.split(separator: "\n").filter { $0.contains("lifetrace replay ") }
    #expect(commands.contains { $0.hasSuffix("lifetrace replay lost -e \"goto notes#1:5\"") })
    #expect(commands.contains { $0.hasSuffix("lifetrace replay relaunch -e \"goto notes#1:4\"") })
    #expect(two.output.contains("In relaunch alone notes#2 is called notes#1:\n"), "\(two.output)")
    #expect(!two.output.contains("In lost alone"), "\(two.output)")
    // Alone, the launch knows nothing of the run before.
    let alone = run("lifetrace check relaunch").output
    #expect(!alone.contains("run before"))
    #expect(
      alone.contains(
        "This run never saved it; version 1, which it had read back, is what is left."
      ),
      "\(alone)"
    )
    let each = run("lifetrace check --each lost relaunch").output
    #expect(each == "== lost\n" + run("lifetrace check lost").output + "== relaunch\n" + alone)
    #expect(run("lifetrace check --each relaunch").output == alone)
  }

  /// What is said, without the commands, which name files.
  private static func verdicts(_ output: String) -> [Substring] {
    output.split(separator: "\n")
      .filter { !$0.contains("lifetrace replay ") && !$0.contains(" alone notes#") }
  }

  /// A line of JSON says in which of the files it is.
  @Test func jsonLinesNameTheFileOfEachEvent() {
    let result = run(
      "lifetrace check --format jsonl lost relaunch 2>/dev/null | python3 -c '\n"
        + "import json, sys\n"
        + "rows = [json.loads(line) for line in sys.stdin]\n"
        + "lost = [row for row in rows if row.get(\"outcome\") == \"violated\"]\n"
        + "print(sorted({(row[\"writer\"], row[\"file\"]) for row in lost}))\n"
        + "print([row[\"summary\"] for row in rows if \"summary\" in row])\n'"
    )
    #expect(
      result.output == """
        [('notes#1', 'lost'), ('notes#2', 'relaunch')]
        ['lost relaunch']

        """
    )
  }

  @Test func theProjectSaysWhatIsNotJudged() throws {
    try folder.write(
      "profile: ios7\noff:\n  DS01: kept by the server\n  DS02: as well\n",
      to: "lifetrace.yml"
    )
    let check = run("lifetrace check lost")
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output.contains("DS01 is switched off: kept by the server"), "\(check.output)")
    let replay = run("lifetrace replay --batch lost -e violations -e 'show profile'")
    #expect(replay.status == 0, "\(replay.output)")
    #expect(replay.output.contains("No rule is broken"), "\(replay.output)")
    #expect(replay.output.contains("DS02 is switched off: as well"), "\(replay.output)")
    #expect(replay.output.contains("ios7"), "\(replay.output)")
  }
}

/// The draft of ``lostDraftStory``, saved in time.
private let keptStory = """
  app notes#1 pid=12 profile=ios13
  +0s     notes#1 main process.start reason=icon app=notes
  +0.2s   notes#1 main state.transition from=not-running to=inactive cause=launch
  +0.3s   notes#1 main state.transition from=inactive to=active cause=launch
  +1s     notes#1 main data.dirty draft.txt version=1 bytes=900 @Notes/Editor.swift:41
  +1.2s   notes#1 main data.durable draft.txt version=1 level=disk bytes=900
  +3s     notes#1 main state.transition from=active to=inactive cause=home
  +3.1s   notes#1 main state.transition from=inactive to=background cause=home
  +3.5s   notes#1 main state.suspend by=host
  +9s     notes#1 main state.purge cause=memory by=host

  """
