// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// Puts what happened, with the parts that many events share: each of them is made once.
///
///     var words = StoryWords()
///     words.put(event, names, to: &line)      // work.begin "job 6" id=1949 kind=file @Day/Job6.swift:122
///
/// Of the names of one recording, which may grow. Memory follows the kinds, names and sites that were met,
/// up to ``textsMax``. All parts stand in one array and are known by their places in it: references to a text
/// for each name would be counted at each event, which took as long as the rest of a line.
struct StoryWords: Sendable {
  /// Beyond so many bytes of parts all are forgotten, and made anew as they come.
  private static let textsMax = 1 << 26

  /// Where a part stands in `texts`; empty where it was not made.
  private struct Text {
    var start = 0
    var count = 0
  }

  /// One `key=value`.
  private struct Part {
    /// How it begins: ` version=`.
    let key: Text
    let type: FieldType
    /// Whether a zero is said too.
    let saysZero: Bool
  }

  /// What lines say of the events of a kind.
  private struct Kind {
    let name: Text
    let isNameIdentity: Bool
    let identity: Part
    /// Those of the fields, in `parts`.
    let fields: Range<Int>
  }

  /// What lines say of a place in the source.
  private struct Place {
    /// The name that was given there, as a word; empty where there is none.
    let name: Text
    /// How a line ends: ` @Notes/Editor.swift:41`.
    let source: Text
    /// Those of the labels, as an event of this kind has them, in `parts`.
    let labels: Range<Int>
    let kind: EventKind
  }

  /// For values that have no name in them.
  private static let noNames = Names()

  private var texts: [UInt8] = []
  private var parts: [Part] = []
  private var kinds: [Kind?] = []
  private var places: [Place?] = []
  /// By name, as a word.
  private var names: [Text] = []
  /// By type of field and code, below ``codesMax``.
  private var codes: [Text] = []
  /// By stream, its label and how a line says that.
  private var labels: [(label: String, word: Text)] = []

  private static let codesMax = 64

  /// Puts of whom an event is: ` notes#1 main `.
  mutating func putPlace(_ event: borrowing Event, _ label: String, to line: inout OutputBytes) {
    let stream = Int(event.stream.rawValue)
    if stream >= labels.count || labels[stream].label != label { name(label, stream) }
    let word = labels[stream].word
    put(word, to: &line)
    if event.thread == .main {
      line.putLiteral("main ")
    } else {
      line.makeRoom(16)
      line.put(UInt8(ascii: "t"))
      line.putNumber(UInt64(event.thread.rawValue))
      line.put(UInt8(ascii: " "))
    }
  }

  private mutating func name(_ label: String, _ stream: Int) {
    while labels.count <= stream { labels.append(("", Text())) }
    labels[stream] = (label, keep(" \(StoryValue.label(label)) "))
  }

  /// Puts what happened: `data.dirty draft.txt version=3 @Notes/Editor.swift:41`.
  ///
  /// The names are asked for where a part is met for the first time.
  mutating func put(
    _ event: borrowing Event,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    if texts.count > Self.textsMax { self = StoryWords() }
    let kind = kind(event.kind, names)
    let place = place(event.site, event.kind, names)
    put(kind.name, to: &line)
    line.makeRoom(1)
    if kind.isNameIdentity {
      line.put(UInt8(ascii: " "))
      putName(event.identityName, names, to: &line)
      if place.name.count > 0 {
        line.putLiteral(" site=")
        put(place.name, to: &line)
      }
    } else {
      if place.name.count > 0 {
        line.put(UInt8(ascii: " "))
        put(place.name, to: &line)
      }
      if event.identity != 0 {
        put(kind.identity.key, to: &line)
        putValue(event.identity, kind.identity.type, names, to: &line)
      }
    }
    putArguments(event, kind, place, names, to: &line)
    put(place.source, to: &line)
    if event.flags.contains(.late) { line.putLiteral(" late") }
    if event.flags.contains(.inferred) { line.putLiteral(" inferred") }
    if event.flags.contains(.sampled) { line.putLiteral(" sampled") }
    if event.observerCode != Observer.own.rawValue { line.put(" by=\(event.observer.word)") }
  }

  private mutating func putArguments(
    _ event: borrowing Event,
    _ kind: Kind,
    _ place: Place,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    let count = min(Int(event.argumentCount), Event.argumentsMax)
    for index in 0..<count {
      let bits = event[index]
      if index < kind.fields.count {
        let part = parts[kind.fields.lowerBound + index]
        if event.kind == .loss, index == 0,
          let family = EventFamily(rawValue: UInt8(clamping: bits))
        {
          line.put(" family=\(family)")
        } else if bits != 0 || part.saysZero || index == count - 1 {
          put(part.key, to: &line)
          putValue(bits, part.type, names, to: &line)
        }
      } else if index - kind.fields.count < place.labels.count {
        let part = parts[place.labels.lowerBound + index - kind.fields.count]
        put(part.key, to: &line)
        putLabelValue(bits, part.type, names, to: &line)
      } else {
        line.put(" arg\(index)=0x\(String(bits, radix: 16))")
      }
    }
  }

  /// A label of an event of such a kind, as `key=value`.
  static func label(
    _ field: Field,
    _ bits: UInt64,
    _ info: KindInfo?,
    _ names: Names
  ) -> String {
    var line = OutputBytes(room: 64)
    var words = StoryWords()
    let part = words.label(field, info)
    words.put(part.key, to: &line)
    words.putLabelValue(bits, field.type, { names }, to: &line)
    return String(line.takeText().dropFirst())
  }

