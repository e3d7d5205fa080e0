// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// The forms of `check` for services that build and show: read back by programs that know them.
@Suite(.waits) struct CheckFormatTests {
  private let folder: TestFolder

  /// Names that would be markup, a command or a call elsewhere.
  private static let hostile = """
    app evil app="a<b>&\\"@team|::error::x" pid=12 profile=ios13
    +0s   evil main process.start reason=icon app=evil
    +0.1s evil main state.transition from=not-running to=inactive cause=launch
    +0.2s evil main state.transition from=inactive to=active cause=launch
    +1s   evil main data.dirty "<b>%0A|,:@you" version=1 bytes=9 @Notes/Editor.swift:41
    +2s   evil main state.transition from=active to=inactive cause=home
    +2.1s evil main state.transition from=inactive to=background cause=home
    +3s   evil main state.suspend by=host

    """

  init() throws {
    folder = try TestFolder()
    let made = shell("mkdir -p .git Sources/Notes/UI Sources/Other", in: folder)
    #expect(made.status == 0)
    let lines = (1...60).map { "let line = \($0)\n" }.joined()
    try folder.write(lines, to: "Sources/Notes/UI/Editor.swift")
    // Of another module: it is not meant.
    try folder.write(lines, to: "Sources/Other/Editor.swift")
    try folder.write(lostDraftStory, to: "lost.story")
    try folder.write(Self.hostile, to: "hostile.story")
    for name in ["lost", "hostile"] {
      let made = run("lifetrace import story \(name).story -o \(name)")
      #expect(made.status == 0, "\(made.output)")
    }
    try folder.write("no trace", to: "broken")
  }

  private func run(_ line: String) -> (status: Int32, output: String) { shell(line, in: folder) }

  /// What `program` of Python prints about the output of `check` with those words.
  private func read(_ words: String, _ program: String) throws -> String {
    try folder.write(program, to: "reads.py")
    return run("lifetrace check \(words) 2>/dev/null | python3 reads.py").output
  }

  @Test func annotationsNameTheLineOfTheEdit() {
    let result = run("lifetrace check --format github lost")
    #expect(result.status == 1)
    let lines = result.output.split(separator: "\n")
    let start = "::error file=Sources/Notes/UI/Editor.swift,line=41,title=DS01 notes#1::draft.txt "
    #expect(lines.first?.hasPrefix(start) == true, "\(result.output)")
    #expect(lines.first?.contains("%0Acause: Notes/Editor.swift:41: ") == true)
    // From a folder below, too: paths are those of the repository.
    let below = run("cd Sources/Notes && lifetrace check --format github ../../lost")
    #expect(below.output.contains("file=Sources/Notes/UI/Editor.swift,line=41,"))
  }

