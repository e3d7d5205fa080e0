// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceTraceFile
import LifetraceTransport
import Testing

struct ShipmentTests {
  private let writer = WriterID(high: 1, low: 2)

  private func shipment(_ count: Int) -> Shipment {
    var shipment = Shipment(resendAfter: 30_000)
    for number in 0..<count {
      shipment.add(
        ChunkIdentity(writer: writer, first: UInt64(number) * 10, count: 10, checksum: 7)
      )
    }
    return shipment
  }

  private func due(_ shipment: inout Shipment, at now: Int64) -> [Int] {
    var numbers: [Int] = []
    while let order = shipment.next(at: now) { numbers.append(order.number) }
    return numbers
  }

  @Test func theWindowIsKept() {
    var shipment = shipment(100)
    let numbers = due(&shipment, at: 0)
    #expect(numbers == Array(0..<64))
    shipment.acknowledge(5, at: 1)
    shipment.acknowledge(5, at: 1)
    let then = due(&shipment, at: 1)
    #expect(then == [64])
  }

  @Test func onlyACollectorEndsAChunk() {
    var shipment = shipment(2)
    _ = due(&shipment, at: 0)
    for number in 0..<2 { shipment.acknowledge(number, at: 0) }
    #expect(!shipment.isDone && shipment.acknowledged == 2)
    shipment.note(Have(writer, Held([0..<20])), at: 1)
    #expect(shipment.isDone && shipment.resent == 0)
  }

  @Test func anAcknowledgementIsNotWaitedForLong() {
    var shipment = shipment(1)
    let numbers = due(&shipment, at: 0)
    #expect(numbers == [0])
    _ = shipment.tick(at: Shipment.acknowledgementMax - 1)
    let then = due(&shipment, at: Shipment.acknowledgementMax - 1)
    #expect(then.isEmpty)
    _ = shipment.tick(at: Shipment.acknowledgementMax)
    // By the same id: a server that has it drops it.
    let order = shipment.next(at: Shipment.acknowledgementMax)
    #expect(order?.id == shipment.identity(of: 0).text)
  }

  /// The server has acknowledged and lost it, and would drop it by its id, did it come again.
  @Test func whatAServerLostGoesUnderAnotherId() {
    var shipment = shipment(1)
    _ = due(&shipment, at: 0)
    shipment.acknowledge(0, at: 0)
    shipment.note(Have(writer, Held()), at: 29_999)
    let numbers = due(&shipment, at: 29_999)
    #expect(numbers.isEmpty)
    let asks = shipment.tick(at: 30_000)
    #expect(asks)
    shipment.note(Have(writer, Held()), at: 30_000)
    let order = shipment.next(at: 30_000)
    #expect(order?.id == shipment.identity(of: 0).text + ".1")
  }

  @Test func aGapIsFilledSooner() {
    var shipment = shipment(3)
    _ = due(&shipment, at: 0)
    for number in 0..<3 { shipment.acknowledge(number, at: 0) }
    shipment.note(Have(writer, Held([0..<10, 20..<30])), at: 4_999)
    let numbers = due(&shipment, at: 4_999)
    #expect(numbers.isEmpty)
    shipment.note(Have(writer, Held([0..<10, 20..<30])), at: 5_000)
    let then = due(&shipment, at: 5_000)
    #expect(then == [1])
  }

  @Test func aRefusalIsWaitedOut() {
    var shipment = shipment(1)
    _ = due(&shipment, at: 0)
    shipment.postpone(0, until: 1_000)
    _ = shipment.tick(at: 999)
    let numbers = due(&shipment, at: 999)
    #expect(numbers.isEmpty)
    _ = shipment.tick(at: 1_000)
    let then = due(&shipment, at: 1_000)
    #expect(then == [0])
  }

  /// It holds nothing up, and another server may take it.
  @Test func whatIsTooLargeIsLeftForAnotherLink() {
    var shipment = shipment(3)
    _ = due(&shipment, at: 0)
    shipment.setAside(1)
    shipment.setAside(1)
    shipment.note(Have(writer, Held([0..<10, 20..<30])), at: 1)
    #expect(shipment.isSettled && !shipment.isDone && shipment.tooLarge == 1)
    _ = shipment.tick(at: 100_000)
    let none = due(&shipment, at: 100_000)
    #expect(none.isEmpty)
    shipment.disconnect()
    #expect(!shipment.isSettled && shipment.tooLarge == 0)
    let numbers = due(&shipment, at: 100_000)
    #expect(numbers == [1])
    shipment.setAside(1)
    // It has come another way.
    shipment.note(Have(writer, Held([0..<30])), at: 100_001)
    #expect(shipment.isDone && shipment.tooLarge == 0)
  }

  @Test func aBrokenLinkLosesNothing() {
    var shipment = shipment(70)
    let numbers = due(&shipment, at: 0)
    #expect(numbers.count == 64)
    shipment.disconnect()
    let then = due(&shipment, at: 1)
    #expect(then == Array(0..<64))
  }
}
