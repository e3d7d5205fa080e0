// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// Streams of events that no sane process emits: every kind, few names, ids that meet, times that go back.
public struct StrangeEvents {
  /// The strings and sites of the events.
  public let names: Names
  private var random: SeededRandom
  private let ids: [NameID]
  private let sites: [SiteID]

  /// Events that `seed` repeats.
  public init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let words = [
      "", "draft.txt", "index.db", "applicationDidEnterBackground:", "didBecomeActive",
      "willTerminate", "lock", "unlock", "reboot", "save", "shared", "private",
    ]
    var names = Names()
    let ids = words.map { names.intern($0) }
    let file = names.intern("Notes/Editor.swift")
    sites =
      [.none]
      + ids.enumerated().map {
        names.intern(
          Site(
            name: $0.element,
            file: file,
            line: UInt32($0.offset),
            labels: $0.offset % 3 == 0 ? [Field("extra", .int)] : []
          )
        )
      }
    self.ids = ids
    self.names = names
  }

  /// The next `count` events, numbered from `first`, with a gap in the numbers now and then.
  public mutating func next(_ count: Int, from first: UInt64 = 0) -> [Event] {
    var sequence = first
    var time: Int64 = 1_000_000
    return (0..<count).map { _ in
      let info = KindInfo.all[pick(KindInfo.all.count)]
      time += Int64(pick(40)) * 1_000_000 - 5_000_000
      if pick(400) == 0 { time += 20_000_000_000 }
      var event = Event(
        pick(50) == 0 ? EventKind(rawValue: UInt8(pick(256))) : info.kind,
        at: HostTime(rawValue: pick(2_000) == 0 ? Int64(bitPattern: random.next()) : time)
      )
      event.sequence = sequence
      event.thread = ThreadID(rawValue: UInt32(pick(3)))
      event.site = sites[pick(sites.count)]
      event.identity =
        info.identity?.type == .name ? UInt64(ids[pick(ids.count)].rawValue) : UInt64(pick(6))
      for (index, field) in info.fields.enumerated() { event[index] = bits(field.type) }
      event.argumentCount = UInt8(pick(info.fields.count + 1))
      event.flags = EventFlags(rawValue: UInt8(pick(40) == 0 ? pick(8) : 0))
      event.observerCode = UInt8(pick(6))
      sequence += pick(60) == 0 ? UInt64(1 + pick(5)) : 1
      return event
    }
  }

  private mutating func bits(_ type: FieldType) -> UInt64 {
    switch type {
    case .name: UInt64(ids[pick(ids.count)].rawValue)
    case .state, .work, .level, .resource: UInt64(pick(7))
    case .int, .bytes: pick(30) == 0 ? random.next() : UInt64(pick(5))
    default: pick(10) == 0 ? random.next() : UInt64(pick(1_000_000_000))
    }
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
}
