// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// Made-up events of one kind, and what their sentences say.
///
///     var kind = SpokenKind(KindInfo.byName["task.begin"]!)
///     kind.phrases()["refused"]      // where neither an id nor time was granted
struct SpokenKind {
  /// A value of each field, as its place in ``values``; the last is the place in the source.
  private typealias Choice = [Int]

  private let kind: EventKind
  private let types: [FieldType]
  private let table: Names
  /// The values that matter of each field; nil where an event may lack it, with all behind it.
  private let values: [[UInt64?]]
  private let site: SiteID
  /// Words that are those of the event, and not of its kind.
  private let own: [String]
  private var said: [Choice: Set<String>] = [:]
  /// The pieces of each text: far fewer are said than there are choices.
  private var cut: [String: [String]] = [:]

  init(_ info: KindInfo) {
    var table = Names()
    let names = SentenceWords.names.map { table.intern($0).word }
    site = table.intern(Site(name: table.intern("x")))
    self.table = table
    kind = info.kind
    let types = [info.identity?.type ?? .int] + info.fields.prefix(Event.argumentsMax).map(\.type)
    self.types = types
    values =
      types.enumerated().map { place, type in
        let codes = ValueType.field(type).words.map(\.code)
        // 9 is a signal, 137 a shell's number of one, 256 nobody's.
        let known = !codes.isEmpty ? codes : type == .name ? names : [2, 0, 1, 9, 137, 256, 300]
        return known + (place > 0 ? [nil] : [])
      } + [[0, 1]]
    var own = types.flatMap(WordSearch.wordings(of:))
    switch kind {
    case .dataFailed: own += ErrorNumber.known.values.map { $0.lowercased() }
    case .loss: own += EventFamily.allCases.map { "\($0)".lowercased() }
    case .processExit, .processSeen:
      own += (1..<64).compactMap { SignalName.of($0)?.lowercased() }
    default: break
    }
    self.own = own.sorted { $0.count > $1.count }
  }

  /// The texts that its sentences hold, each with the classes of the fields of the events that say it.
  mutating func phrases() -> [String: [[UInt64]]] {
    var found: [String: [[UInt64]]] = [:]
    for choice in choices {
      for text in texts(choice) {
        let classes = choice.indices.map { self.class($0, choice[$0]) }
        let isKnown = found[text]?.contains { known in
          zip(known, classes).allSatisfy { $0 & $1 != 0 }
        }
        if isKnown != true { found[text, default: []].append(around(choice, text)) }
      }
    }
    return found
  }

  /// The classes that each field may be of, so that the text is still said, whatever the others are.
  private mutating func around(_ choice: Choice, _ text: String) -> [UInt64] {
    var classes = values.indices.map { place in
      var classes: UInt64 = 0
      var other = choice
      for value in values[place].indices {
        other[place] = value
        if texts(other).contains(text) { classes |= self.class(place, value) }
      }
      return classes
    }
    // Where one of two fields is enough, each is what it is in turn.
    for one in values.indices {
      for another in values.indices where another != one {
        if !isFree(one, another, choice, text, classes) {
          classes[one] = self.class(one, choice[one])
        }
      }
    }
    return classes
  }

  /// Whether the text is said for any two values of their classes.
  private mutating func isFree(
    _ one: Int,
    _ another: Int,
    _ choice: Choice,
    _ text: String,
    _ classes: [UInt64]
  ) -> Bool {
    var other = choice
    for value in values[one].indices where classes[one] & self.class(one, value) != 0 {
      for second in values[another].indices
      where classes[another] & self.class(another, second) != 0 {
        (other[one], other[another]) = (value, second)
        if !texts(other).contains(text) { return false }
      }
    }
    return true
  }

  /// Those in which any two fields have any of their values, and the others their first.
  private var choices: [Choice] {
    let first = Choice(repeating: 0, count: values.count)
    var found: [Choice] = []
    for one in values.indices {
      for other in one + 1..<max(one + 2, values.count) {
        for value in values[one].indices {
          for another in other < values.count ? Array(values[other].indices) : [0] {
            var choice = first
            choice[one] = value
            if other < values.count { choice[other] = another }
            found.append(choice)
          }
        }
      }
    }
    return found
  }

  private func `class`(_ place: Int, _ value: Int) -> UInt64 {
    guard place < types.count else { return 1 << UInt64(value) }
    guard let bits = values[place][value] else { return 1 << SentenceWords.absent }
    return 1
      << SentenceWords.classOf(bits, types[place]) { name in
        UInt64(SentenceWords.names.firstIndex(of: table[NameID(word: name)]) ?? 0)
      }
  }

  private mutating func texts(_ choice: Choice) -> Set<String> {
    if let known = said[choice] { return known }
    var event = Event(kind, at: HostTime(rawValue: 0))
    event.argumentCount = UInt8(types.count - 1)
    for (place, value) in choice.enumerated().dropLast() {
      guard let bits = values[place][value] else {
        event.argumentCount = min(event.argumentCount, UInt8(place - 1))
        continue
      }
      if place == 0 { event.identity = bits } else { event[place - 1] = bits }
    }
    event.site = choice[choice.count - 1] == 1 ? site : .none
    var texts: Set<String> = []
    for case .text(let text) in EventText.sentence(event, table).parts {
      let known = cut[text] ?? pieces(text.lowercased())
      cut[text] = known
      texts.formUnion(known)
    }
    said[choice] = texts
    return texts
  }

  /// A text without its numbers, and without words that are of the event.
  private func pieces(_ text: String) -> [String] {
    own.reduce(text) { $1.isEmpty ? $0 : $0.replacing($1, with: "0") }
      .split { $0.isNumber }.map(String.init).filter { $0.contains { $0.isLetter } }
  }
}
