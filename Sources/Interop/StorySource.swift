// SPDX-License-Identifier: Apache-2.0
package import LifetraceTimeline

extension Story {
  /// The story as a source of a timeline, so that a text can be replayed like a trace.
  package var source: MemorySource {
    MemorySource(
      writers.map {
        MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $0.events)
      },
      names: names
    )
  }
}
