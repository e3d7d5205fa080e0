// SPDX-License-Identifier: Apache-2.0
import LifetraceQuery
import LifetraceTrace

/// Where in a chunk a condition holds, and where that cannot be said: two bits an event, or one truth for
/// all of them.
struct ChunkAnswers {
  let stream: StreamID
  let firstSequence: UInt64
  let count: Int
  /// What holds at every event; nil where that is not one truth.
  private(set) var whole: Truth?
  /// Whether it holds, or may, at some event.
  private(set) var mayHold: Bool
  private var bits: [UInt64]

  /// One in which it holds nowhere yet.
  init(stream: StreamID, firstSequence: UInt64, count: Int) {
    self.stream = stream
    self.firstSequence = firstSequence
    self.count = count
    mayHold = false
    bits = Array(repeating: 0, count: (count + 31) / 32)
  }

  /// One in which every event has the same answer.
  init(stream: StreamID, firstSequence: UInt64, count: Int, whole: Truth) {
    self.stream = stream
    self.firstSequence = firstSequence
    self.count = count
    self.whole = whole
    mayHold = whole != .no
    bits = []
  }

  func holds(_ event: Event) -> Bool {
    event.stream == stream && event.sequence >= firstSequence
      && event.sequence - firstSequence < UInt64(count)
  }

  func truth(of event: Event) -> Truth { truth(at: Int(event.sequence - firstSequence)) }

  /// What holds behind the last event.
  var last: Truth { truth(at: count - 1) }

  private func truth(at index: Int) -> Truth {
    whole ?? Truth(rawValue: UInt8(bits[index / 32] >> UInt64(index % 32 * 2) & 3)) ?? .unknown
  }

  /// Says it of an event of which nothing was said.
  mutating func set(_ truth: Truth, at index: Int) {
    guard truth != .no else { return }
    mayHold = true
    bits[index / 32] |= UInt64(truth.rawValue) << UInt64(index % 32 * 2)
  }
}
