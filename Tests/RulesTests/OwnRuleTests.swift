// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceInterop
import LifetraceJudging
import LifetraceReports
import LifetraceRules
import LifetraceScenario
import LifetraceTimeline
import LifetraceTrace
import Support
import Testing

/// Rules of a project: the lives in `Traces/own-rules`, judged by the `lifetrace.yml` beside them.
///
/// The name of a life begins with its pattern, and goes on with what becomes of the rule. Its golden
/// shows that rule alone.
@Suite struct OwnRuleTests {
  static let folder = "Traces/own-rules"
  /// A rule of each pattern.
  static let rules = [
    "within": "APP01", "order": "APP02", "pair": "APP03", "never": "APP04", "atmost": "APP05",
    "always": "APP06", "bound": "APP07",
    "misspelt": "APP",
  ]
  static let lives = namesInFolder.filter { $0.hasSuffix(".txt") && !$0.hasSuffix(".check.txt") }
    .map { String($0.dropLast(4)) }

  private static var namesInFolder: [String] {
    guard let folder = opendir("\(Golden.root)/\(folder)") else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      found.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
      )
    }
    return found.sorted()
  }

  private func story(_ name: String) throws -> Story {
    try Story.parse(try #require(Golden.text("\(Self.folder)/\(name).txt")))
  }

  private func rules() throws -> RuleSet {
    RuleSet(own: try Configuration(parsing: OwnRulesPage.example).rules)
  }

  @Test func thePageShowsTheFile() {
    #expect(Golden.difference(OwnRulesPage.example, "\(Self.folder)/lifetrace.yml") == nil)
  }

  @Test(arguments: lives)
  func checkSaysWhatItShould(_ name: String) throws {
    let pattern = String(name.prefix { $0 != "-" })
    let rule = try #require(Self.rules[pattern], "no such pattern")
    let rules = try rules()
    let judgement = Judgement(rules: try RuleSelection(rule, of: rules), of: rules)
    let facts = StoryCheck.facts(try story(name), named: "trace.lifetrace", by: judgement)
    #expect(Golden.difference(facts.text(), "\(Self.folder)/\(name).check.txt") == nil)
    let sums = facts.grades.reduce((broken: 0, open: 0, held: 0)) {
      ($0.broken + $1.violated.total, $0.open + $1.undecidable, $0.held + $1.held)
    }
    switch name.dropFirst(pattern.count + 1).prefix(while: { $0 != "-" }) {
    case "broken": #expect(sums.broken > 0)
    case "undecidable": #expect(sums.broken == 0 && sums.open > 0)
    case "kept": #expect(sums.broken == 0 && sums.open == 0)
    default: #expect(name == "misspelt" && sums == (0, 0, 0))
    }
    if name.hasSuffix("-kept") { #expect(sums.held > 0) }
  }

  @Test func eachPatternHasThreeLives() {
    for pattern in Self.rules.keys where pattern != "misspelt" {
      for outcome in ["broken", "kept", "undecidable"] {
        #expect(Self.lives.contains("\(pattern)-\(outcome)"))
      }
    }
  }

  /// Rules said in the words of a project find what the catalogue's own find.
  @Test(
    arguments: [
      (
        "DL08",
        "within: {from: callback.begin && callback == expirationHandler, "
          + "to: callback.end && callback == expirationHandler, limit: 1s, clock: running}"
      ),
      (
        "ST02",
        "order: {first: callback.begin && callback == willResignActive, "
          + "then: callback.begin && callback == didBecomeActive, "
          + "since: callback.begin && callback == didBecomeActive}"
      ),
      ("ST12", "never: touch && state in [notRunning, inactive, background, suspended]"),
    ]
  )
  func aRuleLikeOneOfTheCatalogueAgreesWithIt(_ id: String, _ form: String) throws {
    let own = try Configuration(parsing: "rules:\n  OWN01:\n    \(form)\n").rules
    let rules = RuleSet(own: own)
    var (broken, open, held) = (0, 0, 0)
    // Of an app with two scenes the catalogue's rule says nothing: their calls have no scene.
    for folder in Golden.stories(with: "story.txt") where !folder.hasSuffix("two-scenes") {
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      let judgement = Judgement(rules: try RuleSelection("\(id),OWN", of: rules), of: rules)
      let counts = judgement.checker(of: story.source).counts
      for count in counts where count.rule == id {
        let other = try #require(counts.first { $0.rule == "OWN01" && $0.app == count.app })
        #expect(other.violated == count.violated, "\(folder)")
        #expect(other.undecidable == count.undecidable, "\(folder)")
        // The first call is an occasion of the catalogue's; `since` asks for nothing before it.
        if id != "ST02" { #expect(other.held == count.held, "\(folder)") }
        (broken, open, held) = (
          broken + count.violated, open + count.undecidable, held + count.held
        )
      }
    }
    #expect(broken > 0 && open > 0 && held > 0)
  }

  /// A name for what both are about ties as their identity does.
  @Test(
    arguments: [
      ("within: {from: dirty, to: data.durable, limit: 2s", "doc = object", "object == doc"),
      ("pair: {begin: work.begin, end: work.end, before: suspend", "its = id", "id == its"),
    ]
  )
  func aBoundIdentityIsTheIdentity(_ form: String, _ bind: String, _ asked: String) throws {
    let key = form.hasPrefix("pair") ? "end: work.end" : "to: data.durable"
    let bound = form.replacing(key, with: "\(key) && \(asked)")
    let text = "rules:\n  OWN01:\n    \(form)}\n  OWN02:\n    \(bound), bind: \(bind)}\n"
    let rules = RuleSet(own: try Configuration(parsing: text).rules)
    let judgement = Judgement(rules: try RuleSelection("OWN", of: rules), of: rules)
    var (broken, open, held) = (0, 0, 0)
    for folder in Golden.stories(with: "story.txt") {
      let story = try Story.parse(try #require(Golden.text("\(folder)/story.txt")))
      let counts = judgement.checker(of: story.source).counts
      for count in counts where count.rule == "OWN01" {
        let other = try #require(counts.first { $0.rule == "OWN02" && $0.app == count.app })
        #expect(other.violated == count.violated, "\(folder)")
        #expect(other.undecidable == count.undecidable, "\(folder)")
        #expect(other.held == count.held, "\(folder)")
        (broken, open, held) = (
          broken + count.violated, open + count.undecidable, held + count.held
        )
      }
    }
    #expect(held > 0 && broken + open > 0)
  }

  @Test func theFormsOfCheckKnowTheRules() throws {
    let rules = try rules()
    let judgement = Judgement(rules: try RuleSelection("APP01", of: rules), of: rules)
    let facts = StoryCheck.facts(try story("within-broken"), named: "run", by: judgement)
    let says = "The upload ends within 20 s after the app went to the background."
    for name in ["sarif", "junit", "jsonl", "markdown"] {
      let format = try #require(CheckFormat.named(name), "\(name)")
      let text = format.write(.judged(facts), CheckReport())
      #expect(text.contains("APP01"), "\(name): \(text)")
      if name != "jsonl" { #expect(text.contains(says), "\(name): \(text)") }
    }
  }

  /// What a suppression asks for is in the sentence of a verdict.
  @Test func verdictsNameWhatTheyAreAbout() throws {
    let rules = try rules()
    let verdicts = Judgement(rules: try RuleSelection("APP", of: rules), of: rules)
      .checker(of: try story("atmost-broken").source).finish()
    let broken = try #require(verdicts.first { $0.outcome == .violated })
    #expect(broken.title.subject == "draft.json" && broken.rule == "APP05")
    #expect(broken.severity == .warning)
  }

  @Test func aRuleIsAboutTheAppsAndProcessesThatItNames() throws {
    func broken(_ keys: String) throws -> Int {
      let text = "rules:\n  OWN01:\n    never: {event: data.flushing}\n    \(keys)\n"
      let judgement = Judgement(of: RuleSet(own: try Configuration(parsing: text).rules))
      return judgement.checker(of: try story("atmost-broken").source).counts
        .reduce(0) { $0 + ($1.rule == "OWN01" ? $1.violated : 0) }
    }
    #expect(try broken("app: no*") == 6)
    #expect(try broken("app: mail") == 0)
    #expect(try broken("of: all") == 6)
  }
}

extension StoryCheck {
  /// What some rules say of a story.
  static func facts(_ story: Story, named file: String, by judgement: Judgement) -> CheckFacts {
    let first = story.writers.flatMap(\.events).map(\.time).min() ?? HostTime(rawValue: 0)
    return CheckFacts(
      judgement.checker(of: story.source),
      named: file,
      writers: story.writers.map { CheckFacts.Writer($0.label, clock: StreamClock(epoch: first)) }
    )
  }
}
