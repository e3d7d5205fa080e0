// SPDX-License-Identifier: GPL-3.0-or-later
import LifetracePlatform
import LifetraceLifecycle
import LifetraceQuery
import LifetraceReplay
import LifetraceRules
import LifetraceScenario
import LifetraceTrace
import LifetraceWords
@preconcurrency import CLifetraceReadline

/// What TAB offers, from the command table.
enum Completer {
  /// The session that names and places are taken from.
  ///
  /// Set before the first prompt; readline calls back on the main thread while it reads a line,
  /// and only then is it looked at.
  nonisolated(unsafe) static var session: Session?
  /// The words offered, while readline fetches them one by one; main thread only, as above.
  nonisolated(unsafe) private static var offers: [String] = []

  /// readline's hook: the words for `text`, which stands at `start` of its line.
  static let complete:
    @convention(c) (UnsafePointer<CChar>?, Int32, Int32)
      -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = { text, start, _ in
        // Never file names.
        rl_attempted_completion_over = 1
        guard let text, let session = Completer.session else { return nil }
        let line = rl_line_buffer.map { String(cString: $0) } ?? ""
        let before = String(decoding: Array(line.utf8.prefix(Int(start))), as: UTF8.self)
        Completer.offers = Completer.words(before: before, text: String(cString: text), session)
        return rl_completion_matches(text) { _, state in
          guard Int(state) < Completer.offers.count else { return nil }
          return strdup(Completer.offers[Int(state)])
        }
      }

  /// The words that begin with `text` and fit behind `before`.
  static func words(before: String, text: String, _ session: Session) -> [String] {
    let typed = before.split(separator: " ").map(String.init)
    guard let first = typed.first else {
      let names = CommandTable.all.flatMap { [$0.name] + $0.aliases.filter { $0.count > 2 } }
      return (names + session.definitions.names).filter { $0.hasPrefix(text) }.sorted()
    }
    guard case .one(let command) = CommandTable.find(first) else { return [] }
    if let values = values(of: command, typed, text, session) {
      return values.filter { $0.hasPrefix(text) }
    }
    // A second word of next is a name, one of what-if is what its first one takes.
    var kind = command.completes
    if typed.count > 1 {
      if kind == .kinds { kind = .names }
      if kind == .hypotheses { kind = WhatIfCommand.completion(of: typed[1]) }
    }
    return candidates(kind, session).filter {
      $0.hasPrefix(text) && !$0.contains(" ") && Printable.isPlain($0)
    }.sorted()
  }

  /// The values of a setting, or the violations behind `#`; nil where neither is asked for.
  private static func values(
    of command: Command,
    _ typed: [String],
    _ text: String,
    _ session: Session
  ) -> [String]? {
    if command.completes == .settings, typed.count == 2, command.name == "set" {
      return try? Setting.find(typed[1]).choices(session)
    }
    guard text.hasPrefix("#"), [.explanations, .places].contains(command.completes),
      session.background == nil, let findings = try? session.findings()
    else { return nil }
    return (1..<findings.violations.count + 1).map { "#\($0)" }
  }

  /// What `why` can say something about here: data that was met, rules that are broken, the state.
  private static func explanations(_ session: Session) -> [String] {
    let player = session.player
    var words: Set<String> = ["state"]
    for stream in player.timeline.streams where player.cursor(of: stream.id) > 0 {
      words.formUnion(player.state(of: stream.id).data.values.map { player.names[$0.name] })
    }
    guard session.background == nil, let findings = try? session.findings() else {
      return Array(words)
    }
    for list in [findings.violations, findings.undecidable] { words.formUnion(list.map(\.rule)) }
    return Array(words)
  }

  private static func candidates(_ kind: Command.Completion, _ session: Session) -> [String] {
    let player = session.player
    switch kind {
    case .nothing: return []
    case .kinds:
      return KindWord.all.map(\.word) + KindInfo.all.map(\.name) + KindWord.deviceWords
    case .expressions:
      return session.schema.words + StateFact.all.map(\.name) + StateTable.all.map(\.word)
        + player.names.strings.filter { !$0.isEmpty && $0.count <= 80 }
    case .places: return ["start", "end"] + session.marks
    case .names: return player.names.strings.filter { !$0.isEmpty && $0.count <= 80 } + ["state"]
    case .explanations: return explanations(session)
    case .commands:
      return CommandTable.all.map(\.name) + ["kinds", "expressions", "places", "settings"]
        + session.settings.judgement.table.infos.map(\.id)
    case .settings: return Setting.all.map(\.name)
    case .hypotheses: return WhatIfCommand.words
    case .profiles: return Profile.all.map(\.name)
    case .thresholds: return Threshold.deadlines.map(\.name)
    case .writers: return player.labels.labels
    case .rules: return session.settings.judgement.table.infos.map(\.id) + ["all"]
    case .topics: return LookingCommands.topics
    case .flows: return flows(session)
    }
  }

  /// The message here and the request that is followed; what else `follow` takes.
  private static func flows(_ session: Session) -> [String] {
    let player = session.player
    let here = player.place.flatMap(player.flow(of:)).map { [Wording.flow($0)] } ?? []
    let trace = session.request?.trace.map { [Wording.trace(high: $0.high, low: $0.low)] } ?? []
    return here + trace + ["back", "on", "off"]
  }
}
