// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

extension Timeline {
  /// The position at which exactly `ordinal` events have happened, clamped to the recording.
  ///
  /// Decodes the times of the chunks that cover the place, and of few others.
  package func position(ordinal: Int) -> Position {
    guard ordinal > 0 else { return start }
    guard ordinal < count else { return finish }
    let cut = cut(ofEventAfter: ordinal)
    var position = Position(cursors: cut.before)
    if knots.group(at: cut.time) != nil {
      while position.ordinal < ordinal, stepForward(&position) != nil {}
      return position
    }
    for stream in byRank {
      let most = cut.upTo[stream] - cut.before[stream]
      let take = min(ordinal - position.ordinal, most)
      position.cursors[stream] += take
      position.ordinal += take
    }
    return position
  }

  /// Decodes the times of the chunks around an event, which ``position(ordinal:)`` will look at.
  ///
  /// To be asked for before a jump that may take long: `isInterrupted` is asked, and `progress` told, before
  /// each of them. They are taken from chunk headers; a few more may follow with the jump.
  package func prepare(
    ordinal: Int,
    isInterrupted: () -> Bool,
    progress: (_ done: Int, _ of: Int) -> Void
  ) throws(SearchInterrupted) {
    guard ordinal > 0, ordinal < count else { return }
    let time = TraceTime(rawValue: chunkTimes[chunkPlace(guessing: ordinal)])
    try prepare(time: time, isInterrupted: isInterrupted, progress: progress)
  }

  /// The same around a time, for ``position(at:)``.
  package func prepare(
    time: TraceTime,
    isInterrupted: () -> Bool,
    progress: (_ done: Int, _ of: Int) -> Void
  ) throws(SearchInterrupted) {
    let time = time.rawValue
    let living = streams.indices.filter { stream in
      let number = streams[stream].chunk(reaching: time)
      return number < streams[stream].chunks.count && streams[stream].orderFirst[number] <= time
    }
    for (done, stream) in living.enumerated() {
      if isInterrupted() { throw SearchInterrupted() }
      progress(done, living.count)
      let number = streams[stream].chunk(reaching: time)
      if onlyRoughTimes(number, of: stream) == nil { _ = times(number, of: stream) }
    }
  }

  /// The position after the last event that is not later than `time`.
  package func position(at time: TraceTime) -> Position {
    Position(cursors: streams.indices.map { upperBound($0, time.rawValue) })
  }

  /// The position just after the event at `place`.
  package func position(after place: EventPlace) -> Position {
    let own = Int(place.stream.rawValue)
    let time = orderTime(own, place.index)
    var cursors = bounds(time)
    if knots.group(at: time) != nil {
      var position = Position(cursors: cursors)
      while position.cursors[own] <= place.index, stepForward(&position) != nil {}
      return position
    }
    for stream in streams.indices where rank[stream] < rank[own] {
      cursors[stream] = upperBound(stream, time)
    }
    cursors[own] = place.index + 1
    return Position(cursors: cursors)
  }

  /// The number that is printed for an event: how many events have happened once it has.
  package func number(of place: EventPlace) -> Int { position(after: place).ordinal }

  /// How many events of `stream` stand before or at `place`, looking at no other stream.
  package func cursor(of stream: Int, after place: EventPlace) -> Int {
    let own = Int(place.stream.rawValue)
    guard stream != own else { return place.index + 1 }
    let time = orderTime(own, place.index)
    if knots.group(at: time) != nil { return position(after: place).cursors[stream] }
    return rank[stream] < rank[own] ? upperBound(stream, time) : lowerBound(stream, time)
  }

  /// When chunks stand in the order of all, by writer and first sequence number.
  ///
  /// The greatest time where there is none. Decodes nothing.
  package func chunkOrder() -> (_ writer: WriterID, _ sequence: UInt64) -> Int64 {
    let known = Dictionary(
      streams.map { ($0.writer, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    return { writer, sequence in
      guard let stream = known[writer] else { return .max }
      let number = stream.chunks.partitioningIndex { $0.endSequence > sequence }
      return number < stream.chunks.count ? stream.orderFirst[number] : .max
    }
  }

  /// The number of the event with this sequence number, or nil where it is missing.
  package func ordinal(of stream: StreamID, sequence: UInt64) -> Int? {
    place(of: stream, sequence: sequence).map(number(of:))
  }

  /// The place of the event with this sequence number, or nil where it is missing.
  package func place(of stream: StreamID, sequence: UInt64) -> EventPlace? {
    guard stream.rawValue < streams.count else { return nil }
    return streams[Int(stream.rawValue)].index(ofSequence: sequence)
      .map { EventPlace(stream: stream, index: $0) }
  }

  /// The event with the number `ordinal`, from 1; nil outside the recording.
  package func place(ofEvent ordinal: Int) -> EventPlace? {
    guard ordinal >= 1, ordinal <= count else { return nil }
    return eventAfter(position(ordinal: ordinal - 1))
  }

  /// How many events of `stream` have an order time of at most `time`.
  private func upperBound(_ stream: Int, _ time: Int64) -> Int {
    time == .max ? streams[stream].count : lowerBound(stream, time + 1)
  }

  private func bounds(_ time: Int64) -> [Int] { streams.indices.map { lowerBound($0, time) } }
}
