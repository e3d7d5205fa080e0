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
  private let kindWord: KindTest?
  /// For each type of field: the codes whose words hold the text, a bit each.
  private let codes: [UInt64]
  /// The families of losses whose names hold the text, a bit each.
  private let families: UInt64
  /// The signals whose names hold the text, a bit each.
  private let signals: UInt64
  /// The value behind a label: `wall=90`.
  private let labelled: WordSearch?
  private let number: NumberWord?
  private let thread: ThreadID?
  private let flags: EventFlags
  /// For each kind: the types of its identity and arguments; 255 for none.
  private var types: [UInt8] = []
  private var isHit: [Bool] = []
  private var isSiteHit: [Bool] = []
  private var isSiteNameHit: [Bool] = []
  private var hasLabels: [Bool] = []
  /// Whether some place in the source has a name that holds the text.
  package private(set) var hitsSiteNames = false

  /// Looks for `text`, whatever its case.
  package init(_ text: String) {
    let text = text.lowercased()
    self.text = text
    var kinds = SentenceWords.kinds(saying: text)
    for info in KindInfo.all where info.name.contains(text) { kinds.insert(info.kind) }
    self.kinds = kinds
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
    let parts = text.split(separator: "=", maxSplits: 1)
    labelled = parts.count == 2 ? WordSearch(String(parts[1])) : nil
    number = NumberWord(text)
    thread =
      text == "main"
      ? .main
      : text.hasPrefix("t") ? UInt32(text.dropFirst()).map { ThreadID(rawValue: $0) } : nil
    var flags: EventFlags = []
    if "[late]".contains(text) { flags.insert(.late) }
    if "[±20 ms]".contains(text) { flags.insert(.sampled) }
    self.flags = flags
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

  /// Whether the line of an event shows the text.
  package func shows(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    if isHit.count != names.strings.count || isSiteHit.count != names.sites.count { learn(names) }
    if kinds.contains(event.kind) { return true }
    if let kindWord, kindWord.holds(event) { return true }
    if event.thread == thread { return true }
    if families | signals != 0, showsCode(event) { return true }
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
    case .loss: (bits, code) = (families, Payload.Loss(event).family.rawValue)
    case .processExit: (bits, code) = (signals, Payload.ProcessExit(event).code)
    case .processSeen: (bits, code) = (signals, Payload.ProcessSeen(event).status &- 128)
    default: return false
    }
    return code < 64 && bits & (1 << code) != 0
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
      let fields = (info?.fields ?? []).prefix(Event.argumentsMax).map(\.type.rawValue)
      let none = [UInt8](repeating: 255, count: Event.argumentsMax - fields.count)
      return [info?.identity?.type.rawValue ?? 255] + fields + none
    }
    for id in isHit.count..<names.strings.count {
      isHit.append(names.strings[id].lowercased().contains(text))
    }
    for id in isSiteHit.count..<names.sites.count {
      let site = names[SiteID(rawValue: UInt32(id))]
      let isNamed = isHit[Int(site.name.rawValue)]
      let file = names[site.file].lowercased()
      let isPlaced =
        isHit[Int(site.file.rawValue)]
        || text.contains(":") && "\(file):\(site.line)".contains(text)
      let isLabelled = site.labels.contains { $0.name.lowercased().contains(text) }
      isSiteNameHit.append(isNamed)
      isSiteHit.append(isNamed || isPlaced || isLabelled)
      hasLabels.append(!site.labels.isEmpty)
      hitsSiteNames = hitsSiteNames || isNamed
    }
  }
}
