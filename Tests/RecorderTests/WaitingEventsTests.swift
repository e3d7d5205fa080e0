// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import Testing

@testable import LifetraceRecorder

@Suite struct WaitingEventsTests {
  @Test func theyLeaveInOrderOfTimeAndThoseOfOneTimeAsTheyCame() {
    var waiting = WaitingEvents()
    let times: [Int64] = [30, 10, 20, 10, 30, 10]
    for (number, time) in times.enumerated() {
      let event = Event(.mark, at: HostTime(rawValue: time), identity: UInt64(number))
      waiting.insert(.init(event: event))
    }
    var left: [UInt64] = []
    while let first = waiting.first {
      left.append(first.event.identity)
      waiting.removeFirst()
    }
    #expect(left == [1, 3, 5, 2, 0, 4])
    #expect(waiting.isEmpty)
  }
}
