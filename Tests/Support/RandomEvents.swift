// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Events of every kind, known or not, with every sort of value: what a codec must bring back.
public struct RandomEvents: Sendable {
  /// What the ids of the events stand for.
  public private(set) var names = Names()
  private var random: SeededRandom
  private var time: Int64
  private var sequence: UInt64 = 0
  private var sites: [SiteID] = [.none]
  private var strings: [NameID] = [.empty]
  private var open: [(kind: EventKind, event: Event)] = []

  /// The events of a seed.
  public init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    time = Int64(random.next() >> 8)
    for number in 0..<(random.below(300) + 1) {
      strings.append(names.intern("name \(number) ä\(random.below(10))"))
    }
    names.teach(
      KindInfo(
        describing: EventKind(rawValue: 200),
        name: "alien.begin",
        identity: Field("who", .name),
        fields: [Field("a", .name), Field("b", .int)],
        ending: EventKind(rawValue: 201)
      )
    )
    for line in 0..<random.below(100) {
      let labels = [Field("x", .int), Field("y", .name), Field("z", .double), Field("w", .name)]
      let site = Site(
        name: strings[random.below(strings.count)],
        file: strings[random.below(strings.count)],
        line: UInt32(line),
        labels: Array(labels.prefix(random.below(5)))
      )
      sites.append(names.intern(site))
    }
  }

  /// The next `count` events of the stream.
  public mutating func next(_ count: Int) -> [Event] { (0..<count).map { _ in one() } }

  private mutating func one() -> Event {
    let known = KindInfo.all[random.below(KindInfo.all.count)]
    let info: KindInfo
    switch random.below(12) {
    case 0: info = names.info(of: EventKind(rawValue: UInt8(200 + random.below(3)))) ?? known
    case 1: info = KindInfo.all[0]
    default: info = known
    }
    var event = Event(info.kind, at: tick(), sequence: sequence)
    sequence += 1
    event.thread = ThreadID(
      rawValue: UInt32(random.once(in: 3) ? random.below(600) : random.below(3))
    )
    event.site = sites[random.below(sites.count)]
    event.identity = info.identity?.type == .name ? name() : number()
    event.observerCode = random.once(in: 20) ? UInt8(random.below(256)) : 0
    event.flags = EventFlags(rawValue: random.once(in: 20) ? UInt8(random.below(256)) : 0)
    let labels = names[event.site].labels
    let count = random.below(Event.argumentsMax + 1)
    event.argumentCount = UInt8(count)
    for index in 0..<count {
      let isName =
        index < info.fields.count
        ? info.fields[index].type == .name
        : index - info.fields.count < labels.count
          && labels[index - info.fields.count].type == .name
      event[index] = isName ? name() : number()
    }
    tie(&event, info)
    return event
  }

  /// Lets many ends belong to a begin, on its thread or another, at its site or another.
  private mutating func tie(_ event: inout Event, _ info: KindInfo) {
    if let ending = info.ending {
      open.append((ending, event))
    } else if let index = open.lastIndex(where: { $0.kind == info.kind }), !random.once(in: 8) {
      let begin = open.remove(at: index).event
      event.identity = begin.identity
      if !random.once(in: 8) { event.thread = begin.thread }
      if !random.once(in: 8) { setSite(&event, begin.site, info) }
    }
  }

  /// Labelled arguments are typed by the site, so they go when it changes.
  private func setSite(_ event: inout Event, _ site: SiteID, _ info: KindInfo) {
    event.site = site
    for index in min(info.fields.count, Event.argumentsMax)..<Event.argumentsMax {
      event[index] = 0
    }
  }

  private mutating func tick() -> HostTime {
    switch random.below(40) {
    case 0: time &-= Int64(random.below(1_000_000))
    case 1: time &+= Int64(random.next() >> 20)
    case 2: time = Int64(bitPattern: random.next()) >> 2
    default: time &+= Int64(random.next() >> UInt64(40 + random.below(20)))
    }
    return HostTime(rawValue: time)
  }

  private mutating func name() -> UInt64 {
    UInt64(strings[random.below(strings.count)].rawValue)
  }

  private mutating func number() -> UInt64 {
    random.once(in: 4) ? random.next() : sequence &+ UInt64(random.below(3))
  }
}

/// An event with its ids replaced by what they stand for: equal in any two tables.
public struct PlainEvent: Hashable, Sendable {
  /// Every part of it that is not an id.
  public var numbers: [UInt64]
  /// Every part of it that is one.
  public var texts: [String]

  /// What `event` says with `names`.
  public init(_ event: Event, names: borrowing Names) {
    numbers = [
      event.sequence, UInt64(bitPattern: event.time.rawValue), UInt64(event.thread.rawValue),
      UInt64(event.kind.rawValue), UInt64(event.observerCode), UInt64(event.flags.rawValue),
      UInt64(event.argumentCount),
    ]
    texts = []
    let site = names[event.site]
    texts += [names[site.name], names[site.file]] + site.labels.map { "\($0.name):\($0.type)" }
    numbers.append(UInt64(site.line))
    let info = names.info(of: event.kind)
    var types = [info?.identity?.type] + (info?.fields ?? []).prefix(4).map { $0.type }
    types += site.labels.map { $0.type }
    let values = [event.identity] + (0..<Event.argumentsMax).map { event[$0] }
    for (index, value) in values.enumerated() {
      if index < types.count, types[index] == .name {
        texts.append(names[NameID(rawValue: UInt32(truncatingIfNeeded: value))])
      } else {
        numbers.append(value)
      }
    }
  }
}
