// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace
import LifetraceWords

/// Puts what happened, with the parts that many events share: each of them is made once.
///
///     var words = StoryWords()
///     words.put(event, names, to: &line)      // work.begin "job 6" id=1949 kind=file @Day/Job6.swift:122
///
/// Of the names of one recording, which may grow. Memory follows the kinds, names and sites that were met.
struct StoryWords: Sendable {
  /// What lines say of the events of a kind.
  private final class Kind: Sendable {
    let name: [UInt8]
    let isNameIdentity: Bool
    let identity: Part
    let fields: [Part]
    let info: KindInfo?

    init(_ kind: EventKind, _ names: Names) {
      info = KindInfo.said(kind, names)
      name = Array((info?.name ?? KindInfo.unknownName(kind)).utf8)
      isNameIdentity = info?.isNameIdentity == true
      identity = Part(info?.identity ?? Field("identity", .hex))
      fields = (info?.fields ?? []).map { Part($0) }
    }
  }

  /// One `key=value`.
  private struct Part {
    /// How it begins: ` version=`.
    let key: [UInt8]
    let type: FieldType
    /// Whether a zero is said too.
    let saysZero: Bool

    init(_ field: Field, key: String? = nil) {
      self.key = Array(" \(key ?? field.name)=".utf8)
      type = field.type
      saysZero = [.state, .work, .level, .resource, .bool, .log].contains(field.type)
    }
  }

  /// What lines say of a place in the source.
  private final class Place: Sendable {
    /// The name that was given there, as a word; empty where there is none.
    let name: [UInt8]
    /// How a line ends: ` @Notes/Editor.swift:41`.
    let source: [UInt8]
    /// The labels, as an event of this kind has them.
    let labels: [Part]
    let kind: EventKind

    init(_ id: SiteID, _ kind: EventKind, _ info: KindInfo?, _ names: Names) {
      let site = names[id]
      let siteName = names[site.name]
      name = siteName.isEmpty ? [] : Array(StoryValue.word(siteName).utf8)
      source = Array(Self.source(site, names).utf8)
      labels = site.labels.map { StoryWords.part($0, info) }
      self.kind = kind
    }

    private static func source(_ site: Site, _ names: Names) -> String {
      guard site.file != .empty else { return "" }
      let file = names[site.file]
      let place = " @\(StoryValue.word(file))"
      // What stands behind the last colon is the line.
      let hasLine = site.line != 0 || file.utf8.contains(UInt8(ascii: ":"))
      return hasLine ? "\(place):\(site.line)" : place
    }
  }

  /// For values that have no name in them.
  private static let noNames = Names()

  private var kinds: [Kind?] = []
  private var places: [Place?] = []
  /// By name, as a word; empty where it was not made.
  private var names: [[UInt8]] = []
  /// By stream, its label and how a line says that.
  private var labels: [(label: String, word: [UInt8])] = []

  /// Puts of whom an event is: ` notes#1 main `.
  mutating func putPlace(_ event: borrowing Event, _ label: String, to line: inout [UInt8]) {
    let stream = Int(event.stream.rawValue)
    if stream < labels.count, labels[stream].label == label {
      line += labels[stream].word
    } else {
      let word = Array(" \(StoryValue.label(label)) ".utf8)
      line += word
      if stream == labels.count { labels.append((label, word)) }
    }
    if event.thread == .main {
      JSON.put("main ", to: &line)
    } else {
      line.append(UInt8(ascii: "t"))
      JSON.put(UInt64(event.thread.rawValue), to: &line)
      line.append(UInt8(ascii: " "))
    }
  }

