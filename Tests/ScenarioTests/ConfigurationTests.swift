// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceScenario
import LifetraceLifecycle
import Support
import Testing

@Suite("The project's lifetrace.yml")
struct ConfigurationTests {
  @Test("What init writes is a configuration")
  func starter() throws {
    let text = try #require(Starter.files().first { $0.path == Configuration.fileName }?.text)
    let configuration = try Configuration(parsing: text)
    #expect(configuration.profile == .ios13)
    // The examples in its comments are right too, each alone and all of them, however uncommented.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let examples = lines.indices.filter { lines[$0].hasPrefix("#  ") }
    #expect(examples.count == 5)
    for cut in [1, 2] {
      for example in examples {
        var some = lines
        some[example] = String(some[example].dropFirst(cut))
        _ = try Configuration(parsing: some.joined(separator: "\n"))
      }
    }
    let spoken = lines.map { $0.hasPrefix("#  ") ? String($0.dropFirst()) : $0 }
    let full = try Configuration(parsing: spoken.joined(separator: "\n"))
    #expect(full.off.map(\.rule) == ["MT02"])
    #expect(full.off.first?.reason == "the store is a memory-mapped file")
    #expect(full.rules.map(\.id) == ["APP01"])
    #expect(full.redactions == ["/user-[0-9]+/"])
    #expect(full.profile?.launch == Profile.Limit(warn: 3, kill: 20))
    #expect(full.profile?.backgroundTask == Profile.Limit(warn: 20, kill: 30))
  }

