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
    var start: UInt32 = 0
    var count: UInt32 = 0
  }

  /// One `key=value`.
  private struct Part {
    /// How it begins: ` version=`.
    let key: Text
    let type: FieldType
    /// Whether a zero is said too, wherever it stands.
    let saysZero: Bool
    /// Whether it is a label's, and bytes have a mark of their type for readers.
    var isLabel = false
  }

  /// What lines say of the events of a kind.
  private struct Kind {
    let name: Text
    let isNameIdentity: Bool
    let identity: Part
    /// Those of the fields, in `parts`.
    let fields: Range<Int>
  }

  /// What lines say of the events of a kind from one place in the source.
  private struct Shape {
    let kind: EventKind
    /// The next one of the same place, in `shapes`; negative for none.
    let next: Int32
    /// Up to the identity: `work.begin "job 6"`.
    let head: Text
    /// What the place is called, where a name as identity stands before it: ` site=purge`.
    let site: Text
    let isNameIdentity: Bool
    let identity: Part
    /// Those of the arguments in `parts`: of the fields, then of the labels.
    let arguments: Range<Int>
    /// How a line ends: ` @Notes/Editor.swift:41`.
    let source: Text
  }

  /// For values that have no name in them.
  private static let noNames = Names()

  /// With as many bytes behind the last text as are copied at once.
  private var texts = [UInt8](repeating: 0, count: OutputBytes.keptBytes)
  private var parts: [Part] = []
  private var kinds: [Kind?] = []
  private var shapes: [Shape] = []
  /// Which of them is the first: of each kind without a place, then of each place.
  private var firstShapes = [Int32](repeating: -1, count: Int(UInt8.max) + 1)
  /// By name, as a word.
  private var names: [Text] = []
  /// By type of field and code, below ``codesMax``.
  private var codes: [Text] = []
  /// By stream, its label and how a line says that.
  private var labels: [(label: String, word: Text)] = []
  /// By code of an observer: ` by=recorder`.
  private var observers: [Text] = []

  private static let codesMax = 64

  /// What ``putPlace(_:of:to:)`` says of a stream.
  mutating func meet(_ stream: StreamID, _ label: String) {
    let stream = Int(stream.rawValue)
    if texts.count > Self.textsMax { self = StoryWords() }
    while labels.count <= stream { labels.append(("", Text())) }
    if labels[stream].word.count == 0 || labels[stream].label != label {
      labels[stream] = (label, keep(" \(StoryValue.label(label)) "))
    }
  }

  /// Puts of whom an event is: ` notes#1 main `; its stream was met.
  mutating func putPlace(of event: borrowing Event, to line: inout OutputBytes) {
    // Taken out before it is put: in the call itself all of this value would be copied.
    let word = labels[Int(event.stream.rawValue)].word
    put(word, to: &line)
    if event.thread == .main { return line.putLiteral("main ") }
    line.makeRoom(32)
    line.put(UInt8(ascii: "t"))
    line.putNumber(UInt64(event.thread.rawValue))
    line.makeRoom(1)
    line.put(UInt8(ascii: " "))
  }

  /// Puts what happened: `data.dirty draft.txt version=3 @Notes/Editor.swift:41`.
  ///
  /// The names are asked for where a part is met for the first time.
  mutating func put(
    _ event: borrowing Event,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    let shape = shape(event.site, event.kind, names)
    put(shape.head, to: &line)
    if shape.isNameIdentity {
      putName(event.identityName, names, to: &line)
      put(shape.site, to: &line)
    } else if event.identity != 0 {
      put(shape.identity.key, to: &line)
      putValue(event.identity, shape.identity.type, names, to: &line)
    }
    let count = min(Int(event.argumentCount), Event.argumentsMax)
    for index in 0..<count {
      let bits = event[index]
      guard index < shape.arguments.count else {
        line.put(" arg\(index)=0x\(String(bits, radix: 16))")
        continue
      }
      let part = parts[shape.arguments.lowerBound &+ index]
      if index == 0, event.kind == .loss, let family = Self.family(bits) {
        line.put(" family=\(family)")
      } else if bits != 0 || part.saysZero || index == count &- 1 {
        put(part.key, to: &line)
        putValue(bits, part.type, names, to: &line)
        if part.isLabel { putMark(of: part.type, to: &line) }
      }
    }
    put(shape.source, to: &line)
    if !event.flags.isEmpty { putFlags(event.flags, to: &line) }
    if event.observerCode != Observer.own.rawValue { putObserver(event, to: &line) }
  }

  private static func family(_ bits: UInt64) -> EventFamily? {
    EventFamily(rawValue: UInt8(clamping: bits))
  }

  private func putFlags(_ flags: EventFlags, to line: inout OutputBytes) {
    if flags.contains(.late) { line.putLiteral(" late") }
    if flags.contains(.inferred) { line.putLiteral(" inferred") }
    if flags.contains(.sampled) { line.putLiteral(" sampled") }
  }

  private mutating func putObserver(_ event: borrowing Event, to line: inout OutputBytes) {
    let index = Int(event.observerCode)
    while observers.count <= index { observers.append(Text()) }
    if observers[index].count == 0 { observers[index] = keep(" by=\(event.observer.word)") }
    let word = observers[index]
    put(word, to: &line)
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
    words.putValue(bits, field.type, { names }, to: &line)
    words.putMark(of: field.type, to: &line)
    return String(line.takeText().dropFirst())
  }

  // MARK: Parts

  private mutating func keep(_ text: String) -> Text {
    let start = texts.count - OutputBytes.keptBytes
    texts.removeLast(OutputBytes.keptBytes)
    texts += text.utf8
    let end = texts.count
    texts += repeatElement(0, count: OutputBytes.keptBytes)
    return Text(start: UInt32(start), count: UInt32(end - start))
  }

  @inline(__always)
  private func put(_ text: Text, to line: inout OutputBytes) {
    line.put(keptAt: Int(text.start), count: Int(text.count), in: texts)
  }

  private func string(_ text: Text) -> String {
    String(decoding: texts[Int(text.start)..<Int(text.start + text.count)], as: UTF8.self)
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
    return Part(key: keep(" \(key)="), type: label.type, saysZero: true, isLabel: true)
  }

  private mutating func kind(_ kind: EventKind, _ names: Names) -> Kind {
    let index = Int(kind.rawValue)
    if kinds.isEmpty { kinds = Array(repeating: nil, count: Int(UInt8.max) + 1) }
    if let known = kinds[index] { return known }
    let info = KindInfo.said(kind, names)
    let identity = info?.identity ?? Field("identity", .hex)
    let fields = (info?.fields ?? []).map { part($0, key: $0.name) }
    parts += fields
    let new = Kind(
      name: keep(info?.name ?? KindInfo.unknownName(kind)),
      isNameIdentity: info?.isNameIdentity == true,
      identity: part(identity, key: identity.name),
      fields: parts.count - fields.count..<parts.count
    )
    // What another version calls it may still come.
    if names.info(of: kind) != nil { kinds[index] = new }
    return new
  }

  @inline(__always)
  private mutating func shape(_ site: SiteID, _ kind: EventKind, _ names: () -> Names) -> Shape {
    let slot = Self.slot(site, kind)
    var place = slot < firstShapes.count ? Int(firstShapes[slot]) : -1
    while place >= 0 {
      if shapes[place].kind == kind { return shapes[place] }
      place = Int(shapes[place].next)
    }
    return newShape(site, kind, names())
  }

  /// Where ``firstShapes`` has those of a place.
  @inline(__always)
  private static func slot(_ site: SiteID, _ kind: EventKind) -> Int {
    site == .none ? Int(kind.rawValue) : Int(UInt8.max) &+ Int(site.rawValue)
  }

  @inline(never)
  private mutating func newShape(_ site: SiteID, _ kind: EventKind, _ names: Names) -> Shape {
    let whatHappened = self.kind(kind, names)
    let known = names[site]
    let name = names[known.name]
    let word = name.isEmpty ? "" : StoryValue.word(name)
    var head = string(whatHappened.name)
    if whatHappened.isNameIdentity {
      head += " "
    } else if !word.isEmpty {
      head += " \(word)"
    }
    var arguments = whatHappened.fields
    if !known.labels.isEmpty {
      let info = KindInfo.said(kind, names)
      let all = Array(parts[arguments]) + known.labels.map { label($0, info) }
      parts += all
      arguments = parts.count - all.count..<parts.count
    }
    let slot = Self.slot(site, kind)
    let isKept = names.info(of: kind) != nil && names.sites.indices.contains(Int(site.rawValue))
    if isKept, slot >= firstShapes.count {
      let count = Int(UInt8.max) + names.sites.count
      firstShapes += repeatElement(-1, count: count - firstShapes.count)
    }
    let new = Shape(
      kind: kind,
      next: isKept ? firstShapes[slot] : -1,
      head: keep(head),
      site: whatHappened.isNameIdentity && !word.isEmpty ? keep(" site=\(word)") : Text(),
      isNameIdentity: whatHappened.isNameIdentity,
      identity: whatHappened.identity,
      arguments: arguments,
      source: keep(Self.source(known, names))
    )
    if isKept {
      firstShapes[slot] = Int32(shapes.count)
      shapes.append(new)
    }
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

  /// Puts the mark by which readers know the type of a label's value.
  private func putMark(of type: FieldType, to line: inout OutputBytes) {
    guard type == .bytes else { return }
    line.makeRoom(1)
    line.put(UInt8(ascii: "B"))
  }
}