  /// Puts what happened: `data.dirty draft.txt version=3 @Notes/Editor.swift:41`.
  ///
  /// The names are asked for where a part is met for the first time.
  mutating func put(
    _ event: borrowing Event,
    _ names: () -> Names,
    to line: inout [UInt8]
  ) {
    let kind = kind(event.kind, names)
    let place = place(event.site, event.kind, kind, names)
    line += kind.name
    if kind.isNameIdentity {
      line.append(UInt8(ascii: " "))
      putName(event.identityName, names, to: &line)
      if !place.name.isEmpty {
        JSON.put(" site=", to: &line)
        line += place.name
      }
    } else {
      if !place.name.isEmpty {
        line.append(UInt8(ascii: " "))
        line += place.name
      }
      if event.identity != 0 {
        line += kind.identity.key
        putValue(event.identity, kind.identity.type, names, to: &line)
      }
    }
    let count = min(Int(event.argumentCount), Event.argumentsMax)
    for index in 0..<count {
      let bits = event[index]
      if index < kind.fields.count {
        let part = kind.fields[index]
        if event.kind == .loss, index == 0,
          let family = EventFamily(rawValue: UInt8(clamping: bits))
        {
          line += " family=\(family)".utf8
        } else if bits != 0 || part.saysZero || index == count - 1 {
          line += part.key
          putValue(bits, part.type, names, to: &line)
        }
      } else if index - kind.fields.count < place.labels.count {
        let part = place.labels[index - kind.fields.count]
        line += part.key
        putLabelValue(bits, part.type, names, to: &line)
      } else {
        line += " arg\(index)=0x\(String(bits, radix: 16))".utf8
      }
    }
    line += place.source
    if event.flags.contains(.late) { JSON.put(" late", to: &line) }
    if event.flags.contains(.inferred) { JSON.put(" inferred", to: &line) }
    if event.flags.contains(.sampled) { JSON.put(" sampled", to: &line) }
    if event.observer != .own { line += " by=\(event.observer.word)".utf8 }
  }

  /// A label of an event of such a kind, as `key=value`.
  static func label(
    _ field: Field,
    _ bits: UInt64,
    _ info: KindInfo?,
    _ names: Names
  ) -> String {
    var (line, words): ([UInt8], StoryWords) = ([], StoryWords())
    line += part(field, info).key.dropFirst()
    words.putLabelValue(bits, field.type, { names }, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  // MARK: Parts

  private static func part(_ label: Field, _ info: KindInfo?) -> Part {
    let key = StoryValue.key(label.name) { key in
      KindInfo.isReserved(key) || key == "identity" || info?.identity?.name == key
        || info?.fields.contains { $0.name == key } == true
    }
    return Part(label, key: key)
  }

  private mutating func kind(_ kind: EventKind, _ names: () -> Names) -> Kind {
    let index = Int(kind.rawValue)
    if kinds.isEmpty { kinds = Array(repeating: nil, count: Int(UInt8.max) + 1) }
    if let known = kinds[index] { return known }
    let new = Kind(kind, names())
    // What another version calls it may still come.
    if kind.info != nil { kinds[index] = new }
    return new
  }

  private mutating func place(
    _ site: SiteID,
    _ eventKind: EventKind,
    _ kind: Kind,
    _ names: () -> Names
  ) -> Place {
    let index = Int(site.rawValue)
    if index < places.count, let known = places[index],
      known.labels.isEmpty || known.kind == eventKind
    {
      return known
    }
    let names = names()
    let new = Place(site, eventKind, kind.info, names)
    guard kind.info != nil, names.sites.indices.contains(index) else { return new }
    if index >= places.count {
      places += Array(repeating: nil, count: names.sites.count - places.count)
    }
    places[index] = new
    return new
  }

  private mutating func putName(
    _ id: NameID,
    _ names: () -> Names,
    to line: inout [UInt8]
  ) {
    let index = Int(id.rawValue)
    if index < self.names.count, !self.names[index].isEmpty { return line += self.names[index] }
    let names = names()
    let word = Array(StoryValue.word(names[id]).utf8)
    line += word
    guard names.strings.indices.contains(index) else { return }
    if index >= self.names.count {
      self.names += Array(repeating: [], count: names.strings.count - self.names.count)
    }
    self.names[index] = word
  }

  private mutating func putValue(
    _ bits: UInt64,
    _ type: FieldType,
    _ names: () -> Names,
    to line: inout [UInt8]
  ) {
    switch type {
    case .name: putName(NameID(word: bits), names, to: &line)
    case .int: JSON.put(Int64(bitPattern: bits), to: &line)
    case .bytes: JSON.put(bits, to: &line)
    case .duration: StoryValue.putDuration(Int64(bitPattern: bits), to: &line)
    default: StoryValue.put(FieldValue(bits, type, Self.noNames), to: &line)
    }
  }

  /// As a value, with a mark of its type for readers.
  private mutating func putLabelValue(
    _ bits: UInt64,
    _ type: FieldType,
    _ names: () -> Names,
    to line: inout [UInt8]
  ) {
    putValue(bits, type, names, to: &line)
    if type == .bytes { line.append(UInt8(ascii: "B")) }
  }
}