  @Test(
    "Mistakes are told with their place",
    arguments: [
      ("profle: ios13\n", 1, 1, "did you mean `profile`"),
      ("profile: ios12\n", 1, 10, "ios13"),
      ("profile: ios13\nthresholds:\n  lanch: 3\n", 3, 3, "did you mean `launch`"),
      ("profile: ios13\nthresholds:\n  launch: {warn: soon}\n", 3, 18, "seconds"),
      ("profile: ios13\nthresholds:\n  launch: {warn: 9, kill: 3}\n", 3, 11, "after `kill`"),
      ("thresholds:\n  launch: 3\n", 2, 3, "profile"),
      ("profile: ios13\nthresholds:\n  large-footprint: much\n", 3, 20, "50MB"),
      ("profile: ios13\nthresholds:\n  busy-share: 80\n", 3, 15, "up to 1"),
      ("profile: ios13\nthresholds:\n  pile: 1\n", 3, 9, "from 2"),
      ("off:\n  MT2: slow\n", 2, 3, "did you mean MT02"),
      ("off:\n  MT02:\n", 2, 3, "without a reason"),
      ("off:\n  MT02: slow\n  MT02: old\n", 3, 3, "it is in line 2 already"),
      ("suppress:\n- {rule: DS99, reason: x}\n", 2, 10, "no rule `DS99`"),
      ("suppress:\n- {rule: DS01}\n", 2, 3, "without a reason"),
      ("suppress:\n- {reason: all}\n", 2, 3, "everything"),
      ("suppress:\n- {rule: DS01, reason: x, until: soon}\n", 2, 34, "2027-01-31"),
      ("suppress:\n- {rule: DS01, objct: x}\n", 2, 16, "did you mean `object`"),
      ("suppress: DS01\n", 1, 11, "a list"),
      ("redact: [a]\nredact: [b]\n", 2, 1, "`redact` stands here a second time"),
      ("redact: [a]\n---\nredact: [b]\n", 2, 1, "a second document"),
      ("redact: &a [a]\noff: *a\n", 2, 6, "aliases are not allowed"),
      ("redact: secret\n", 1, 9, "list"),
      ("data: notes.txt\n", 1, 7, "`data` is a list of patterns"),
      ("data: [a, \"../b\"]\n", 1, 11, "leave out the dots"),
      ("data: [\"\"]\n", 1, 8, "names files"),
      ("redact:\n- ok\n- \"/(/\"\n", 3, 3, "("),
    ] + ownRules
  )
  func mistakes(_ text: String, line: Int, column: Int, word: String) {
    let problem = #expect(throws: ScenarioProblem.self) { try Configuration(parsing: text) }
    #expect(problem?.place == ScenarioPlace(line: line, column: column))
    #expect(
      problem?.text(file: "lifetrace.yml").contains(word) == true,
      "\(String(describing: problem))"
    )
  }

  /// Mistakes in the rules of the project's own.
  private static let ownRules: [(String, Int, Int, String)] = [
    ("rules:\n  DS01: {never: {event: mark}}\n", 2, 3, "is a rule of lifetrace"),
    ("rules:\n  DS99: {never: {event: mark}}\n", 2, 3, "three to eight capital letters"),
    ("rules:\n  app1: {never: {event: mark}}\n", 2, 3, "such as APP01"),
    ("rules: [APP01]\n", 1, 8, "`rules` is a mapping"),
    ("rules:\n  APP01: {says: x}\n", 2, 3, "has no pattern"),
    ("rules:\n  APP01: {nevr: {event: mark}}\n", 2, 11, "did you mean `never`"),
    ("rules:\n  APP01: {never: {event: mark}, order: {}}\n", 2, 33, "two patterns"),
    ("rules:\n  APP01: {never: {evnt: mark}}\n", 2, 19, "did you mean `event`"),
    ("rules:\n  APP01: {never: {since: active}}\n", 2, 11, "`never` needs `event`"),
    ("rules:\n  APP01: {never: {event: mark, until: activ}}\n", 2, 39, "did you mean active?"),
    ("rules:\n  APP01: {never: {event: work.begn}}\n", 2, 26, "did you mean work.begin?"),
    ("rules:\n  APP01: {never: mark && nme == 1}\n", 2, 26, "did you mean name?"),
    ("rules:\n  APP01: {never: 'mark && nme == 1'}\n", 2, 27, "did you mean name?"),
    ("rules:\n  APP01:\n    never: dirty && bytes > 3s\n", 3, 29, "    ^~"),
    ("rules:\n  APP01: {never: {event: [mark, touch]}}\n", 2, 26, "one expression"),
    ("rules:\n  APP01: {never: {event: {event: mark}}}\n", 2, 26, "one expression"),
    ("rules:\n  APP01: {always: {event: purge}}\n", 2, 11, "`always` needs `holds`"),
    ("rules:\n  APP01: {within: {from: mark, to: touch, limit: 20}}\n", 2, 50, "20s"),
    ("rules:\n  APP01: {pair: {begin: touch}}\n", 2, 25, "nothing ends `touch`"),
    ("rules:\n  APP01: {at-most: {event: mark, count: 0, per: 1s}}\n", 2, 41, "`never`"),
    ("rules:\n  APP01: {at-most: {event: mark, count: 1, per: day}}\n", 2, 49, "`process`"),
    ("off:\n  APP01: x\n", 2, 3, "no rule `APP01`"),
    (
      "suppress:\n- {rule: APP02, reason: x}\nrules:\n  APP01: {never: {event: mark}}\n", 2, 10,
      "there is: APP01"
    ),
  ]

  @Test("Rules of the project are rules wherever the file names one")
  func ownRulesAreKnown() throws {
    let text = """
      off: {APP02: not yet}
      suppress:
      - {rule: APP01, object: draft*, reason: made anew}
      rules:
        APP01: {never: data.flushing && object =~ `*.json`}
        APP02: {never: mark || exit}

      """
    let configuration = try Configuration(parsing: text, file: "other.yml")
    #expect(configuration.rules.map(\.id) == ["APP01", "APP02"])
    #expect(configuration.rules.map(\.origin) == ["other.yml:5", "other.yml:6"])
    #expect(configuration.rules[0].statement == "never data.flushing && object =~ `*.json`")
    #expect(configuration.off.map(\.rule) == ["APP02"])
    let many = (0...100).map { "  OWN\($0): {never: {event: mark}}\n" }.joined()
    #expect(Configuration.problems(in: "rules:\n" + many).map(\.place.line) == [102])
  }

  @Test("All mistakes are told, in the order of the file")
  func allMistakes() throws {
    let text = """
      profile: ios12
      thresholds:
        lanch: 3
        launch: {warn: 9, kill: 3}
      off:
        MT2: slow
        MT02:
      redact:
      - ok
      - "/(/"
      colour: red

      """
    let lines = Configuration.problems(in: text).map(\.place.line)
    #expect(lines == [1, 3, 4, 6, 7, 10, 11])
    #expect(Configuration.problems(in: "profile: ios13\n").isEmpty)
  }

  @Test("check leaves out what is switched off and says why; a mistake ends it")
  func check() throws {
    let folder = try TestFolder()
    let tool = "\(TestProgram.products)/lifetrace"
    func run(_ text: String, _ line: String) throws -> TestProgram.Outcome {
      try folder.write(text, to: "lifetrace.yml")
      return TestProgram.shell("cd \(folder.path) && \(line) 2>&1")
    }
    let life = "app: notes\nsteps:\n- launch\n- tell: {edit: diary}\n- home\n- purge\n"
    try folder.write(life, to: "life.yml")
    let notes = "\(TestProgram.products)/notes --directory ."
    let record = "\(tool) record --force --scenario life.yml -o run.lifetrace -- \(notes)"
    #expect(try run("", record).code == 0)
    #expect(try run("", "\(tool) dump run.lifetrace").said.contains("draft.txt"))
    #expect(try run("redact: [draft*]\n", record).code == 0)
    #expect(try !run("", "\(tool) dump run.lifetrace").said.contains("draft.txt"))
    #expect(try run("", "\(tool) check run.lifetrace").code == 1)
    let off = "off: {DS02: a demonstration, DS01: another}\n"
    let quiet = try run(off, "\(tool) check run.lifetrace")
    #expect(!quiet.said.contains("DS02 error"), "\(quiet.said)")
    #expect(quiet.said.contains("DS02 is switched off: a demonstration"), "\(quiet.said)")
    try folder.write(life + "- expect: no violations\n", to: "life.yml")
    #expect(try run("", record).code == 1)
    #expect(try run(off, record).code == 0)
    let wrong = try run("of: {}\nprofle: ios13\n", "\(tool) check run.lifetrace")
    #expect(wrong.code == EX_CONFIG)
    #expect(wrong.said.contains("lifetrace.yml:2:1: there is no key `profle`"), "\(wrong.said)")
    #expect(wrong.said.contains("lifetrace.yml:1:1: there is no key `of`"), "\(wrong.said)")
    let named = try run(
      "of: {}\n",
      "cd / && \(tool) check --config /none.yml \(folder.path)/run.lifetrace"
    )
    #expect(
      named.code == EX_CONFIG && named.said.contains("cannot read /none.yml"),
      "\(named.said)"
    )
    // What cannot be read is not taken for an empty file, which would switch redaction off.
    let asFile = try run(off, "\(tool) check --config . run.lifetrace")
    #expect(asFile.code == EX_CONFIG && asFile.said.contains("cannot read ."), "\(asFile.said)")
  }
}
