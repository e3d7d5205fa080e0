// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

extension Timeline {
  /// What has become of a timeline whose source has grown.
  package enum Growth: Hashable, Sendable {
    /// Nothing new.
    case none
    /// Events stand behind all that there were; positions are as they were.
    case events
    /// So they do, and some are of new streams: positions are to be widened.
    case streams
    /// The same events in other chunks, and perhaps more, of new streams too.
    case chunks
  }

  /// Takes in what its source has got since, at its streams' ends.
  ///
  /// The source vouches that no new event stands before an old one: then event numbers stay, and
  /// nothing that was decoded is lost. Costs as much as there are chunks in the streams that have grown.
  package func grow() -> Growth {
    let sources = source.streams
    let alignment = Alignment(source)
    let isSame =
      streams.indices.allSatisfy { streams[$0].isBegin(of: sources[$0]) }
      && alignment.clocks.starts(with: self.alignment.clocks)
    let before = (events: count, streams: streams.count)
    if isSame {
      for stream in sources.indices {
        let id = StreamID(rawValue: UInt32(stream))
        guard stream < streams.count else {
          streams.append(StreamIndex(id, sources[stream], alignment.clocks[stream]))
          continue
        }
        guard streams[stream].sourceCount != sources[stream].chunks.count else { continue }
        streams[stream] = StreamIndex(id, sources[stream], alignment.clocks[stream])
      }
    } else {
      streams = Self.indexed(sources, alignment)
      forgetChunks()
      generation += 1
    }
    self.alignment = alignment
    clockOrder = nil
    count = streams.reduce(0) { $0 + $1.count }
    guard !isSame || count != before.events else { return .none }
    chunkTimesKept = nil
    guesses.removeAll()
    merge = Merge()
    latestStep = nil
    byRank = Self.startOrder(streams)
    rank = Self.ranks(byRank)
    let more = streams.count - before.streams
    currentTimes += Array(repeating: nil, count: more)
    currentRows += Array(repeating: nil, count: more)
    guard isSame else { return .chunks }
    return more > 0 ? .streams : .events
  }

  /// A position from before the timeline has grown: of new streams, nothing had happened.
  package func widened(_ position: Position) -> Position {
    var position = position
    position.cursors += Array(repeating: 0, count: streams.count - position.cursors.count)
    return position
  }

  private func forgetChunks() {
    closeTimes()
    rowsKept.removeAll()
    payloadsKept.removeAll()
    for stream in currentRows.indices { currentRows[stream] = nil }
    latestChunk = nil
    damagedChunks.removeAll()
    unreadable.removeAll()
    wasOpened.removeAll()
  }
}

extension StreamIndex {
  /// Whether a stream begins with the chunks that are known.
  fileprivate func isBegin(of source: SourceStream) -> Bool {
    guard writer == source.writer, sourceCount <= source.chunks.count else { return false }
    guard let last = sourceNumbers.last, let first = sourceNumbers.first else { return true }
    return source.chunks[first] == chunks[0] && source.chunks[last] == chunks[chunks.count - 1]
  }
}
