// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace
package import LifetraceTraceFile

/// A part of a recording, which becomes a recording of its own.
///
///     let cut = TraceCut(of: player, from: 12, to: 40)      // the events 13 to 40
///     try cut.write(to: "part.lifetrace")
///
/// Each writer begins with a keyframe, the state before its first event here, so that what is
/// unfinished there is unfinished in the part too. Events keep their numbers with their writers; a
/// reader takes what lies before for events that were let go on purpose, as those of `--last` are.
package struct TraceCut {
  /// The part that a writer has in it.
  package struct Writer {
    /// How it is called in the whole.
    package var label: String
    /// How it is called in the part, where lives before this one may be missing.
    package var labelInPart: String
    /// How many of its events are in the part.
    package var events: Int
  }

  /// How many events of the whole come before the part.
  package let before: Int
  /// The number of its last event in the whole.
  package let last: Int
  let player: Player
  private let from: Position
  private let to: Position

  /// The events behind number `before`, up to and with number `last`.
  package init(of player: Player, from before: Int, to last: Int) {
    self.player = player
    self.before = before
    self.last = last
    from = player.timeline.position(ordinal: before)
    to = player.timeline.position(ordinal: last)
  }

  /// How many events it has.
  package var count: Int { last - before }

  /// The streams with events in it.
  private var streams: [Int] {
    player.timeline.streams.indices.filter { from.cursors[$0] < to.cursors[$0] }
  }

  /// The writers with events in it.
  package var writers: [Writer] {
    let streams = streams
    let inPart = AppLife.labels(
      streams.map {
        (id: player.timeline.streams[$0].writer, attributes: player.timeline.streams[$0].attributes)
      }
    )
    return zip(streams, inPart).map { stream, label in
      Writer(
        label: player.labels.labels[stream],
        labelInPart: label,
        events: to.cursors[stream] - from.cursors[stream]
      )
    }
  }

  /// The writers that had begun, had more to come, and have no event in it: they are left out.
  package var silent: [String] {
    player.timeline.streams.indices.filter {
      from.cursors[$0] == to.cursors[$0] && from.cursors[$0] > 0
        && to.cursors[$0] < player.timeline.streams[$0].count
    }.map { player.labels.labels[$0] }
  }

  /// Writes it into a new file; what cannot be read of the whole is missing there as well.
  ///
  /// Cost: the part is decoded and encoded once.
  package func write(to path: String) throws(TraceFileError) {
    let writer = try TraceWriter(path: path, options: .create)
    for stream in streams { try write(stream, to: writer) }
    try writer.finish(end: true)
  }

  private func write(_ stream: Int, to writer: TraceWriter) throws(TraceFileError) {
    let timeline = player.timeline
    let index = timeline.streams[stream]
    var assembler = StreamAssembler()
    var at = from.cursors[stream]
    while at < to.cursors[stream] {
      let number = index.chunk(holding: at)
      let end = min(index.firstIndices[number + 1], to.cursors[stream])
      guard timeline.canRead(number, of: stream) else {
        at = end
        continue
      }
      // A chunk of the whole is one of the part: what was lost before it is said in its header.
      var header = ChunkHeader(writer: index.writer, attributes: index.attributes, firstSequence: 0)
      if let whole = timeline.header(of: number, of: stream) {
        (header.clocks, header.fit) = (whole.clocks, whole.fit)
      }
      header.keepsLast = at == from.cursors[stream] && index.sequence(ofIndex: at) > 0
      if at == index.firstIndices[number] { header.losses = index.chunks[number].losses }
      assembler.begin(with: player.state(of: index.id, after: at))
      timeline.pass(at..<end, of: stream) { events, names in
        for row in events.indices { assembler.append(events[row], names) }
        return true
      }
      try writer.append(assembler.seal(header, names: timeline.names))
      at = end
    }
  }
}
