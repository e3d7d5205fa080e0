// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What was said once, and has a number from then on: titles, names of arguments, texts, sources.
struct PerfettoInterning {
  /// An argument: the number of its name, and how its 64 bits are read.
  struct Argument {
    let name: UInt64
    let type: FieldType
  }

  /// The arguments of the events of one kind.
  struct Kind {
    var identity: Argument?
    var fields: [Argument] = []
  }

  /// Words of vocabularies come before names: 256 of each type.
  static let firstName: UInt64 = UInt64(FieldType.allCases.count + 1) << 8

  private var titles: [[UInt32]] = Array(repeating: [], count: Title.codesMax)
  private var titleCount: UInt32 = 0
  private var names: [String: UInt64] = [:]
  private var kinds: [Kind?] = Array(repeating: nil, count: 256)
  private var labels: [UInt32: [Argument]] = [:]
  private var isTextKnown: [Bool] = []
  private var isSourceKnown: [Bool] = []
  private var hasFile: [Bool] = []

  /// The number of a title, and whether it is new.
  @inline(__always)
  mutating func title(_ title: Title) -> (number: UInt64, isNew: Bool) {
    let name = Int(title.name.rawValue)
    if name < titles[title.place].count {
      let known = titles[title.place][name]
      if known != 0 { return (UInt64(known), false) }
    } else {
      let missing = name + 1 - titles[title.place].count
      titles[title.place] += Array(repeating: 0, count: max(missing, titles[title.place].count))
    }
    titleCount += 1
    titles[title.place][name] = titleCount
    return (UInt64(titleCount), true)
  }

  /// The number of a text, and whether it is new.
  @inline(__always)
  mutating func text(_ number: UInt64) -> (number: UInt64, isNew: Bool) {
    (number, Self.isNew(Int(number), &isTextKnown))
  }

  /// The number of a source, and whether it is new.
  @inline(__always)
  mutating func source(_ site: SiteID) -> (number: UInt64, isNew: Bool) {
    (UInt64(site.rawValue), Self.isNew(Int(site.rawValue), &isSourceKnown))
  }

  /// The place of a site was said.
  mutating func learnFile(of site: SiteID) {
    let place = Int(site.rawValue)
    if place >= hasFile.count {
      hasFile += Array(repeating: false, count: max(place + 1 - hasFile.count, hasFile.count))
    }
    hasFile[place] = true
  }

  /// Whether it was.
  @inline(__always)
  func hasFile(_ site: SiteID) -> Bool {
    Int(site.rawValue) < hasFile.count && hasFile[Int(site.rawValue)]
  }

  /// The number of the name of an argument, and whether it is new.
  mutating func name(_ name: String) -> (number: UInt64, isNew: Bool) {
    if let known = names[name] { return (known, false) }
    let number = UInt64(names.count + 1)
    names[name] = number
    return (number, true)
  }

  @inline(__always)
  func kind(_ kind: EventKind) -> Kind? { kinds[Int(kind.rawValue)] }

  mutating func learn(_ kind: EventKind, _ arguments: Kind) {
    kinds[Int(kind.rawValue)] = arguments
  }

  func labels(_ site: SiteID) -> [Argument]? { labels[site.rawValue] }

  mutating func learn(_ site: SiteID, _ arguments: [Argument]) { labels[site.rawValue] = arguments }

  @inline(__always)
  private static func isNew(_ place: Int, _ known: inout [Bool]) -> Bool {
    if place >= known.count {
      known += Array(repeating: false, count: max(place + 1 - known.count, known.count))
    }
    guard !known[place] else { return false }
    known[place] = true
    return true
  }

  /// Whether a number of a vocabulary has a word.
  @inline(__always)
  static func hasWord(_ bits: UInt64, _ type: FieldType) -> Bool {
    switch type {
    case .state: bits < AppState.allCases.count
    case .work: bits < WorkKind.allCases.count
    case .level: bits < DurabilityLevel.allCases.count
    case .resource: bits < ResourceClass.allCases.count
    case .log: bits < LogLevel.allCases.count
    default: false
    }
  }

  /// The word of a number of a vocabulary; nil where it has none.
  static func word(_ bits: UInt64, _ type: FieldType, _ names: borrowing Names) -> String? {
    switch FieldValue(bits, type, names) {
    case .state(let state): state.word
    case .word(let word): word
    default: nil
    }
  }
}
