// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

/// The fields of events by name, as the descriptions of their kinds have them.
///
///     Schema(names).fields["bytes"]      // a size, in data.dirty, data.durable and others
///
/// A kind that a later version describes in its chunks has fields like any other.
package struct Schema: Sendable {
  /// A field: one name, one type, and where each kind has it.
  package struct EventField: Sendable {
    /// The name of the field.
    package var name: String
    /// What it says.
    package var type: ValueType
    /// Where events of each kind have it, by raw value.
    var places: [FieldPlace]

    /// The kinds that have it.
    package var kinds: [EventKind] {
      places.indices.filter { places[$0] != .none }.map { EventKind(rawValue: UInt8($0)) }
    }
  }

  /// The fields of a name, one for each type that kinds give it.
  package private(set) var fields: [String: [EventField]] = [:]
  /// The kinds by raw value; nil where nothing describes one.
  let infos: [KindInfo?]
  /// Who is meant by the name of a writer; nobody, where no recording is at hand.
  package var writer: @Sendable (String) -> WriterMeaning = { _ in .nobody }

  /// The kinds of this version.
  package static let known = Schema(Names())

  /// The same, where a name to which kinds give several types has the one that `kind` gives it.
  package func at(_ kind: EventKind) -> Schema {
    var schema = self
    schema.fields = fields.mapValues { all in
      let own = all.filter { $0.places[Int(kind.rawValue)] != .none }
      return own.isEmpty ? all : own
    }
    return schema
  }

  /// All kinds that `names` can describe.
  package init(_ names: borrowing Names) {
    var infos: [KindInfo?] = []
    for raw in UInt8.min...UInt8.max { infos.append(names.info(of: EventKind(rawValue: raw))) }
    self.infos = infos
    for info in infos.compactMap({ $0 }) {
      if let identity = info.identity { add(identity, .identity, info.kind) }
      for (index, field) in info.fields.prefix(Event.argumentsMax).enumerated() {
        add(field, FieldPlace.argument(index), info.kind)
      }
    }
    for raw in infos.indices {
      let kind = EventKind(rawValue: UInt8(raw))
      if infos[raw]?.hasField("file") != true { add(Field("file", .name), .file, kind) }
      add(Field("line", .int), .line, kind)
      add("thread", .thread, .thread, kind)
      for flag in ["late", "inferred", "sampled"] { add(Field(flag, .bool), .flag(flag), kind) }
      // Where the kind has no name of its own, the place in the source has one.
      if infos[raw]?.hasField("name") != true {
        add(Field("name", .name), kind.beginning == nil ? .siteName : .beginName, kind)
      }
      switch kind {
      case .callbackBegin: add("callback", .callback, .callback, kind)
      case .callbackEnd: add("callback", .callback, .beginCallback, kind)
      default: break
      }
      if kind.beginning != nil { add(Field("took", .duration), .took, kind) }
    }
  }

  private mutating func add(_ field: Field, _ place: FieldPlace, _ kind: EventKind) {
    add(field.name, .field(field.type), place, kind)
  }

  private mutating func add(
    _ name: String,
    _ type: ValueType,
    _ place: FieldPlace,
    _ kind: EventKind
  ) {
    let known = fields[name, default: []].firstIndex { $0.type == type }
    if known == nil {
      let nowhere = [FieldPlace](repeating: .none, count: 256)
      fields[name, default: []].append(EventField(name: name, type: type, places: nowhere))
    }
    let last = (fields[name]?.count ?? 1) - 1
    fields[name]?[known ?? last].places[Int(kind.rawValue)] = place
  }

  /// The kinds that the word of a path means: one of `help kinds`, a dotted kind, a family.
  package func kinds(named word: String) -> KindWord? {
    if let known = KindWord.exactly(word), !known.isViolation { return known }
    let taught = infos.compactMap { $0 }.first { $0.name == word && $0.kind.info == nil }
    return taught.map { KindWord($0.name, of: $0.kind) }
  }

  /// All words that a path may begin with, for what may have been meant.
  package var words: [String] {
    Set(fields.keys).union(KindWord.all.filter { !$0.isViolation }.map(\.word)).union(
      infos.compactMap { $0?.name }
    ).sorted()
  }
}

extension KindInfo {
  fileprivate func hasField(_ name: String) -> Bool {
    identity?.name == name || fields.contains { $0.name == name }
  }
}

/// Where an event has a value.
enum FieldPlace: UInt8, Sendable, BitwiseCopyable {
  case none
  case identity
  case first, second, third, fourth
  /// The name, the file and the line of its place in the source.
  case siteName, file, line
  /// The name of its place, or that of its begin where the end has none.
  case beginName
  /// The callback that its place names, or that of its begin.
  case callback, beginCallback
  /// How long ago its begin was.
  case took
  case thread
  case late, inferred, sampled

  static func argument(_ index: Int) -> FieldPlace { [.first, .second, .third, .fourth][index] }

  static func flag(_ name: String) -> FieldPlace {
    name == "late" ? .late : name == "inferred" ? .inferred : .sampled
  }

  /// Whether it stands in the event itself; else the state before the event is asked.
  var isInEvent: Bool { self != .took && self != .beginName && self != .beginCallback }
}

extension EventKind {
  private static let beginnings: [EventKind?] = {
    var table = [EventKind?](repeating: nil, count: 256)
    // Of a test nothing is folded.
    for info in KindInfo.all where info.kind != .testBegin {
      if let ending = info.ending { table[Int(ending.rawValue)] = info.kind }
    }
    return table
  }()

  /// The kind that begins what an event of this kind ends, where the state knows of it.
  package var beginning: EventKind? { Self.beginnings[Int(rawValue)] }
}
