// SPDX-License-Identifier: Apache-2.0
import LifetraceTesting
import LifetraceTrace

extension SimulatedLife {
  /// All events of a kind, over all streams.
  func events(_ kind: EventKind) -> [Event] {
    streams.flatMap { $0.events.filter { $0.kind == kind } }
  }

  /// A line an event, for comparisons: kind, time, thread, name, arguments as numbers.
  var text: String {
    streams.flatMap { stream in
      stream.events.map { event in
        let name = names[names[event.site].name]
        let kind = event.kind.info?.name ?? "?"
        return "\(event.time.rawValue) \(event.thread.rawValue) \(kind) \(name) \(event.arguments)"
      }
    }
    .joined(separator: "\n")
  }
}
