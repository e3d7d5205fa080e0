// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What a chunk brings beside another that holds some of its numbers and begins no later.
enum ChunkOverlap {
  /// Nothing: all its events stand there.
  case nothing
  /// The events behind those that stand there.
  case rest(ChunkInfo)
  /// Other events under the same numbers.
  case conflict
  /// It cannot be read.
  case unreadable
  /// The other one cannot be read.
  case overUnreadable
}

/// Compares chunks of one writer that hold the same numbers, event by event.
///
/// Which events a chunk holds is what counts, not how: a clean end makes one chunk of many small
/// ones, so a copy that was taken before has other bytes, bounds and keyframes, and the same events.
struct ChunkComparison {
  /// The other chunk of the last time: the next one often lies within it too.
  private var held: (chunk: ChunkInfo, reader: TraceReader, events: [Event]?)?

  /// What `chunk` brings beside `other`; throws only where a file cannot be read at all.
  mutating func compare(
    _ chunk: ChunkInfo,
    of reader: TraceReader,
    with other: ChunkInfo,
    of otherReader: TraceReader
  ) throws(TraceFileError) -> ChunkOverlap {
    if chunk.isCopy(of: other) { return .nothing }
    if held.map({ $0.reader !== otherReader || $0.chunk.offset != other.offset }) ?? true {
      held = (other, otherReader, try Self.events(of: other, otherReader))
    }
    guard let known = held?.events else { return .overUnreadable }
    guard let events = try Self.events(of: chunk, reader) else { return .unreadable }
    let first = max(chunk.wholeFirst, other.wholeFirst)
    let some = events.dropFirst(Int(first - chunk.wholeFirst))
    let others = known.dropFirst(Int(first - other.wholeFirst))
    guard Self.isSame(some, reader, others, otherReader) else { return .conflict }
    return chunk.endSequence > other.endSequence ? .rest(chunk.behind(other)) : .nothing
  }

  /// All events of the chunk, also those that stand in others; nil where it is damaged.
  private static func events(
    of chunk: ChunkInfo,
    _ reader: TraceReader
  ) throws(TraceFileError) -> [Event]? {
    do throws(TraceFileError) {
      let events = try reader.decode(chunk.whole).events
      return events.count == chunk.whole.eventCount && !chunk.isStandIn ? events : nil
    } catch {
      if error.isIO { throw error }
      return nil
    }
  }

  /// Whether the events are the same as far as both go.
  private static func isSame(
    _ some: ArraySlice<Event>,
    _ reader: TraceReader,
    _ others: ArraySlice<Event>,
    _ otherReader: TraceReader
  ) -> Bool {
    zip(some, others).allSatisfy { event, other in
      guard event.kind == other.kind, event.time == other.time, event.thread == other.thread,
        event.argumentCount == other.argumentCount, event.flags == other.flags,
        event.observerCode == other.observerCode
      else { return false }
      // Names have the same numbers within one reader; most often that is all there is to compare.
      if reader === otherReader, event.site == other.site, event.identity == other.identity,
        event.arguments == other.arguments
      {
        return true
      }
      return isSaid(event, reader.names, other, otherReader.names)
    }
  }

  /// Whether the same is said, each with the names of its reader.
  private static func isSaid(
    _ event: Event,
    _ names: borrowing Names,
    _ other: Event,
    _ otherNames: borrowing Names
  ) -> Bool {
    let info = names.info(of: event.kind)
    let site = names[event.site]
    guard site.line == otherNames[other.site].line,
      event.nameIDs(in: names).map({ names[$0] })
        == other.nameIDs(in: otherNames).map({ otherNames[$0] }),
      info?.isNameIdentity == true || event.identity == other.identity
    else { return false }
    return (0..<min(Int(event.argumentCount), Event.argumentsMax)).allSatisfy { index in
      info?.type(ofArgument: index, labels: site.labels) == .name || event[index] == other[index]
    }
  }
}

extension ChunkInfo {
  /// The number of the first event of the whole chunk.
  var wholeFirst: UInt64 { summary.firstSequence &- UInt64(skipped) }

  /// The chunk with the events that stand in others.
  var whole: ChunkInfo {
    var whole = self
    whole.summary.firstSequence = wholeFirst
    whole.summary.eventCount += skipped
    whole.skipped = 0
    return whole
  }

  /// The events behind `other`, whose state goes on from where that of `other` does.
  func behind(_ other: ChunkInfo) -> ChunkInfo {
    guard other.endSequence > summary.firstSequence else { return self }
    let count = min(
      Int(clamping: other.endSequence - summary.firstSequence),
      summary.eventCount
    )
    var rest = self
    rest.skipped += count
    rest.summary.firstSequence += UInt64(count)
    rest.summary.eventCount -= count
    rest.summary.losses = []
    rest.summary.stateOrigin = other.stateOrigin
    return rest
  }
}
