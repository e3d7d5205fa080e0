// SPDX-License-Identifier: Apache-2.0
internal import LifetraceLifecycle
package import LifetraceTrace
package import LifetraceTraceFile

/// Writes streams that are known as a whole into a trace file: folded, with keyframes.
///
///     let writer = try TraceWriter(path: "out.lifetrace", options: .create)
///     var builder = TraceBuilder(names: story.names)
///     try builder.add(id, attributes, events, to: writer)
///     try writer.finish(end: true)
///
/// Incarnations of one app are to be added in order: what one left, the next
/// begins with.
package struct TraceBuilder {
  /// New strings of one chunk; a chunk with more is sealed early.
  static let chunkStringBytesMax = 8 << 20

  private let names: Names
  private var states: [WriterID: LifeState] = [:]
  /// One for all streams: its tables have the size of all names.
  private var stream = StreamAssembler()
  /// The chunk in which each name was last used.
  private var chunkOfName: [UInt32]
  private var chunk: UInt32 = 0

  /// Events are of `names`.
  package init(names: Names) {
    self.names = names
    chunkOfName = Array(repeating: 0, count: names.strings.count)
  }

  /// Appends the stream of one writer; its events are numbered from their first sequence on.
  package mutating func add(
    _ writer: WriterID,
    _ attributes: WriterAttributes,
    _ events: [Event],
    to sink: some ChunkSink
  ) throws(TraceFileError) {
    var state = LifeState()
    if let previous = attributes.previous, let before = states[previous] {
      state.beginIncarnation(after: before, names: names)
    }
    stream.begin(with: state)
    var header = ChunkHeader(writer: writer, attributes: attributes, firstSequence: 0)
    var next = 0
    while next < events.count {
      var room = Self.chunkStringBytesMax
      chunk += 1
      header.losses = []
      repeat {
        room -= stringBytes(events[next])
        stream.append(events[next], names)
        Self.count(events[next], into: &header.losses)
        next += 1
      } while next < events.count && !stream.isFull && room > 0
        && events[next].sequence == events[next - 1].sequence &+ 1
        && !Self.isMark(events[next]) && !Self.isMark(events[next - 1])
      try sink.append(stream.seal(header, names: names))
    }
    states[writer] = stream.state
  }

  /// Whether it stands for events that a repair did not find: a chunk of its own, as there.
  private static func isMark(_ event: Event) -> Bool {
    event.kind == .loss && event.flags == .inferred
      && Payload.Loss(event).family.value == .unknown
  }

  /// What a chunk's events say to be lost stands in its header too.
  private static func count(_ event: Event, into losses: inout [LossCount]) {
    guard event.kind == .loss else { return }
    let loss = Payload.Loss(event)
    guard let family = loss.family.value else { return }
    if let index = losses.firstIndex(where: { $0.family == family }) {
      let sum = losses[index].count.addingReportingOverflow(loss.count)
      losses[index].count = sum.overflow ? .max : sum.partialValue
    } else {
      losses.append(LossCount(family: family, count: loss.count))
    }
  }

  /// Bytes of strings that the chunk did not hold before this event.
  private mutating func stringBytes(_ event: Event) -> Int {
    var bytes = 0
    let site = names[event.site]
    bytes += count(site.name.rawValue) + count(site.file.rawValue)
    guard let info = names.info(of: event.kind) else { return bytes }
    event.eachName(info, labels: site.labels) { bytes += count(UInt32(truncatingIfNeeded: $0)) }
    return bytes
  }

  private mutating func count(_ id: UInt32) -> Int {
    guard Int(id) < chunkOfName.count, chunkOfName[Int(id)] != chunk else { return 0 }
    chunkOfName[Int(id)] = chunk
    return names.strings[Int(id)].utf8.count
  }
}
