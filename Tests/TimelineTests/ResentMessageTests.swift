// SPDX-License-Identifier: Apache-2.0
import LifetraceClocks
import LifetraceTrace
import Testing

@testable import LifetraceTimeline

/// A flow that is sent again, arrives at several, or is lost: only its first send is proved to be before.
@Suite struct ResentMessageTests {
  /// A writer's sends (positive) and receives (negative) of flow 7, by time, on the clock of one host.
  private func writer(_ number: Int, _ times: [Int64]) -> MemorySource.Writer {
    var attributes = WriterAttributes(app: "app\(number)")
    attributes.pid = UInt32(number)
    return MemorySource.Writer(
      id: WriterID(high: 1, low: UInt64(number)),
      attributes: attributes,
      events: times.map {
        Event(
          $0 > 0 ? .messageSend : .messageReceive,
          at: HostTime(rawValue: abs($0)),
          identity: 7
        )
      }
    )
  }

  /// Stream and time of each event in order.
  private func order(_ writers: [[Int64]]) -> [String] {
    let made = writers.enumerated().map { writer($0.offset, $0.element) }
    let timeline = Timeline(MemorySource(made, names: Names(), rows: 4))
    var here = timeline.start
    var found: [String] = []
    while let place = timeline.stepForward(&here) {
      let event = timeline.event(at: place)
      let verb = event.kind == .messageSend ? "sends" : "receives"
      found.append("\(place.stream.rawValue) \(verb) \(event.time.rawValue)")
    }
    return found
  }

  @Test func aRetryDoesNotHoldBackWhoHeardTheFirst() {
    // Two have heard the first of two sends: neither waits for the second.
    #expect(
      order([[10, 50], [-20], [-30]])
        == ["0 sends 10", "1 receives 20", "2 receives 30", "0 sends 50"]
    )
  }

  @Test func ofTwoReceivesByOneEitherMayBeOfTheFirst() {
    #expect(
      order([[10, 50], [-20, -30]]) == [
        "0 sends 10", "1 receives 20", "1 receives 30", "0 sends 50",
      ]
    )
  }

  @Test func nothingIsReceivedBeforeTheFirstSend() {
    #expect(
      order([[10, 50], [-5], [-20], [-60]])
        == ["0 sends 10", "1 receives 5", "2 receives 20", "0 sends 50", "3 receives 60"]
    )
  }

  @Test func whatOneSendsItselfDoesNotBoundIt() {
    // The second passes the message on under the same flow: it received what the first had sent.
    #expect(
      order([[40], [-20, 30], [-35]])
        == ["0 sends 40", "1 receives 20", "1 sends 30", "2 receives 35"]
    )
  }

  /// Both copies of the first send arrive, and the second send is lost: clocks are compared by the first.
  @Test func aCopyAndALossProveNothingOfTheSecondSend() {
    let source = MemorySource(
      [writer(0, [10, 1_000_000]), writer(1, [-20, -30])],
      names: Names(),
      rows: 4
    )
    let ends = MessageEnds(source, [0, 1], CounterLines(source, clockOfStream: [0, 1]))
    var evidence: [Evidence] = []
    ends.eachEvidence { evidence.append($0) }
    #expect(evidence.map(\.earlier.time) == [10, 10])
    #expect(evidence.map(\.later.time) == [20, 30])
  }

  /// What the sends and receives of two clocks prove; those of the first by number, time and flow.
  private func evidence(
    _ sends: [(number: UInt64, time: Int64, flow: UInt64)]
  ) -> [Int64] {
    var sender = writer(0, [])
    sender.events = sends.map { number, time, flow in
      var event = Event(.messageSend, at: HostTime(rawValue: time), identity: flow)
      event.sequence = number
      return event
    }
    var receiver = writer(1, [])
    for flow in Set(sends.map(\.flow)).sorted() {
      let time = HostTime(rawValue: 1_000 + Int64(flow))
      receiver.events.append(Event(.messageReceive, at: time, identity: flow))
    }
    let source = MemorySource([sender, receiver], names: Names(), rows: 4)
    let ends = MessageEnds(source, [0, 1], CounterLines(source, clockOfStream: [0, 1]))
    var found: [Int64] = []
    ends.eachEvidence { found.append($0.earlier.time) }
    return found
  }

  /// Of who is seen to send again the first send may be among what is missing.
  @Test func aSendBehindMissingEventsMayBeTheSecond() {
    // Flow 1 twice; flow 2 behind events that are missing.
    #expect(evidence([(0, 10, 1), (1, 20, 1), (5, 30, 2)]) == [10])
    #expect(evidence([(0, 10, 1), (1, 20, 1), (2, 30, 2)]) == [10, 30])
    // The start is missing: a cut, or a recording that keeps its last part.
    #expect(evidence([(3, 10, 1), (4, 20, 1), (5, 30, 2)]) == [])
  }

  @Test func whoNeverSendsAgainIsBelievedBehindMissingEvents() {
    #expect(evidence([(0, 10, 1), (5, 30, 2)]) == [10, 30])
    #expect(evidence([(3, 10, 1), (5, 30, 2)]) == [10, 30])
  }
}
