// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
import LifetraceTrace
package import LifetraceWords

/// A rule that a project has of its own, in one of six patterns.
///
///     OwnRule(id: "APP01", .within(from: …, to: …, limit: 20_000_000_000), origin: "lifetrace.yml:3")
///
/// It is judged, listed, suppressed and reported as those of the catalogue are.
package struct OwnRule: Sendable, Hashable {
  /// More rules than this are refused: an index of a rule is a byte.
  package static let rulesMax = 100
  /// The most that `at-most` counts to.
  package static let countMax = 1_000

  /// What must be so.
  package enum Form: Sendable, Hashable {
    /// Each of the first kind is followed by one of the second in time.
    case within(Span, limit: Int64, isRunning: Bool)
    /// The second never comes without the first before it, in the process or since a third.
    case order(Span, since: EventSelector?)
    /// Each of the first kind is followed by one of the second before a third comes.
    case pair(Span, before: EventSelector)
    /// It does not happen.
    case never(EventSelector, Bounds)
    /// At each of the first the second holds.
    case always(EventSelector, holds: EventSelector, Bounds)
    /// It happens no more often than that in any stretch of so many nanoseconds; nil for a process.
    case atMost(EventSelector, count: Int, per: Int64?, EventTie)
  }

  /// From which event to which something is asked; nil for the start and the end of the process.
  package struct Bounds: Sendable, Hashable {
    package var since: EventSelector?
    package var until: EventSelector?

    package init(since: EventSelector?, until: EventSelector?) {
      (self.since, self.until) = (since, until)
    }

    var all: [EventSelector] { [since, until].compactMap { $0 } }

    fileprivate var text: String {
      (since.map { " since \($0.text)" } ?? "") + (until.map { " until \($0.text)" } ?? "")
    }
  }

  /// Two events that belong together.
  package struct Span: Sendable, Hashable {
    package var first: EventSelector
    package var second: EventSelector
    package var tie: EventTie
    /// A name for a value of the first, which ties them where the second asks for it.
    package let bind: GivenName?

    package init(_ first: EventSelector, _ second: EventSelector, _ tie: EventTie? = nil) {
      (self.first, self.second, bind) = (first, second, nil)
      self.tie = tie ?? EventTie(first, second)
    }

    package init(_ first: EventSelector, _ second: EventSelector, bind: GivenName) {
      (self.first, self.second, self.bind) = (first, second, bind)
      tie = .nothing
    }
  }

  package var id: String
  /// The rule in a sentence; nil for the one that its pattern makes.
  package var says: String?
  package var severity = Severity.error
  package var fix: String?
  package var roles = RuleInfo.Roles.apps
  /// The apps that it is about; nil for all.
  package var app: Glob?
  package var form: Form
  /// Where it stands: `lifetrace.yml:3`.
  package var origin: String

  package init(id: String, _ form: Form, origin: String) {
    (self.id, self.form, self.origin) = (id, form, origin)
  }

  /// What is wrong with an id; nil where nothing is.
  ///
  /// Those of the catalogue have two letters, also those to come.
  package static func problem(withID id: String) -> OwnRuleProblem? {
    if RuleTable.info(id) != nil {
      return OwnRuleProblem(
        "`\(id)` is a rule of lifetrace",
        advice: "give yours three letters or more, such as APP01"
      )
    }
    let letters = id.prefix { $0.isASCII && $0.isUppercase }
    let digits = id.dropFirst(letters.count)
    let isWell = (3...8).contains(letters.count) && (1...4).contains(digits.count)
    guard !isWell || !digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return OwnRuleProblem(
      "`\(id)` is no id for a rule of your own",
      advice:
        "three to eight capital letters and a number, such as APP01; two letters are lifetrace's"
    )
  }
}

/// Which of the second events belongs to one of the first.
package enum EventTie: String, Sendable, CaseIterable {
  /// That of the same object, task, span or resource.
  case identity
  /// That of the same name.
  case name
  /// Any.
  case nothing = "none"

  /// The natural one: the same identity where both have one, unless two different names are asked for.
  init(_ first: EventSelector, _ second: EventSelector) {
    guard let one = first.identity, let other = second.identity, one == other,
      one.type == .name || first.families == second.families
    else {
      self = .nothing
      return
    }
    let (left, right) = (first.question.spoken, second.question.spoken)
    let areOthers = left.count == 1 && right.count == 1 && left != right
    self = areOthers ? .nothing : .identity
  }
}

