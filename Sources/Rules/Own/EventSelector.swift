// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Events that a rule of a project means, by kind and name, and by what they carry.
///
///     var saves = try EventSelector("data.durable *.sqlite")
///     try saves.require("level", "disk")
///
/// A kind is one of the vocabulary, a glob of them, or the first word of one that has an end:
/// `callback` is `callback.begin`. `state background` is the app's becoming that, and `end` the end
/// of the process, whatever ended it.
package struct EventSelector: Sendable, Hashable {
  /// More alternatives than this are refused.
  package static let alternativesMax = 8

  /// What it is about.
  enum Subject: Sendable, Hashable {
    case kinds([EventKind])
    case entering(AppState)
    case ending
  }

  /// Where an event happens.
  package enum Thread: String, CaseIterable, Sendable {
    case main, other
  }

  /// One of the events that it means.
  struct Alternative: Sendable, Hashable {
    var subject: Subject
    /// The name that must stand in the event; nil for any.
    var name: Glob?
    /// The callback that a name means, in whichever of its forms.
    var callback: Callback?
    var conditions: [FieldCondition] = []
    var thread: Thread?
  }

  /// At least one.
  private(set) var alternatives: [Alternative]
  /// It as people read it: `work.end upload`.
  package private(set) var text: String

  /// The events of `KIND` or `KIND NAME`.
  package init(_ text: String) throws(OwnRuleProblem) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let kind = words.first else {
      throw OwnRuleProblem("an event is a kind and perhaps a name", advice: Self.example)
    }
    alternatives = [Alternative(subject: try Self.subject(kind, words.dropFirst().first))]
    self.text = text
    switch alternatives[0].subject {
    case .kinds(let kinds):
      self.text = kinds.count == 1 ? kinds[0].info?.name ?? kind : kind
      if words.count > 1 {
        // In the middle of a value YAML leaves quotes where they are.
        let name = words[1]
        let isQuoted = name.count > 2 && name.hasPrefix("\"") && name.hasSuffix("\"")
        try require(name: isQuoted ? String(name.dropFirst().dropLast()) : name)
      }
    case .entering(let state): self.text = "state \(state.word)"
    case .ending: self.text = "end"
    }
  }

  /// The end of the process, whatever ended it.
  package static let processEnd = EventSelector(.ending, "end")

  private init(_ subject: Subject, _ text: String) {
    alternatives = [Alternative(subject: subject)]
    self.text = text
  }

  /// Any of some.
  package init(any selectors: [EventSelector]) {
    precondition(!selectors.isEmpty)
    alternatives = selectors.flatMap(\.alternatives)
    text = selectors.map(\.text).joined(separator: " or ")
  }

  private static let example = "work.end upload · data.dirty \"*.txt\" · state background · end"

  private static func subject(_ word: String, _ name: String?) throws(OwnRuleProblem) -> Subject {
    if word == "end" {
      guard name == nil else {
        throw OwnRuleProblem(
          "`end` is that of the process, and has no name",
          advice: "process.exit jetsam, or work.end \(name ?? "")"
        )
      }
      return .ending
    }
    if word == "state" {
      let known = AppState.allCases.filter { $0 != .unknown }.map(\.word)
      guard let name, let state = AppState(word: name), state != .unknown else {
        throw .unknown("state", name ?? "", among: known)
      }
      return .entering(state)
    }
    if let info = KindInfo.byName[word] { return .kinds([info.kind]) }
    let begins = KindInfo.all.filter { $0.ending != nil }
    if let info = begins.first(where: { $0.name.hasPrefix(word + ".") }) {
      return .kinds([info.kind])
    }
    let names = KindInfo.all.map(\.name)
    if word.contains(where: "*?[".contains) {
      let glob = Glob(word)
      let kinds = KindInfo.all.filter { glob.matches($0.name) }.map(\.kind)
      guard kinds.isEmpty else { return .kinds(kinds) }
      throw OwnRuleProblem(
        "no kind is called `\(word)`",
        advice: "lifetrace dump shows those of a recording"
      )
    }
    let prefix = word.prefix { $0 != "." } + "."
    let family = names.filter { $0.hasPrefix(prefix) }
    // Within a family the words are short: one of them is near only if it is very near.
    let verb = String(word.dropFirst(prefix.count))
    let near =
      family.isEmpty
      ? nearest(to: word, among: names + ["state", "end"])
      : nearest(to: verb, among: family.map { String($0.dropFirst(prefix.count)) })
        .map { prefix + $0 }
    if let near {
      throw OwnRuleProblem("there is no kind `\(word)`", advice: "did you mean `\(near)`?")
    }
    throw OwnRuleProblem(
      "there is no kind `\(word)`",
      advice: family.isEmpty
        ? "an event is a kind and perhaps a name: \(example)"
        : "there is: \(family.joined(separator: ", "))"
    )
  }

  /// Only those of that name.
  package mutating func require(name: String) throws(OwnRuleProblem) {
    for index in alternatives.indices {
      guard case .kinds(let kinds) = alternatives[index].subject else {
        throw OwnRuleProblem("`\(text)` has no name", advice: "leave it out")
      }
      if let kind = kinds.first(where: { !$0.hasName }) {
        throw OwnRuleProblem(
          "`\(kind.info?.name ?? "")` has no name",
          advice: "leave `\(name)` out"
        )
      }
      let glob = Glob(name)
      alternatives[index].name = glob
      let areCallbacks = kinds.allSatisfy { $0 == .callbackBegin || $0 == .callbackEnd }
      if areCallbacks, let exact = glob.literal {
        alternatives[index].callback = Callback(named: exact)
      }
    }
    text += " \(name)"
  }

  /// Only those on the main thread, or on others.
  package mutating func require(thread: Thread) throws(OwnRuleProblem) {
    guard alternatives.allSatisfy({ if case .kinds = $0.subject { true } else { false } }) else {
      throw OwnRuleProblem("`\(text)` happens on no thread", advice: "leave `thread` out")
    }
    for index in alternatives.indices { alternatives[index].thread = thread }
    text += thread == .main ? " on main" : " off main"
  }

  /// Only those that carry that value: a word, a glob of names, a number, or `> 2s`.
  package mutating func require(_ field: String, _ test: String) throws(OwnRuleProblem) {
    for index in alternatives.indices {
      guard case .kinds(let kinds) = alternatives[index].subject else {
        throw OwnRuleProblem("`\(text)` carries nothing", advice: "state.transition does")
      }
      alternatives[index].conditions.append(try FieldCondition(field, test, of: kinds))
    }
    text += " \(field) \(test)"
  }
}

