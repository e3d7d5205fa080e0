// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace

// What is decoded of chunks: of a payload only times, or only some rows.

extension Timeline {
  static func key(_ stream: Int, _ chunk: Int) -> UInt64 { UInt64(stream) << 32 | UInt64(chunk) }

  /// Some rows of a chunk that are kept together.
  struct WindowKey: Hashable {
    var chunk: UInt64
    var window: Int
  }

  /// What stands in front of a chunk of the file; nil where there is none.
  package func header(of number: Int, of stream: Int) -> ChunkHeader? {
    let index = streams[stream]
    return source.header(chunk: index.sourceNumbers[number], of: index.id)
  }

  // MARK: - Times

  /// The order times of the chunk that holds the event with this index.
  @inline(__always)
  func times(of stream: Int, holding index: Int) -> OrderTimes {
    if let known = currentTimes[stream], known.indices.contains(index) { return known }
    return times(streams[stream].chunk(holding: index), of: stream)
  }

  /// The order times of a chunk.
  func times(_ number: Int, of stream: Int) -> OrderTimes {
    let key = Self.key(stream, number)
    let found = timesKept.part(key) ?? decodeTimes(number, of: stream)
    currentTimes[stream] = found
    return found
  }

  private func decodeTimes(_ number: Int, of stream: Int) -> OrderTimes {
    let index = streams[stream]
    let count = index.chunks[number].eventCount
    let rule = OrderTimes.Rule(
      stream: stream,
      firstIndex: index.firstIndices[number],
      clock: index.clock,
      floor: index.floor(number),
      lifts: index.lifts(of: number)
    )
    var times: OrderTimes?
    // Rows that cannot be decoded do not move the others: times that can be are asked for first.
    if let chunk = chunk(number, of: stream) {
      withBuffer { buffer in
        do throws(ChunkDamage) {
          times = try OrderTimes(rule, count: count) { take throws(ChunkDamage) in
            try chunk.withTimes(in: buffer, take)
          }
        } catch {
          unreadable.insert(Self.key(stream, number))
          note(error, number, of: stream)
        }
      }
    }
    let found =
      times ?? OrderTimes(damaged: rule, count: count, at: index.chunks[number].firstTime)
    timesKept.keep(found, bytes: found.bytes, for: Self.key(stream, number)) { gone in
      if currentTimes[gone.stream] === gone { currentTimes[gone.stream] = nil }
      keepRoughTimes(gone)
    }
    return found
  }

  // MARK: - Events

  /// The events around one with this index in its stream, decoded now or before.
  package func rows(of stream: Int, holding index: Int) -> EventRows {
    keptRows(of: stream, holding: index)
      ?? decodeRows(window(of: stream, holding: index), of: stream)
  }

  /// Those around an event, where they are decoded already.
  func keptRows(of stream: Int, holding index: Int) -> EventRows? {
    guard index < streams[stream].count else { return nil }
    if let known = currentRows[stream], known.indices.contains(index) { return known }
    guard let found = rowsKept.part(window(of: stream, holding: index)) else { return nil }
    currentRows[stream] = found
    return found
  }

  private func window(of stream: Int, holding index: Int) -> WindowKey {
    let number = streams[stream].chunk(holding: index)
    let row = index - streams[stream].firstIndices[number]
    return WindowKey(chunk: Self.key(stream, number), window: row / windowRows)
  }

  private func decodeRows(_ key: WindowKey, of stream: Int) -> EventRows {
    let index = streams[stream]
    let number = Int(key.chunk & 0xffff_ffff)
    let count = index.chunks[number].eventCount
    let wanted = key.window * windowRows..<min((key.window + 1) * windowRows, count)
    var events: [Event] = []
    if let chunk = payload(number, of: stream) {
      do throws(ChunkDamage) {
        var row = wanted.lowerBound
        while row < wanted.upperBound {
          let stride = chunk.stride(holding: row)
          let rows = chunk.rows(of: stride)
          let end = min(rows.upperBound, wanted.upperBound)
          let decoded = try chunk.events(of: stride)
          let first = decoded.startIndex - rows.lowerBound
          if rows == wanted, first == 0 {
            events = Array(decoded)
          } else {
            events += decoded[first + row..<first + end]
          }
          row = end
        }
      } catch {
        note(error, number, of: stream)
      }
    }
    let isDamaged = events.count < wanted.count
    if isDamaged { events = losses(number, of: stream, wanted) }
    let rows = EventRows(
      stream: index.id,
      chunk: number,
      firstIndex: index.firstIndices[number] + wanted.lowerBound,
      events: events,
      isDamaged: isDamaged
    )
    let bytes = MemoryLayout<Event>.stride * events.count + 160
    rowsKept.keep(rows, bytes: bytes, for: key) { gone in
      let stream = Int(gone.stream.rawValue)
      if currentRows[stream] === gone { currentRows[stream] = nil }
    }
    currentRows[stream] = rows
    return rows
  }

  /// Hands the events of a range of a stream to `body`, in order and in pieces, as fast as they are
  /// decoded; it says whether to go on.
  ///
  /// Events that cannot be read are losses. Many at once are not kept: for pieces of a whole recording.
  package func pass(
    _ range: Range<Int>,
    of stream: Int,
    _ body: (Span<Event>, Names) -> Bool
  ) {
    let index = streams[stream]
    var at = range.lowerBound
    while at < range.upperBound {
      let number = index.chunk(holding: at)
      let first = index.firstIndices[number]
      let end = min(range.upperBound, index.firstIndices[number + 1])
      guard pass(at - first..<end - first, ofChunk: number, stream, body) else { return }
      at = end
    }
  }

