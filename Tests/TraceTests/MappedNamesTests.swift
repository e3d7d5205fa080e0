// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

/// The quick way to put other names into an event is the one that looks each word up.
@Suite struct MappedNamesTests {
  @Test(arguments: KindInfo.all)
  func bothWaysAreOne(_ info: KindInfo) {
    let labels = [Field("user", .name), Field("size", .int), Field("place", .name)]
    for count in 0...Event.argumentsMax {
      var event = Event(info.kind, at: HostTime(rawValue: 0))
      event.argumentCount = UInt8(count)
      event.identity = 1
      for index in 0..<count { event[index] = UInt64(10 + index) }
      var (slow, quick) = (event, event)
      slow.mapNames(info, labels: labels) { NameID(word: $0 + 100) }
      quick.mapNames(labels: labels) { NameID(word: $0 + 100) }
      #expect(slow.identity == quick.identity)
      let words = (0..<Event.argumentsMax).map { [slow[$0], quick[$0]] }
      #expect(words.allSatisfy { $0[0] == $0[1] }, "\(info.name), \(count): \(words)")
    }
  }

  @Test func aKindThatNobodyKnowsIsLeftAsItIs() throws {
    let kind = try #require(
      (UInt8.min...UInt8.max).map(EventKind.init(rawValue:)).first { $0.info == nil }
    )
    var event = Event(kind, at: HostTime(rawValue: 0))
    event.argumentCount = 1
    event[0] = 7
    event.mapNames(labels: [Field("user", .name)]) { _ in NameID(word: 8) }
    #expect(event[0] == 7)
  }
}
