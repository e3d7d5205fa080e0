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
    var schema = Schema(timeline.names)
    let labels = Labels(timeline)
    let places = Dictionary(uniqueKeysWithValues: zip(timeline.startOrder, 0...))
    schema.writer = { name in
      switch labels.meaning(of: name) {
      case .ambiguous(let names): .several(names)
      case .streams(let found):
        found.isEmpty
          ? .nobody : .writer(found.sorted { places[$0, default: 0] < places[$1, default: 0] })
      }
    }
    return schema
  }
}