// MARK: - As a rule

extension OwnRule {
  /// What it asks of a recording, made of its pattern: a sentence without a period.
  package var statement: String {
    switch form {
    case .within(let span, let limit, let isRunning):
      let running = isRunning ? ", suspensions not counted" : ""
      return "\(span.firstText) is followed by \(span.second.text) within "
        + "\(Quantity.duration(limit))\(running)\(span.tieText)"
    case .order(let span, let since):
      let from = since.map { "after \($0.text), " } ?? ""
      return "\(from)\(span.second.text) does not come before \(span.first.text)\(span.tieText)"
    case .pair(let span, let before):
      return "\(span.firstText) is followed by \(span.second.text) before \(before.text)"
        + span.tieText
    case .never(let event, let bounds): return "never \(event.text)\(bounds.text)"
    case .always(let event, let condition, let bounds):
      return "at \(event.text) always \(condition.text)\(bounds.text)"
    case .atMost(let event, let count, let per, let tie):
      let field = tie == .identity ? event.identity?.name ?? "identity" : "name"
      let each = tie == .nothing ? "" : " for each \(field)"
      let time = per.map { "in \(Quantity.duration($0))" } ?? "in a process"
      return
        "\(event.text) happens at most \(count == 1 ? "once" : "\(count) times") \(time)\(each)"
    }
  }

  /// What is listed of it.
  package var info: RuleInfo { rule.info }

  var rule: Rule {
    switch form {
    case .within(let span, let limit, let isRunning):
      rule(Within(span, limit: limit, isRunning: isRunning))
    case .order(let span, let since): rule(Precedence(span, since: since))
    case .pair(let span, let before): rule(Closing(span, before: before))
    case .never(let event, let bounds): rule(Never(event, bounds))
    case .always(let event, let condition, let bounds):
      rule(Always(event, holds: condition, bounds))
    case .atMost(let event, let count, let per, let tie):
      rule(AtMost(event, count: count, per: per, tie))
    }
  }

  private func rule(_ pattern: some Pattern) -> Rule {
    guard let app else { return bare(pattern) }
    return bare(ForApp(app, pattern))
  }

  private func bare(_ pattern: some Pattern) -> Rule {
    let sentence = says ?? statement
    return Rule(
      id,
      sentence.hasSuffix(".") ? sentence : sentence + ".",
      source: origin,
      severity: severity,
      fix: fix ?? "Keep to the rule, or change it where it stands: \(origin).",
      roles: roles,
      restsOnAllWork: restsOnAllWork,
      pattern
    )
  }

  /// What is not seen can keep a rule, where that asks for something to happen.
  private var restsOnAllWork: Bool {
    switch form {
    case .within, .order, .pair: true
    case .never, .always, .atMost: false
    }
  }

  /// The selectors by their numbers, as watchers count them, and whether one gives the occasion.
  var selectors: [(selector: EventSelector, isOccasion: Bool)] {
    switch form {
    case .within(let span, _, _): [(span.first, true), (span.second, false)]
    case .order(let span, let since):
      [(span.first, false), (span.second, true)] + (since.map { [($0, false)] } ?? [])
    case .pair(let span, let before):
      [(span.first, true), (span.second, false), (before, false)]
    case .never(let event, let bounds), .always(let event, _, let bounds):
      [(event, true)] + bounds.all.map { ($0, false) }
    case .atMost(let event, _, _, _): [(event, true)]
    }
  }
}

extension OwnRule.Span {
  fileprivate var firstText: String {
    first.text + (bind.map { ", \($0.text)," } ?? "")
  }

  fileprivate var tieText: String {
    switch tie {
    case .identity:
      first.identity.map { $0.name == "id" ? ", the same one" : ", of the same \($0.name)" } ?? ""
    case .name: ", of the same name"
    case .nothing: ""
    }
  }
}
