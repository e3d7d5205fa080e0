// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
package import LifetraceTimeline
import LifetraceTrace

extension Schema {
  /// The fields of the kinds that a recording holds, those of later versions among them.
  ///
  /// A chunk that holds a kind which nothing described yet is opened, as it does.
  package static func of(_ timeline: Timeline) -> Schema {
    var missing = KindSet()
    for stream in timeline.streams {
      for (number, chunk) in stream.chunks.enumerated() {
        for kind in chunk.kinds.kinds where kind.info == nil && !missing.contains(kind) {
          _ = timeline.canRead(number, of: Int(stream.id.rawValue))
          missing.insert(kind)
        }
      }
    }
    return Schema(timeline.names)
  }
}
