// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
import LifetraceWords

/// Finds the events whose lines show a text: by kind and by typed field, without writing a line.
///
///     let search = WordSearch("suspended")
///     search.shows(event, names)          // a state, or the words of state.suspend
///
/// Names are looked at once each, sites once each; an event costs a look at its few words, and
/// allocates nothing. For one thread.
package final class WordSearch {
  /// What is looked for, in lower case.
  package let text: String
  private let kinds: KindSet
  /// What else must be so where a sentence of a kind says the text: one of these.
  private let sayings: [SentenceWords.Case]
  /// Their kinds.
  private let sayingKinds: KindSet
  private let kindWord: KindTest?
  /// For each type of field: the codes whose words hold the text, a bit each.
  private let codes: [UInt64]
  /// The families of losses whose names hold the text, a bit each.
  private let families: UInt64
  /// The signals whose names hold the text, a bit each.
  private let signals: UInt64
  /// The numbers of the system's errors whose words hold the text.
  private let errors: [Int64]
  /// The value behind a label: `wall=90`.
  private let labelled: WordSearch?
  private let number: NumberWord?
  private let thread: ThreadID?
  /// The halves of a trace id, or the one number of a message, as `message.trace` shows them.
  private let digits: [UInt64]
  private let flags: EventFlags
  /// For each kind: the types of its identity and arguments; 255 for none.
  private var types: [UInt8] = []
  private var isHit: [Bool] = []
  /// For each name: which of those it is that sentences take for more than a name.
  private var nameClasses: [UInt8] = []
  private var isSiteHit: [Bool] = []
  private var isSiteNameHit: [Bool] = []
  private var isSiteNamed: [Bool] = []
  private var hasLabels: [Bool] = []
  /// Whether only names can show it: no kind, word, number or thread does.
  private let isOfNames: Bool
  /// The names that hold the text, of those met so far; nil where other things may show it too.
  private var hitNames: [String]?
  /// Whether some place in the source has a name that holds the text.
  package private(set) var hitsSiteNames = false

  /// Looks for `text`, whatever its case.
  package init(_ text: String) {
    let text = text.lowercased()
    self.text = text
    kinds = KindSet(KindInfo.all.filter { $0.name.contains(text) }.map(\.kind))
    sayings = SentenceWords.saying(text)
    sayingKinds = KindSet(sayings.map(\.kind))
    kindWord = KindWord.exactly(text).flatMap { $0.isViolation ? nil : $0.test }
    codes = FieldType.allCases.map { type in
      ValueType.field(type).words.reduce(0) { bits, word in
        let isShown = Self.wordings(word, type).contains { $0.lowercased().contains(text) }
        return isShown ? bits | 1 << word.code : bits
      }
    }
    families = EventFamily.allCases.reduce(0) { bits, family in
      "\(family)".contains(text) ? bits | 1 << UInt64(family.rawValue) : bits
    }
    signals = (1..<64).reduce(0) { bits, signal in
      SignalName.of(signal)?.lowercased().contains(text) == true ? bits | 1 << signal : bits
    }
    errors = ErrorNumber.known.filter { $0.value.lowercased().contains(text) }.map(\.key)
    let parts = text.split(separator: "=", maxSplits: 1)
    labelled = parts.count == 2 ? WordSearch(String(parts[1])) : nil
    number = NumberWord(text)
    thread =
      text == "main"
      ? .main
      : text.hasPrefix("t") ? UInt32(text.dropFirst()).map { ThreadID(rawValue: $0) } : nil
    digits = Self.digits(text)
    var flags: EventFlags = []
    if "[late]".contains(text) { flags.insert(.late) }
    if "[±20 ms]".contains(text) { flags.insert(.sampled) }
    self.flags = flags
    // `file:line` and the value behind a label are put together of parts.
    isOfNames =
      kinds == KindSet() && sayings.isEmpty && codes.allSatisfy { $0 == 0 }
      && families | signals == 0
      && errors.isEmpty && number == nil && thread == nil && flags.isEmpty && digits.isEmpty
      && !text.contains { ":=".contains($0) }
    hitNames = isOfNames ? [] : nil
  }

  /// The names of which an event that shows the text must mention one, of all in `names`; nil where that
  /// cannot be said, as numbers, kinds or labels may show it.
  package func names(holding names: borrowing Names) -> [String]? {
    if isLearned(names) { return hitNames }
    learn(names)
    return hitNames
  }

  /// Whether the line of some event may show the text, where none has other names than `strings`.
  package func mayShow(among strings: [String]) -> Bool {
    !isOfNames || strings.contains { $0.lowercased().contains(text) }
  }

  private func isLearned(_ names: borrowing Names) -> Bool {
    isHit.count == names.strings.count && isSiteHit.count == names.sites.count
  }

  /// All ways in which the words of an enumeration may be written, in lower case.
  static func wordings(of type: FieldType) -> [String] {
    ValueType.field(type).words.flatMap { wordings($0, type) }.filter { !$0.isEmpty }
      .map { $0.lowercased() }
  }

  /// How a word of an enumeration may be written in a line.
  private static func wordings(_ word: (word: String, code: UInt64), _ type: FieldType) -> [String]
  {
    let code = UInt8(truncatingIfNeeded: word.code)
    return switch type {
    case .state: [word.word, AppState(rawValue: code).map(Wording.state) ?? ""]
    case .level: [word.word, DurabilityLevel(rawValue: code).map(Wording.level) ?? ""]
    case .bool: []
    default: [word.word]
    }
  }

  /// The numbers of 16 or 32 hexadecimal digits; none for anything else.
  private static func digits(_ text: String) -> [UInt64] {
    guard text.utf8.count == 16 || text.utf8.count == 32 else { return [] }
    let halves = [text.prefix(16), text.dropFirst(16)].filter { !$0.isEmpty }
    let numbers = halves.compactMap { $0.first == "+" ? nil : UInt64($0, radix: 16) }
    return numbers.count == halves.count ? numbers : []
  }

  private func showsDigits(_ event: borrowing Event) -> Bool {
    guard event.kind == .messageTrace else { return false }
    let trace = Payload.MessageTrace(event)
    return digits.count == 1 ? digits[0] == trace.flow : digits == [trace.high, trace.low]
  }

  /// Whether the line of an event shows the text.
  package func shows(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    if !isLearned(names) { learn(names) }
    if kinds.contains(event.kind) { return true }
    if let kindWord, kindWord.holds(event) { return true }
    if event.thread == thread { return true }
    if !digits.isEmpty, showsDigits(event) { return true }
    if showsCode(event) { return true }
    if sayingKinds.contains(event.kind), says(event) { return true }
    if let labelled, labelled.shows(event, names) { return true }
    if !event.flags.isDisjoint(with: flags) { return true }
    let site = Int(event.site.rawValue) < isSiteHit.count ? Int(event.site.rawValue) : 0
    if isSiteHit[site] { return true }
    let row = Int(event.kind.rawValue) * 5
    if isShown(event.identity, types[row]) { return true }
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      if isShown(event[index], types[row + 1 + index]) { return true }
    }
    guard hasLabels[site] else { return false }
    return showsLabel(event, names)
  }

  /// The codes that are written in words of their own.
  private func showsCode(_ event: borrowing Event) -> Bool {
    let (bits, code): (UInt64, UInt64)
    switch event.kind {
    case .dataFailed: return errors.contains(Payload.DataFailed(event).errno)
    case .loss: (bits, code) = (families, Payload.Loss(event).family.rawValue)
    case .processExit: (bits, code) = (signals, Payload.ProcessExit(event).code)
    case .processSeen: (bits, code) = (signals, Payload.ProcessSeen(event).status &- 128)
    default: return false
    }
    return code < 64 && bits & (1 << code) != 0
  }

  /// Whether the sentence of an event says the text in words of its own.
  private func says(_ event: borrowing Event) -> Bool {
    let row = Int(event.kind.rawValue) * 5
    let site = Int(event.site.rawValue) < isSiteNamed.count ? Int(event.site.rawValue) : 0
    for saying in sayings where saying.kind == event.kind {
      let last = saying.classes.count - 1
      var fits = saying.classes[last] & (isSiteNamed[site] ? 2 : 1) != 0
      for place in 0..<last where fits {
        let bits = place == 0 ? event.identity : event[place - 1]
        let found =
          place > Int(event.argumentCount)
          ? SentenceWords.absent
          : SentenceWords.classOf(bits, FieldType(rawValue: types[row + place]) ?? .int) { name in
            name < UInt64(nameClasses.count) ? UInt64(nameClasses[Int(name)]) : 0
          }
        fits = saying.classes[place] & (1 << found) != 0
      }
      if fits { return true }
    }
    return false
  }

  /// Whether the place of an event has a name that holds the text: its end may have none.
  package func isNamed(_ site: SiteID) -> Bool {
    Int(site.rawValue) < isSiteNameHit.count && isSiteNameHit[Int(site.rawValue)]
  }

  private func isShown(_ bits: UInt64, _ type: UInt8) -> Bool {
    guard let type = FieldType(rawValue: type) else { return false }
    switch type {
    case .name: return bits < UInt64(isHit.count) && isHit[Int(bits)]
    case .state, .work, .level, .resource, .log, .bool:
      return bits < 64 && codes[Int(type.rawValue)] & (1 << bits) != 0
    case .int, .hex, .bytes, .duration, .double: return number?.isShown(bits, type) ?? false
    }
  }

  /// The arguments that the place in the source has labelled, which few places do.
  private func showsLabel(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    let first = names.info(of: event.kind)?.fields.count ?? 0
    let count = min(Int(event.argumentCount), Event.argumentsMax)
    for (index, label) in names[event.site].labels.enumerated() {
      guard first + index < count else { break }
      if isShown(event[first + index], label.type.rawValue) { return true }
    }
    return false
  }

  /// Looks at names and sites that were not there before.
  private func learn(_ names: borrowing Names) {
    types = (UInt8.min...UInt8.max).flatMap { raw -> [UInt8] in
      let info = names.info(of: EventKind(rawValue: raw))
      // The line of a scenario shows its name, not its text.
      let shown = EventKind(rawValue: raw) == .scenario ? [] : info?.fields ?? []
      let fields = shown.prefix(Event.argumentsMax).map(\.type.rawValue)
      let none = [UInt8](repeating: 255, count: Event.argumentsMax - fields.count)
      return [info?.identity?.type.rawValue ?? 255] + fields + none
    }
    for id in isHit.count..<names.strings.count {
      isHit.append(names.strings[id].lowercased().contains(text))
      let special = SentenceWords.names.firstIndex(of: names.strings[id])
      nameClasses.append(UInt8(special ?? 0))
      if isHit[id] { hitNames?.append(names.strings[id]) }
    }
    for id in isSiteHit.count..<names.sites.count {
      let site = names[SiteID(rawValue: UInt32(id))]
      let isNamed = isHit[Int(site.name.rawValue)]
      let file = names[site.file].lowercased()
      let isPlaced =
        isHit[Int(site.file.rawValue)]
        || text.contains(":") && "\(file):\(site.line)".contains(text)
      let isLabelled = site.labels.contains { $0.name.lowercased().contains(text) }
      // The names of labels are not among those that chunks list, nor is that of a begin at its end.
      if isLabelled || isNamed { hitNames = nil }
      isSiteNameHit.append(isNamed)
      isSiteNamed.append(site.name != .empty)
      isSiteHit.append(isNamed || isPlaced || isLabelled)
      hasLabels.append(!site.labels.isEmpty)
      hitsSiteNames = hitsSiteNames || isNamed
    }
  }
}