extension EventSelector {
  /// The kinds among what it means; empty where it means none.
  var kinds: [EventKind] {
    var found: [EventKind] = []
    for case .kinds(let kinds) in alternatives.map(\.subject) { found += kinds }
    return found
  }

  /// Whether it names something, which can be misspelt.
  var isSpelt: Bool { !kinds.isEmpty }

  /// What ends each of its events, of the same name; nil where some have no end.
  package var ending: EventSelector? {
    var out = self
    for index in alternatives.indices {
      guard case .kinds(let kinds) = alternatives[index].subject else { return nil }
      let ends = kinds.compactMap { $0.info?.ending }
      guard ends.count == kinds.count else { return nil }
      out.alternatives[index].subject = .kinds(ends)
      // An end may come on any thread, and does not repeat what was said at the begin.
      out.alternatives[index].thread = nil
      out.alternatives[index].conditions = []
    }
    let kinds = out.kinds.compactMap { $0.info?.name }.joined(separator: " or ")
    let names = Set(alternatives.map { $0.name?.text })
    out.text = names.count == 1 ? ([kinds] + names.compactMap { $0 }).joined(separator: " ") : kinds
    return out
  }

  /// The families of such events: lost ones may hide one.
  var families: [EventFamily] {
    var found: [EventFamily] = []
    for one in alternatives {
      switch one.subject {
      case .kinds(let kinds): found += kinds.map(\.family)
      case .entering: found.append(.state)
      case .ending: found += [.process, .state]
      }
    }
    return EventFamily.allCases.filter(found.contains)
  }

  /// The events that it wants to see.
  var attention: [Trigger] {
    var triggers: [Trigger] = []
    for one in alternatives {
      switch one.subject {
      case .kinds(let kinds): triggers += kinds.map(Trigger.event)
      case .entering: triggers += Trigger.stateChanges
      case .ending: triggers += Trigger.endings
      }
    }
    return triggers
  }

  /// The one name that it means in all its alternatives; nil where it means several.
  var literalName: String? {
    let names = Set(alternatives.map { $0.name?.literal })
    return names.count == 1 ? names.first ?? nil : nil
  }

  /// The identity that all its events have; nil where they have none in common.
  var identity: Field? {
    guard alternatives.allSatisfy({ if case .kinds = $0.subject { true } else { false } }) else {
      return nil
    }
    let fields = Set(kinds.map { $0.info?.identity })
    return fields.count == 1 ? fields.first ?? nil : nil
  }
}

/// What is wrong with a rule of a project, and what would have been right.
package struct OwnRuleProblem: Error, Sendable, Hashable {
  /// The problem in one sentence.
  package var message: String
  /// What would have done; may be empty.
  package var advice: String

  package init(_ message: String, advice: String = "") {
    (self.message, self.advice) = (message, advice)
  }

  static func unknown(_ what: String, _ word: String, among known: [String]) -> OwnRuleProblem {
    let near = nearest(to: word, among: known).map { "did you mean `\($0)`?" }
    return OwnRuleProblem(
      "there is no \(what) `\(word)`",
      advice: near ?? "there is: \(known.joined(separator: ", "))"
    )
  }
}
