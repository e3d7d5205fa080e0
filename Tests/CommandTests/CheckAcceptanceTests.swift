// SPDX-License-Identifier: Apache-2.0
import Glibc
import Support
import TestThreads
import Testing

/// What does not count, and what is asked for: baselines, suppressions, apps, many files.
@Suite(.waits) struct CheckAcceptanceTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let made = shell("mkdir -p .git Sources/Notes", in: folder)
    #expect(made.status == 0)
    try source(from: 1)
    try recording("lost", lostDraftStory)
  }

  private func source(from first: Int) throws {
    try folder.write(
      (first..<first + 60).map { "draft[\($0)] = text\n" }.joined(),
      to: "Sources/Notes/Editor.swift"
    )
  }

  private func recording(_ name: String, _ story: String) throws {
    try folder.write(story, to: "\(name).story")
    let made = run("rm -f \(name); lifetrace import story \(name).story -o \(name)")
    #expect(made.status == 0, "\(made.output)")
  }

  private func run(_ line: String) -> (status: Int32, output: String) { shell(line, in: folder) }

  @Test func whatIsKnownDoesNotCount() throws {
    let written = run("lifetrace check --write-baseline known lost")
    #expect(written.status == 0, "\(written.output)")
    #expect(written.output.contains("2 findings accepted, DS01 DS02 (known from known)."))
    #expect(written.output.contains("lifetrace: known: 2 known findings"))
    #expect(run("lifetrace check --baseline known lost").status == 0)
    // One line further down, at another time and with other sizes: the same.
    try folder.write(
      "// new\n" + (1..<60).map { "draft[\($0)] = text\n" }.joined(),
      to: "Sources/Notes/Editor.swift"
    )
    let later = lostDraftStory.replacing("swift:41", with: "swift:42")
      .replacing("+9s", with: "+19s").replacing("bytes=1204", with: "bytes=7")
    try recording("later", later)
    #expect(run("lifetrace check --baseline known later").status == 0)
    // Where the sources are not, what is known of the line cannot be compared, and is no reason.
    #expect(run("rm -r Sources; lifetrace check --baseline known later").status == 0)
    // Another object, another line of the source: new.
    try recording("other", later.replacing("draft.txt", with: "list.txt"))
    #expect(run("lifetrace check --baseline known other").status == 1)
    _ = run("mkdir -p Sources/Notes")
    try source(from: 500)
    let moved = run("lifetrace check --baseline known lost")
    #expect(moved.status == 1, "\(moved.output)")
    #expect(moved.output.contains("known: 2 of 2 known findings did not happen this time"))
  }

  @Test func aBaselineIsCheckedByLine() throws {
    try folder.write("{\"baseline\":1}\n{\"rule\":\"DS01\"}\n", to: "known")
    let short = run("lifetrace check --baseline known lost")
    #expect(short.status == EX_CONFIG)
    #expect(short.output.contains("known: line 2: it lacks rule, level"), "\(short.output)")
    try folder.write("{\"baseline\":2}\n", to: "known")
    #expect(run("lifetrace check --baseline known lost").output.contains("a newer lifetrace"))
    #expect(run("lifetrace check --baseline none lost").status == 74)
    #expect(run("lifetrace check --baseline a --write-baseline b lost").status == 64)
  }

  @Test(
    arguments: [
      ("{rule: DS0?, reason: r}", ""), ("{rule: DS01, reason: r}", "DS02"),
      ("{app: notes, reason: r}", ""), ("{app: other, reason: r}", "DS01 DS02"),
      ("{object: \"*.txt\", reason: r}", ""), ("{object: list.txt, reason: r}", "DS01 DS02"),
      ("{site: Editor.swift, reason: r}", ""), ("{site: \"Notes/*:41\", reason: r}", ""),
      ("{site: Editor.swift:40, reason: r}", "DS01 DS02"),
      ("{rule: DS02, site: Editor.swift, reason: r}", "DS01"),
      ("{rule: DS02, reason: r, until: 2999-01-01}", "DS01"),
      ("{rule: DS02, reason: why, until: 2020-02-02}", "DS01 DS02"),
    ]
  )
  func aSuppressionCoversWhatItNames(entry: String, left: String) throws {
    try folder.write("suppress:\n- \(entry)\n", to: "lifetrace.yml")
    let result = run("lifetrace check lost")
    let lines = result.output.split(separator: "\n")
    let errors = lines.filter { $0.contains(" error  notes#1") }.map { String($0.prefix(4)) }
    #expect(errors.joined(separator: " ") == left, "\(result.output)")
    #expect(result.status == (left.isEmpty ? 0 : 1))
    if left.isEmpty {
      #expect(result.output.contains("accepted, DS01 DS02 (lifetrace.yml:2: r)."))
    }
    // One that is for something else is told once, however many files there are.
    let two = run("lifetrace check lost lost").output
    let isIdle = left == "DS01 DS02" && !entry.contains("2020")
    #expect(
      two.split(separator: "lifetrace.yml:2: nothing was found that it suppresses (").count
        == (isIdle ? 2 : 1),
      "\(two)"
    )
    if entry.contains("2020") {
      #expect(result.output.contains("lifetrace.yml:2: the suppression has ended on 2020-02-02"))
    }
  }

  @Test func whatIsSuppressedIsInNoForm() throws {
    try folder.write("suppress:\n- {app: notes, reason: r}\n", to: "lifetrace.yml")
    #expect(!run("lifetrace check --format junit lost").output.contains("<failure"))
    #expect(!run("lifetrace check --format github lost").output.contains("::error"))
    #expect(!run("lifetrace check --format sarif lost").output.contains("\"fail\""))
    let lines = run("lifetrace check --format jsonl lost").output
    #expect(lines.contains("\"errors\":0") && lines.contains("\"accepted\":2"), "\(lines)")
  }

  /// What was not looked at does not make a suppression idle.
  @Test func aSuppressionOfWhatIsNotJudgedIsNotIdle() throws {
    try folder.write("suppress:\n- {rule: DS07, reason: made anew}\n", to: "lifetrace.yml")
    let said = "lifetrace.yml:2: nothing was found that it suppresses (rule DS07): made anew"
    #expect(run("lifetrace check lost").output.contains(said))
    for options in ["--rules DS01", "--app notes"] {
      let result = run("lifetrace check \(options) lost")
      #expect(!result.output.contains("nothing was found"), "\(result.output)")
    }
  }

  @Test func anAppIsAskedFor() {
    #expect(run("lifetrace check --app notes --require-app lost").status == 1)
    let other = run("lifetrace check --app other lost")
    #expect(other.status == 1)
    #expect(run("lifetrace check --app other --exit-zero lost").status == 0)
    #expect(run("lifetrace check --app other --app notes lost").status == 1)
    #expect(other.output.contains("No app of that name took part"), "\(other.output)")
    #expect(other.output.contains("there is: notes."))
    let missing = run("lifetrace check --app other --require-app lost")
    #expect(missing.status == 1)
    #expect(missing.output.contains("Not met: none of other took part in lost (--require-app)."))
    for format in ["junit", "sarif", "github", "markdown", "jsonl"] {
      let said = run("lifetrace check --app other --require-app --format \(format) lost")
      #expect(said.status == 1 && said.output.contains("none of other took part"), "\(said.output)")
    }
  }

  @Test func manyFilesAreJudgedPastABrokenOne() throws {
    try folder.write("lost\nbroken\nmissing\nlost-too\nlost\n", to: "list")
    try folder.write(folder.read("lost"), to: "lost-too")
    try folder.write("no trace", to: "broken")
    let all = run("lifetrace check --files-from - < list")
    #expect(all.status == 1)
    #expect(all.output.matches(of: /== lost(-too)?\n/).count == 2, "\(all.output)")
    #expect(
      all.output.contains("broken: not a trace") && all.output.contains("missing: cannot open")
    )
    #expect(run("lifetrace check --fail-on never --files-from list").status == 74)
    #expect(
      run("grep -v missing list | lifetrace check --fail-on never --files-from -").status == 2
    )
    #expect(run("lifetrace check --exit-zero --files-from list").status == 0)
    #expect(run("lifetrace check --exit-zero --nonsense lost").status == 64)
    let rows = run("lifetrace check --format jsonl --files-from list 2>/dev/null").output
    #expect(rows.matches(of: /\{"summary":"lost(-too)?"/).count == 2)
    #expect(rows.matches(of: /\{"unreadable":"(broken|missing)"/).count == 2, "\(rows)")
  }
}
