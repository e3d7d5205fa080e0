// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceScenario
import LifetraceTrace
import LifetraceTraceFile

/// Whether the apps of a scenario found data of earlier runs, as its recording says.
enum KeptData {
  static func isNoted(in reader: TraceReader) -> Bool {
    for stream in reader.streams where stream.attributes.role == .harness {
      for chunk in stream.chunks where chunk.kinds.contains(.device) {
        for event in (try? reader.decode(chunk).events) ?? [] where event.kind == .device {
          let note = Payload.Device(event)
          let value = reader.names[note.value ?? .empty]
          if reader.names[note.what] == Scenario.dataKey, value == Scenario.keptData { return true }
        }
      }
    }
    return false
  }
}
