// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension Session {
  /// Answers of so many questions are kept.
  private static let askingsMax = 16

  /// The condition that `text` is, put to the recording; what is wrong with it is shown with a caret.
  func asking(_ text: String) throws(CommandError) -> Asking {
    if let known = askings.last(where: { $0.question.text == text }) { return known }
    do throws(QueryError) {
      return remember(Asking(try Question(condition: text, schema: schema), player))
    } catch {
      throw wrong(error, in: text)
    }
  }

  /// What may be asked of this recording.
  var schema: Schema {
    if let knownSchema { return knownSchema }
    let made = Schema.of(player.timeline)
    knownSchema = made
    return made
  }

  /// An error with the line that is meant and a caret below.
  static func usage(_ error: QueryError, in text: String) -> CommandError {
    let lines = error.marked(in: text).map { "\n  " + $0 }.joined()
    return .usage(error.ended + lines)
  }

  private func remember(_ asking: Asking) -> Asking {
    if askings.count >= Self.askingsMax { askings.removeFirst() }
    askings.append(asking)
    return asking
  }

  /// Of which events a condition is asked that names no kind; nil for any other.
  func kindsMeant(_ question: Question?) -> Line? {
    let names = question?.impliedKinds.compactMap { player.names.info(of: $0)?.name } ?? []
    guard !names.isEmpty else { return nil }
    let more = names.count - Self.kindsMax
    let some = names.prefix(Self.kindsMax) + (more > 0 ? [Quantity.count(more, "other kind")] : [])
    return Line("No kind is named: it is asked of \(Wording.list(Array(some))).", .faint)
  }

  /// More kinds than this are counted.
  private static let kindsMax = 6

  /// What is said where losses left it open whether a condition holds.
  func undecided(_ asking: Asking, from: Position, to: Position) -> Line? {
    let places = asking.undecided(from: from, to: to)
    return asking.undecidedWords(places, "on the way") { place, _ in player.name(of: place) }
      .map { Line("\($0).") }
  }
}

extension Session {
  /// The nearest event that a filter finds; does not move.
  ///
  /// Where a recording is being made it goes on with what comes behind the end, and has the filter made
  /// anew for that: writers may have come that it is about.
  func find(_ direction: Direction, _ filter: () throws -> EventFilter) throws -> EventPlace? {
    if let place = try player.find(try filter(), direction) { return place }
    var end = player.timeline.finish
    while direction == .forward, try player.awaitMore?() == true {
      let from = player.timeline.widened(end)
      if let place = try player.find(try filter(), .forward, from: from) { return place }
      end = player.timeline.finish
    }
    return nil
  }
}

/// What a command looks for.
struct Search {
  var filter: EventFilter
  /// What is asked, where it is an expression.
  var asking: Asking?
  /// What would be found: `dirty event that mentions draft.txt`.
  var words: String
}

extension Session {
  /// Whether a text can only be an expression.
  private static func isExpression(_ text: String) -> Bool {
    let signs = ["==", "!=", "=~", "<", ">", "&&", "||", "`"]
    let words = [" where ", " if ", " and ", " or ", " in "]
    return (signs + words).contains { text.contains($0) } || text.hasPrefix("!")
      || ["not ", "any ", "all ", "before."].contains { text.hasPrefix($0) }
  }

  private func search(where text: String) throws(CommandError) -> Search {
    let asking = try asking(text)
    return Search(filter: asking.filter, asking: asking, words: "event where \(text)")
  }

  private func search(mentioning text: String) -> Search {
    var filter = Mentions(text, player).filter
    // The name of one event: `notes#1:22`.
    if let name = EventName(text), let stream = player.labels.labels.firstIndex(of: name.writer) {
      filter = EventFilter { event, _ in event.sequence == name.sequence }
      filter.streams = [id(stream)]
    }
    return Search(filter: filter, words: "event that mentions \(text)")
  }

  /// An expression, or else a text that events mention; in quotes it is a text, whatever else it is.
  func search(for text: String) throws(CommandError) -> Search {
    if text.count > 2, text.hasPrefix("\""),
      text.dropFirst().firstIndex(of: "\"") == text.indices.last
    {
      return search(mentioning: String(text.dropFirst().dropLast()))
    }
    if Self.isExpression(text) { return try search(where: text) }
    // Brackets are of names too: `sceneDidEnterBackground(_:)`.
    if text.contains("("), let search = try? search(where: text) { return search }
    return search(mentioning: text)
  }

  /// A kind and a text that its events mention, or an expression; nil for violations.
  ///
  /// Other words are refused, or taken for a text.
  func search(kind typed: String, orWord: Bool = false) throws(CommandError) -> Search? {
    let text = SourceLine(typed)?.text ?? typed
    if Self.isExpression(text) { return try search(where: text) }
    let words = try CommandWords.split(text)
    var word = words.first ?? ""
    var mention = words.dropFirst().joined(separator: " ")
    // What happens to the device goes by its own name too.
    if mention.isEmpty, KindWord.find(word) == nil, KindWord.deviceWords.contains(word) {
      (word, mention) = ("device", word)
    }
    guard let kind = KindWord.find(word) else {
      if let search = try? search(where: text) { return search }
      if orWord { return search(mentioning: text) }
      let meant = nearest(to: word, among: KindWord.all.map(\.word))
      throw .usage(
        "\(word) is no kind of event\(meant.map { ": did you mean \($0)?" } ?? ".") Try help kinds."
      )
    }
    if kind.isViolation { return nil }
    var filter = mention.isEmpty ? EventFilter { _, _ in true } : Mentions(mention, player).filter
    if kind.word == "device", KindWord.deviceWords.contains(mention) {
      let what = mention
      filter = EventFilter { event, names in names[event.identityName] == what }
      filter.mentions = [what]
    }
    let mentions = filter.accepts
    filter.kinds = kind.kinds
    filter.accepts = { kind.accepts($0) && mentions($0, $1) }
    filter.findsGaps = kind.findsGaps
    // What is missing has no names.
    if kind.findsGaps { filter.mayOccur = nil }
    let about = mention.isEmpty ? "" : " that mentions \(mention)"
    return Search(filter: filter, words: "\(words.first ?? word) event\(about)")
  }
}