  private func pass(
    _ range: Range<Int>,
    ofChunk number: Int,
    _ stream: Int,
    _ body: (Span<Event>, Names) -> Bool
  ) -> Bool {
    let first = streams[stream].firstIndices[number]
    var row = range.lowerBound
    while row < range.upperBound {
      // What is at hand, or little, is not decoded with all of its stride.
      let kept =
        range.upperBound - row <= windowRows / 8
        ? rows(of: stream, holding: first + row)
        : keptRows(of: stream, holding: first + row)
      if let kept {
        let start = kept.firstIndex - first
        let end = min(range.upperBound, start + kept.events.count)
        let events = kept.events
        guard body(events.span.extracting(row - start..<end - start), names) else { return false }
        row = end
        continue
      }
      guard let chunk = payload(number, of: stream) else {
        let events = losses(number, of: stream, row..<range.upperBound)
        return body(events.span, names)
      }
      let stride = chunk.stride(holding: row)
      let rows = chunk.rows(of: stride)
      let end = min(range.upperBound, rows.upperBound)
      var goesOn = true
      withBuffer { buffer in
        do throws(ChunkDamage) {
          goesOn = try chunk.withEvents(of: stride, in: buffer) { events in
            body(events.extracting(row - rows.lowerBound..<end - rows.lowerBound), names)
          }
        } catch {
          note(error, number, of: stream)
        }
      }
      guard goesOn else { return false }
      // Damage that was only now found: the same rows again, as losses.
      if !damagedChunks.contains(Self.key(stream, number)) { row = end }
    }
    return true
  }

  /// The folded state before a chunk, encoded; empty where it carries none of its own.
  package func keyframe(_ number: Int, of stream: Int) -> [UInt8] {
    payload(number, of: stream)?.keyframe ?? []
  }

  /// Whether the chunk can be read, as far as was tried now or before.
  package func canRead(_ number: Int, of stream: Int) -> Bool {
    payload(number, of: stream) != nil
  }

  // MARK: - Payloads

  /// The chunk, unless some of its events cannot be read.
  func payload(_ number: Int, of stream: Int) -> SourceChunk? {
    damagedChunks.contains(Self.key(stream, number)) ? nil : chunk(number, of: stream)
  }

  /// The chunk, unless it cannot be read at all.
  private func chunk(_ number: Int, of stream: Int) -> SourceChunk? {
    let key = Self.key(stream, number)
    if let latestChunk, latestChunk.key == key { return latestChunk.chunk }
    if let known = payloadsKept.part(key) {
      latestChunk = (key, known)
      return known
    }
    guard !unreadable.contains(key) else { return nil }
    let index = streams[stream]
    let expected = index.chunks[number].eventCount
    let problem: DecodeProblem
    switch source.decode(chunk: index.sourceNumbers[number], of: index.id) {
    case .success(let chunk) where chunk.count == expected:
      wasOpened.insert(key)
      payloadsKept.keep(chunk, bytes: chunk.bytes, for: key)
      latestChunk = (key, chunk)
      return chunk
    case .success(let chunk):
      problem = DecodeProblem(
        "a chunk holds \(chunk.count) events, its header says \(expected)"
      )
    case .failure(let found): problem = found
    }
    unreadable.insert(key)
    note(problem, number, of: stream)
    return nil
  }

  /// Whether the chunk was read at some time, so that all its names are known.
  func wasOpened(_ number: Int, of stream: Int) -> Bool {
    wasOpened.contains(Self.key(stream, number))
  }

  func closeTimes() {
    timesKept.removeAll()
    roughTimesKept.removeAll()
    for stream in currentTimes.indices { currentTimes[stream] = nil }
  }

  private func note(_ damage: ChunkDamage, _ number: Int, of stream: Int) {
    let index = streams[stream]
    let problem = source.problem(damage, chunk: index.sourceNumbers[number], of: index.id)
    note(problem, number, of: stream)
  }

  /// From here on nothing of the chunk is handed out but losses; where its times were known, they stand.
  private func note(_ problem: DecodeProblem, _ number: Int, of stream: Int) {
    let key = Self.key(stream, number)
    guard damagedChunks.insert(key).inserted else { return }
    damage.append(problem)
    if unreadable.contains(key) {
      latestChunk = nil
      payloadsKept.remove(key)
    }
    currentRows[stream] = nil
    let windows = streams[stream].chunks[number].eventCount / windowRows
    for window in 0...windows { rowsKept.remove(WindowKey(chunk: key, window: window)) }
  }

  /// Exactly as many events as the header promised, whatever the payload holds.
  private func losses(_ number: Int, of stream: Int, _ rows: Range<Int>) -> [Event] {
    let summary = streams[stream].chunks[number]
    return rows.map { row in
      Event(
        Payload.Loss(family: .unknown, count: 1),
        at: summary.firstTime,
        observer: .inferred,
        flags: .inferred,
        sequence: summary.firstSequence &+ UInt64(row),
        stream: streams[stream].id
      )
    }
  }

  /// Memory to decode a stride in; whoever asks for events meanwhile gets another one.
  func withBuffer(_ body: (StrideBuffer) -> Void) {
    let buffer = buffers.popLast() ?? StrideBuffer()
    body(buffer)
    buffers.append(buffer)
  }
}
