// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
package import LifetraceTraceFile

/// The processes that link the SDK and could not join a recording, as its recorder has noted them.
///
///     Absentees(reader).sentences    // "app (pid 71) is not recorded: it runs as another user"
///
/// The recorder notes the first hundred of them. One that a recovery has brought in is none any more.
package struct Absentees {
  /// A sentence for each, with the reason, in the order in which they were noted.
  package let sentences: [String]

  /// Looks through what the recorder has noted.
  package init(_ reader: TraceReader) {
    var found: [String] = []
    let joined = Set(reader.streams.map(\.writer.low))
    for stream in reader.streams where stream.attributes.role == .harness {
      for chunk in stream.chunks where chunk.kinds.contains(.log) {
        for event in (try? reader.decode(chunk).events) ?? []
        where event.kind == .log && event.observer == .recorder {
          guard reader.names[reader.names[event.site].name] == RecorderNote.notJoined,
            event.identity == 0 || !joined.contains(event.identity)
          else { continue }
          found.append(reader.names[Payload.Log(event).text])
        }
      }
    }
    sentences = found
  }
}