  @Test func noFileAndNoLineIsInvented() throws {
    func annotation() -> String { run("lifetrace check --format github lost").output }
    // Shorter than it was: the file is named, the line is not.
    try folder.write("let short = 1\n", to: "Sources/Notes/UI/Editor.swift")
    #expect(annotation().contains("::error file=Sources/Notes/UI/Editor.swift,title="))
    #expect(annotation().contains("Notes/Editor.swift:41: the file here has fewer lines."))
    // Two of the name in folders of the module: both are said, none is chosen.
    _ = run("mkdir Sources/Notes/Old && cp Sources/Other/Editor.swift Sources/Notes/Old")
    #expect(annotation().contains("::error title=DS01"), "\(annotation())")
    #expect(
      annotation().contains(
        "Notes/Editor.swift:41 may be any of 2 files here: "
          + "Sources/Notes/Old/Editor.swift, Sources/Notes/UI/Editor.swift."
      )
    )
    // One of the name, of another module.
    _ = run("rm -r Sources/Notes")
    #expect(annotation().contains("Notes/Editor.swift:41 is not in this working tree."))
    #expect(!annotation().contains("file="))
    // As soon as a package says that it has such a module, the only file of the name is it.
    try folder.write(
      "targets: [.target(name: \"Notes\", path: \"Sources/Other\")]",
      to: "Package.swift"
    )
    #expect(annotation().contains("file=Sources/Other/Editor.swift,line=41,"))
  }

  @Test func aNameBeginsNoCommand() {
    let output = run("lifetrace check --format github hostile").output
    for line in output.split(separator: "\n") where line.contains("::") {
      #expect(line.hasPrefix("::error "), "\(line)")
    }
    #expect(output.contains("<b>%250A|,:@you"))
  }

  @Test func junitIsOneDocumentOfManyRecordings() throws {
    let said = try read(
      "--each --format junit lost broken hostile",
      """
      import sys, re, xml.etree.ElementTree as tree
      root = tree.fromstring(sys.stdin.buffer.read())
      assert root.tag == "testsuites"
      required = {"package", "id", "name", "timestamp", "hostname", "tests", "failures", "errors", "time"}
      for suite in root:
        assert suite.tag == "testsuite" and required <= set(suite.attrib)
        assert re.fullmatch(r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d", suite.get("timestamp"))
        tags = [part.tag for part in suite]
        cases = suite.findall("testcase")
        assert tags == ["properties"] + ["testcase"] * len(cases) + ["system-out", "system-err"]
        for kind in ["failure", "error", "skipped"]:
          name = kind if kind == "skipped" else kind + "s"
          assert int(suite.get(name)) == len(suite.findall("testcase/" + kind))
        assert int(suite.get("tests")) == len(cases) > 0
        for case in cases:
          assert set(case.attrib) == {"classname", "name", "time"} and len(case) <= 1
        failed = [case.get("name").split()[0] for case in cases if case.find("failure") is not None]
        print(suite.get("name"), failed, suite.get("errors"), {case.get("classname") for case in cases})
      """
    )
    #expect(
      said == """
        lost ['DS01', 'DS02'] 0 {'notes'}
        broken [] 1 {'lifetrace'}
        hostile ['DS01'] 0 {'a<b>&"@team|::error::x'}

        """
    )
    // What does not fail the check does not fail the case.
    let never = run("lifetrace check --fail-on never --format junit lost").output
    #expect(!never.contains("<failure") && never.contains("DS02 error"))
  }

  @Test func sarifIsOneLogOfManyRuns() throws {
    let said = try read(
      "--each --format sarif lost broken hostile",
      """
      import json, sys
      log = json.load(sys.stdin)
      assert set(log) == {"$schema", "version", "runs"} and log["version"] == "2.1.0"
      allowed = {"ruleId", "ruleIndex", "kind", "level", "message", "locations", "codeFlows",
        "partialFingerprints"}
      for run in log["runs"]:
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        for result in run["results"]:
          assert set(result) <= allowed and result["message"]["text"]
          assert rules[result["ruleIndex"]] == result["ruleId"]
          assert (result["kind"] == "fail") == (result["level"] != "none")
          for step in result["codeFlows"][0]["threadFlows"][0]["locations"]:
            assert step["location"]["message"]["text"]
        places = {(place["physicalLocation"]["artifactLocation"]["uri"],
          place["physicalLocation"]["region"]["startLine"])
          for result in run["results"] for place in result["locations"]}
        print(run["automationDetails"]["id"], rules, places, run["invocations"][0]["executionSuccessful"])
      """
    )
    #expect(
      said == """
        lifetrace/lost/ ['DS01', 'DS02'] {('Sources/Notes/UI/Editor.swift', 41)} True
        lifetrace/broken/ [] set() False
        lifetrace/hostile/ ['DS01'] {('Sources/Notes/UI/Editor.swift', 41)} True

        """
    )
  }

  @Test func aFingerprintOutlivesUnrelatedChanges() throws {
    func prints() throws -> String {
      try read(
        "--format sarif lost",
        "import json, sys\nfor r in json.load(sys.stdin)['runs'][0]['results']: "
          + "print(r['ruleId'], r['partialFingerprints']['lifetrace/v1'])\n"
      )
    }
    let before = try prints()
    #expect(before.split(separator: "\n").count == 2)
    // Later, larger, a line further down, after another launch: the same mistake.
    let lines = "// a new line\n" + (1...60).map { "let line = \($0)\n" }.joined()
    try folder.write(lines, to: "Sources/Notes/UI/Editor.swift")
    let other = lostDraftStory.replacing("Editor.swift:41", with: "Editor.swift:42")
      .replacing("+9s", with: "+19s").replacing("bytes=1204", with: "bytes=99")
    try folder.write(other, to: "other.story")
    #expect(run("rm lost; lifetrace import story other.story -o lost").status == 0)
    #expect(try prints() == before)
    // Another object is another mistake.
    try folder.write(other.replacing("draft.txt", with: "list.txt"), to: "third.story")
    #expect(run("rm lost; lifetrace import story third.story -o lost").status == 0)
    #expect(try prints() != before)
  }

  @Test func markdownKeepsNamesText() {
    let result = run("lifetrace check --each --format markdown lost broken hostile")
    #expect(result.status == 1)
    #expect(
      result.output.contains("| error | DS02 | notes#1 Sources/Notes/UI/Editor.swift:41 | draft")
    )
    #expect(result.output.contains("### lifetrace: broken\n\nNot judged: broken: not a trace"))
    #expect(result.output.contains("&lt;b&gt;%0A\\|,:&#64;you"), "\(result.output)")
    #expect(!result.output.contains("<b>%0A|,:@you lost"))
  }

  @Test func aReportGoesIntoAFile() throws {
    let written = run("lifetrace check --format junit -o report.xml lost")
    #expect(written.status == 1 && written.output.isEmpty, "\(written.output)")
    #expect(run("cat report.xml").output.hasPrefix("<?xml"))
    let none = run("lifetrace check --format junit -o nowhere/report.xml lost")
    #expect(none.status == 74)
    #expect(none.output.contains("nowhere/report.xml: cannot write it"), "\(none.output)")
  }

  /// What a fleet is counted by: the version of each start, and the profile.
  @Test func linesNameVersionAndSystem() throws {
    try folder.write(
      Self.hostile.replacing("app=evil\n", with: "app=evil version=\"2.1 (7)\"\n"),
      to: "named.story"
    )
    #expect(run("lifetrace import story named.story -o named").status == 0)
    let program = """
      import json, sys
      rows = [json.loads(line) for line in sys.stdin]
      print({(row["version"], row["os"]) for row in rows if "rule" in row})
      """
    #expect(try read("--format jsonl named", program) == "{('2.1 (7)', 'ios13')}\n")
    #expect(try read("--format jsonl hostile", program) == "{(None, 'ios13')}\n")
  }
}
