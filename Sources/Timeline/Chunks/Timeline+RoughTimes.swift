// SPDX-License-Identifier: Apache-2.0

// What is known of order times without decoding again a chunk whose times had to go.

extension Timeline {
  /// Keeps what little room there is for of order times that go.
  func keepRoughTimes(_ gone: OrderTimes) {
    let number = streams[gone.stream].chunk(holding: gone.firstIndex)
    let key = Self.key(gone.stream, number)
    guard roughTimesKept.bytesMax > 0, roughTimesKept.part(key) == nil else { return }
    let rough = RoughTimes(gone)
    roughTimesKept.keep(rough, bytes: rough.bytes, for: key)
  }

  /// The rough times of a chunk whose order times are not at hand; nil where these are, or nothing is.
  func onlyRoughTimes(_ number: Int, of stream: Int) -> RoughTimes? {
    let key = Self.key(stream, number)
    let first = streams[stream].firstIndices[number]
    if let known = currentTimes[stream], known.firstIndex == first { return nil }
    guard let rough = roughTimesKept.part(key) else { return nil }
    guard let exact = timesKept.part(key) else { return rough }
    currentTimes[stream] = exact
    return nil
  }

  /// How many events of `stream` have an order time below `time`.
  func lowerBound(_ stream: Int, _ time: Int64) -> Int {
    let bounds = lowerBounds(stream, time)
    return bounds.count == 1 ? bounds.lowerBound : exactLowerBound(stream, time)
  }

  /// Between which two that number lies, both included, as far as is known without decoding again.
  func lowerBounds(_ stream: Int, _ time: Int64) -> ClosedRange<Int> {
    let number = streams[stream].chunk(reaching: time)
    let first = streams[stream].firstIndices[number]
    guard number < streams[stream].chunks.count, streams[stream].orderFirst[number] < time else {
      return first...first
    }
    if let rough = onlyRoughTimes(number, of: stream) { return rough.lowerBounds(time) }
    let found = times(of: stream, holding: first).lowerBound(time)
    return found...found
  }

  /// The same where some event lies too close to `time` for that.
  private func exactLowerBound(_ stream: Int, _ time: Int64) -> Int {
    times(streams[stream].chunk(reaching: time), of: stream).lowerBound(time)
  }
}
