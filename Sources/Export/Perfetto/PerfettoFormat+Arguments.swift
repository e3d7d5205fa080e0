// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

// What an event carries, as annotations by name; names and texts are said before their first use.

extension PerfettoFormat {
  /// Says a number's text, for all packets behind it.
  mutating func intern(_ field: UInt64, _ number: UInt64, _ text: String) {
    packet(flags: Perfetto.needsInterned) { bytes in
      bytes.putMessage(Perfetto.Packet.internedData) { bytes in
        bytes.putMessage(field) { bytes in
          bytes.putField(Perfetto.Interned.number, number)
          bytes.putField(Perfetto.Interned.text, text)
        }
      }
    }
  }

  @inline(__always)
  mutating func number(of title: Title, _ names: borrowing Names) -> UInt64 {
    let (number, isNew) = interning.title(title)
    if isNew {
      let text = title.text(copy names, labels: facts?.labels ?? [])
      intern(Perfetto.Interned.eventNames, number, text)
    }
    return number
  }

  mutating func number(ofName name: String) -> UInt64 {
    let (number, isNew) = interning.name(name)
    if isNew { intern(Perfetto.Interned.annotationNames, number, name) }
    return number
  }

  /// Says all that the packet of an event will refer to.
  @inline(__always)
  mutating func learn(_ event: borrowing Event, _ names: borrowing Names) {
    if interning.kind(event.kind) == nil { learn(kind: event.kind, names) }
    if event.site != .none { learn(site: event.site, names) }
    guard let kind = interning.kind(event.kind) else { return }
    if let identity = kind.identity { learn(event.identity, identity.type, names) }
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      if let argument = argument(index, kind, event.site) {
        learn(event[index], argument.type, names)
      }
    }
  }

  private mutating func learn(kind: EventKind, _ names: borrowing Names) {
    let info = names.info(of: kind)
    var arguments = PerfettoInterning.Kind()
    if let identity = info?.identity { arguments.identity = argument(identity) }
    if info == nil { arguments.identity = argument(Field("identity", .hex)) }
    arguments.fields = (info?.fields ?? []).map { argument($0) }
    interning.learn(kind, arguments)
    for word in ["late", "inferred", "sampled", "by"] { _ = number(ofName: word) }
  }

  private mutating func argument(_ field: Field) -> PerfettoInterning.Argument {
    PerfettoInterning.Argument(name: number(ofName: field.name), type: field.type)
  }

  private mutating func learn(site id: SiteID, _ names: borrowing Names) {
    let (number, isNew) = interning.source(id)
    guard isNew else { return }
    let site = names[id]
    interning.learn(id, site.labels.map { argument($0) })
    guard site.file != .empty else { return }
    let (file, function) = (names[site.file], names[site.name])
    packet(flags: Perfetto.needsInterned) { bytes in
      bytes.putMessage(Perfetto.Packet.internedData) { bytes in
        bytes.putMessage(Perfetto.Interned.sources) { bytes in
          bytes.putField(Perfetto.Interned.number, number)
          bytes.putField(Perfetto.Source.file, file)
          if !function.isEmpty { bytes.putField(Perfetto.Source.function, function) }
          bytes.putField(Perfetto.Source.line, UInt64(site.line))
        }
      }
    }
    interning.learnFile(of: id)
  }

  @inline(__always)
  private mutating func learn(_ bits: UInt64, _ type: FieldType, _ names: borrowing Names) {
    switch type {
    case .name:
      let name = names.known(NameID(word: bits))
      let (number, isNew) = interning.text(PerfettoInterning.firstName + name.word)
      if isNew { intern(Perfetto.Interned.texts, number, names[name]) }
    case .state, .work, .level, .resource, .log:
      guard bits < 256, interning.text(Self.number(ofWord: bits, type)).isNew else { return }
      guard let word = PerfettoInterning.word(bits, type, names) else { return }
      intern(Perfetto.Interned.texts, Self.number(ofWord: bits, type), word)
    default: break
    }
  }

  @inline(__always)
  private static func number(ofWord bits: UInt64, _ type: FieldType) -> UInt64 {
    (UInt64(type.rawValue) << 8 | bits) + 1
  }

  /// What the argument with this index is called.
  @inline(__always)
  private func argument(
    _ index: Int,
    _ kind: PerfettoInterning.Kind,
    _ site: SiteID
  ) -> PerfettoInterning.Argument? {
    if index < kind.fields.count { return kind.fields[index] }
    guard site != .none, let labels = interning.labels(site) else { return nil }
    let place = index - kind.fields.count
    return place < labels.count ? labels[place] : nil
  }

  @inline(__always)
  mutating func putArguments(of event: borrowing Event, _ names: borrowing Names) {
    if event.site != .none, interning.hasFile(event.site) {
      bytes.putField(Perfetto.Event.source, UInt64(event.site.rawValue))
    }
    put(eventNumber, Perfetto.Annotation.unsigned, event.sequence)
    guard let kind = interning.kind(event.kind) else { return }
    if let identity = kind.identity { put(identity, event.identity, names) }
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      if let argument = argument(index, kind, event.site) { put(argument, event[index], names) }
    }
    if !event.flags.isEmpty { putFlags(event.flags) }
    if event.observerCode != 0 { putObserver(event.observer) }
  }

  @inline(__always)
  private mutating func put(_ name: UInt64, _ field: UInt64, _ value: UInt64) {
    let annotation = bytes.beginMessage(Perfetto.Event.annotations, width: 1)
    bytes.putField(Perfetto.Annotation.name, name)
    bytes.putField(field, value)
    bytes.end(annotation)
  }

  @inline(__always)
  private mutating func put(
    _ argument: PerfettoInterning.Argument,
    _ bits: UInt64,
    _ names: borrowing Names
  ) {
    switch argument.type {
    case .name:
      let name = names.known(NameID(word: bits))
      put(
        argument.name,
        Perfetto.Annotation.internedText,
        PerfettoInterning.firstName + name.word
      )
    case .int, .duration: put(argument.name, Perfetto.Annotation.signed, bits)
    case .bytes: put(argument.name, Perfetto.Annotation.unsigned, bits)
    case .hex: put(argument.name, Perfetto.Annotation.hexadecimal, bits)
    case .bool where bits < 2: put(argument.name, Perfetto.Annotation.bool, bits)
    case .state, .work, .level, .resource, .log:
      if PerfettoInterning.hasWord(bits, argument.type) {
        put(
          argument.name,
          Perfetto.Annotation.internedText,
          Self.number(ofWord: bits, argument.type)
        )
      } else {
        put(argument.name, Perfetto.Annotation.unsigned, bits)
      }
    case .double:
      let annotation = bytes.beginMessage(Perfetto.Event.annotations, width: 1)
      bytes.putField(Perfetto.Annotation.name, argument.name)
      bytes.putField(Perfetto.Annotation.double, fixed: bits)
      bytes.end(annotation)
    case .bool: put(argument.name, Perfetto.Annotation.unsigned, bits)
    }
  }

  /// Says that something holds.
  mutating func putFlag(_ name: UInt64) { put(name, Perfetto.Annotation.bool, 1) }

  private mutating func putFlags(_ flags: EventFlags) {
    if flags.contains(.late) { putFlag(number(ofName: "late")) }
    if flags.contains(.inferred) { putFlag(number(ofName: "inferred")) }
    if flags.contains(.sampled) { putFlag(number(ofName: "sampled")) }
  }

  private mutating func putObserver(_ observer: Observer) {
    let annotation = bytes.beginMessage(Perfetto.Event.annotations, width: 1)
    bytes.putField(Perfetto.Annotation.name, number(ofName: "by"))
    bytes.putField(Perfetto.Annotation.text, observer.word)
    bytes.end(annotation)
  }
}
