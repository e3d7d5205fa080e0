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

  /// The first or, going backward, the last of some rows at which it holds, or may with `maybe`; `unknown` hears
  /// of each on the way at which that cannot be said.
  ///
  /// Of 32 events of which it holds at none it costs one look.
  func row(
    in rows: Range<Int>,
    backward: Bool,
    maybe: Bool,
    unknown: (Int) -> Void
  ) -> Int? {
    guard mayHold else { return nil }
    var rest = rows
    while !rest.isEmpty {
      let row = backward ? rest.upperBound - 1 : rest.lowerBound
      if whole == nil, let free = freeRows(around: row) {
        rest =
          backward
          ? rest.lowerBound..<max(rest.lowerBound, free.lowerBound)
          : min(rest.upperBound, free.upperBound)..<rest.upperBound
        continue
      }
      let truth = truth(at: row)
      if truth == .unknown { unknown(row) }
      if truth == .yes || maybe && truth == .unknown { return row }
      rest = backward ? rest.dropLast() : rest.dropFirst()
    }
    return nil
  }

  /// The rows that are kept together with one, where it holds at none of them.
  private func freeRows(around row: Int) -> Range<Int>? {
    let word = row / 32
    return bits[word] == 0 ? word * 32..<(word + 1) * 32 : nil
  }

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
