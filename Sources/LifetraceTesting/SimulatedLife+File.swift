// SPDX-License-Identifier: Apache-2.0
import Lifecycle
import Trace
public import TraceFile

extension SimulatedLife {
  /// Keeps the life as a trace file, to replay it at the desk.
  ///
  /// - Throws: When there is a file at `path`, or it cannot be written.
  public func write(to path: String) throws(TraceFileError) {
    let writer = try TraceWriter(path: path, options: .create)
    var states: [WriterID: LifeState] = [:]
    for stream in streams where !stream.events.isEmpty {
      var state = LifeState()
      if let before = stream.attributes.previous.flatMap({ states[$0] }) {
        state.beginIncarnation(after: before, names: names)
      }
      for start in Swift.stride(from: 0, to: stream.events.count, by: Chunk.rowsMax) {
        let events = stream.events[start..<min(start + Chunk.rowsMax, stream.events.count)]
        let keyframe = state.encode(names: names)
        var encoder = ChunkEncoder()
        for event in events {
          encoder.append(event)
          state.apply(event, names: names)
        }
        let header = ChunkHeader(
          writer: stream.writer,
          attributes: stream.attributes,
          firstSequence: UInt64(start)
        )
        _ = try writer.append(encoder.finish(header: header, keyframe: keyframe, names: names))
      }
      states[stream.writer] = state
    }
    try writer.finish(end: true)
  }
}