  // MARK: Parts

  private mutating func keep(_ text: String) -> Text {
    let start = texts.count
    texts += text.utf8
    return Text(start: start, count: texts.count - start)
  }

  private func put(_ text: Text, to line: inout OutputBytes) {
    texts.withUnsafeBufferPointer {
      line.put(UnsafeBufferPointer(rebasing: $0[text.start..<text.start + text.count]))
    }
  }

  private mutating func part(_ field: Field, key: String) -> Part {
    Part(
      key: keep(" \(key)="),
      type: field.type,
      saysZero: [.state, .work, .level, .resource, .bool, .log].contains(field.type)
    )
  }

  private mutating func label(_ label: Field, _ info: KindInfo?) -> Part {
    let key = StoryValue.key(label.name) { key in
      KindInfo.isReserved(key) || key == "identity" || info?.identity?.name == key
        || info?.fields.contains { $0.name == key } == true
    }
    return part(label, key: key)
  }

  /// Makes parts of fields, which then stand behind each other.
  private mutating func keep(_ fields: [Field], _ part: (inout Self, Field) -> Part) -> Range<Int> {
    let made = fields.map { part(&self, $0) }
    parts += made
    return parts.count - made.count..<parts.count
  }

  private mutating func kind(_ kind: EventKind, _ names: () -> Names) -> Kind {
    let index = Int(kind.rawValue)
    if kinds.isEmpty { kinds = Array(repeating: nil, count: Int(UInt8.max) + 1) }
    if let known = kinds[index] { return known }
    let names = names()
    let info = KindInfo.said(kind, names)
    let identity = info?.identity ?? Field("identity", .hex)
    let new = Kind(
      name: keep(info?.name ?? KindInfo.unknownName(kind)),
      isNameIdentity: info?.isNameIdentity == true,
      identity: part(identity, key: identity.name),
      fields: keep(info?.fields ?? []) { $0.part($1, key: $1.name) }
    )
    // What another version calls it may still come.
    if names.info(of: kind) != nil { kinds[index] = new }
    return new
  }

  private mutating func place(_ site: SiteID, _ kind: EventKind, _ names: () -> Names) -> Place {
    let index = Int(site.rawValue)
    if index < places.count, let known = places[index],
      known.labels.isEmpty || known.kind == kind
    {
      return known
    }
    let names = names()
    let info = KindInfo.said(kind, names)
    let known = names[site]
    let name = names[known.name]
    let new = Place(
      name: name.isEmpty ? Text() : keep(StoryValue.word(name)),
      source: keep(Self.source(known, names)),
      labels: keep(known.labels) { $0.label($1, info) },
      kind: kind
    )
    guard names.info(of: kind) != nil, names.sites.indices.contains(index) else { return new }
    if index >= places.count {
      places += Array(repeating: nil, count: names.sites.count - places.count)
    }
    places[index] = new
    return new
  }

  private static func source(_ site: Site, _ names: Names) -> String {
    guard site.file != .empty else { return "" }
    let file = names[site.file]
    let place = " @\(StoryValue.word(file))"
    // What stands behind the last colon is the line.
    let hasLine = site.line != 0 || file.utf8.contains(UInt8(ascii: ":"))
    return hasLine ? "\(place):\(site.line)" : place
  }

  private mutating func putName(
    _ id: NameID,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    let index = Int(id.rawValue)
    // Taken out before it is put: in the call itself all of this value would be copied.
    let known = index < self.names.count ? self.names[index] : Text()
    if known.count > 0 { return put(known, to: &line) }
    let names = names()
    let word = keep(StoryValue.word(names[id]))
    put(word, to: &line)
    guard names.strings.indices.contains(index) else { return }
    if index >= self.names.count {
      self.names += Array(repeating: Text(), count: names.strings.count - self.names.count)
    }
    self.names[index] = word
  }

  private mutating func putValue(
    _ bits: UInt64,
    _ type: FieldType,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    switch type {
    case .name: putName(NameID(word: bits), names, to: &line)
    case .int: line.putNumber(Int64(bitPattern: bits))
    case .bytes: line.putNumber(bits)
    case .duration: StoryValue.putDuration(Int64(bitPattern: bits), to: &line)
    case .hex: StoryValue.putHexadecimal(bits, to: &line)
    case .state, .work, .level, .resource, .log: putCode(bits, type, to: &line)
    case .bool, .double: StoryValue.put(FieldValue(bits, type, Self.noNames), to: &line)
    }
  }

  private mutating func putCode(_ bits: UInt64, _ type: FieldType, to line: inout OutputBytes) {
    guard bits < UInt64(Self.codesMax) else {
      return StoryValue.put(FieldValue(bits, type, Self.noNames), to: &line)
    }
    let index = Int(type.rawValue) * Self.codesMax + Int(bits)
    while codes.count <= index { codes.append(Text()) }
    if codes[index].count == 0 {
      codes[index] = keep(StoryValue.text(FieldValue(bits, type, Self.noNames)))
    }
    let word = codes[index]
    put(word, to: &line)
  }

  /// As a value, with a mark of its type for readers.
  private mutating func putLabelValue(
    _ bits: UInt64,
    _ type: FieldType,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    putValue(bits, type, names, to: &line)
    if type == .bytes {
      line.makeRoom(1)
      line.put(UInt8(ascii: "B"))
    }
  }
}
