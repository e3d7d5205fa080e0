// SPDX-License-Identifier: Apache-2.0
import Lifecycle
import Trace
public import TraceFile

extension Story {
  /// Writes the story as a trace that ended well: chunks with keyframes, writers in order of their lives.
  ///
  /// A gap in the numbers of a writer becomes a gap between two chunks.
  public func write(to writer: TraceWriter) throws(TraceFileError) {
    for life in AppLife.stitch(writers.map { ($0.id, $0.attributes) }) {
      var before: LifeState?
      for incarnation in life.incarnations {
        var state = LifeState()
        if let before {
          let cause = before.process.ending.map { names[$0.cause] } ?? ""
          state.beginIncarnation(after: before, survived: .surviving(cause))
        }
        try write(writers[incarnation.index], to: writer, &state)
        before = state
      }
    }
    try writer.finish(end: true)
  }

  private func write(
    _ one: Writer,
    to writer: TraceWriter,
    _ state: inout LifeState
  ) throws(TraceFileError) {
    var rest = one.events[...]
    while let first = rest.first {
      let run = rest.prefix(Chunk.rowsMax)
      var next = first.sequence
      let chunk = run.prefix {
        defer { next &+= 1 }
        return $0.sequence == next
      }
      let keyframe = state.encode(names: names)
      var encoder = ChunkEncoder()
      for event in chunk {
        encoder.append(event)
        state.apply(event, names: names)
      }
      let header = ChunkHeader(
        writer: one.id,
        attributes: one.attributes,
        firstSequence: first.sequence
      )
      _ = try writer.append(encoder.finish(header: header, keyframe: keyframe, names: names))
      rest = rest[chunk.endIndex...]
    }
  }
}
