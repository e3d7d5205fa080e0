// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

extension JudgedSource {
  /// The version of its app that the process of a stream ran, which its start says; nil where that
  /// is not there, or says none.
  ///
  /// Decodes the first chunk of the stream, where it holds a start.
  package func version(of stream: Int) -> String? {
    guard let first = summaries(of: stream).first, first.kinds.contains(.processStart),
      let chunk = open(0, of: stream)
    else { return nil }
    var found: NameID?
    _ = scan(chunk) { events in
      for index in events.indices where found == nil && events[index].kind == .processStart {
        found = Payload.ProcessStart(events[index]).version
      }
      return found == nil
    }
    return found.map { names[$0] }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
