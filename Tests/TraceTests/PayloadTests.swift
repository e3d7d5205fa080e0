// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Support
import Testing

@Suite struct PayloadTests {
  @Test("What lifetrace_kinds.h declares stands in the same words wherever it is needed")
  func allIsWrittenFromOneList() {
    let outcome = TestProgram.shell("'\(Golden.root)/Scripts/kinds.sh' --check 2>&1")
    #expect(outcome.said.isEmpty && outcome.code == 0, "\(outcome.said)")
  }

  @Test("Every kind of the schema has a payload with its names, in their order")
  func namesAreTheSchemas() throws {
    #expect(payloadTypes.map { $0.kind } == KindInfo.all.map(\.kind))
    for type in payloadTypes {
      let info = try #require(type.kind.info)
      let payload = type.init(Event(type.kind, at: HostTime(rawValue: 0)))
      let names = Mirror(reflecting: payload).children.map { $0.label ?? "" }
      #expect(
        names == ([info.identity].compactMap { $0 } + info.fields).map(\.name),
        "\(info.name)"
      )
    }
  }

  @Test("What a payload makes of an event makes the same event again")
  func eventsComeBack() throws {
    var random = SeededRandom(seed: SeededRandom.seed)
    for type in payloadTypes {
      for _ in 0..<100 {
        let event = try Self.event(of: type.kind, &random)
        let again = Self.again(event, type)
        #expect(
          again.kind == event.kind && again.identity == event.identity
            && again.arguments == event.arguments && again.argumentCount == event.argumentCount,
          "\(event), seed \(SeededRandom.seed)"
        )
      }
    }
  }

  @Test("An event with too few arguments, or with words of no meaning, is a payload like another")
  func anyEventIsRead() throws {
    for type in payloadTypes {
      for count in 0...UInt8(Event.argumentsMax) {
        for word in [0, 1, UInt64.max] {
          let given = (0..<4).map { $0 < count ? word : 0 }
          let event = Event(
            type.kind,
            at: HostTime(rawValue: 0),
            identity: word,
            arguments: (given[0], given[1], given[2], given[3]),
            argumentCount: count
          )
          let again = Self.again(event, type)
          let isSame = Self.isSame(event, again, type)
          #expect(isSame, "\(type), \(count) of \(word)")
        }
      }
    }
  }

  @Test("A number that this version does not know is kept, and means nothing")
  func unknownNumbersAreKept() {
    let event = Event(
      .transition,
      at: HostTime(rawValue: 0),
      arguments: (99, 3, 0, 0),
      argumentCount: 3
    )
    let change = Payload.Transition(event)
    #expect(change.from.value == nil && change.from.rawValue == 99)
    #expect(change.to.value == .active && change.cpu == nil)
    #expect(Event(change, at: event.time).arguments == event.arguments)
  }

  private static func again<Read: EventPayload>(_ event: Event, _ type: Read.Type) -> Event {
    Event(Read(event), at: event.time)
  }

  private static func isSame<Read: EventPayload>(
    _ left: Event,
    _ right: Event,
    _ type: Read.Type
  ) -> Bool {
    Read(left) == Read(right)
  }

  /// An event with all arguments of its kind, each a word that its type can mean.
  private static func event(of kind: EventKind, _ random: inout SeededRandom) throws -> Event {
    let info = try #require(kind.info)
    func word(_ type: FieldType?) -> UInt64 {
      switch type {
      case nil: 0
      case .name: random.next() >> 32
      case .bool: random.next() & 1
      case .duration: random.next() >> 1
      default: random.next()
      }
    }
    var event = Event(kind, at: HostTime(rawValue: 0), identity: word(info.identity?.type))
    event.argumentCount = UInt8(info.fields.count)
    for (index, field) in info.fields.enumerated() { event[index] = word(field.type) }
    return event
  }
}
