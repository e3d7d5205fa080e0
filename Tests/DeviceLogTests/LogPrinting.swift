// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace

extension LogImport {
  /// One line an event, for goldens and failures: time, kind, what it says, line.
  func printed(_ stream: Stream) -> [String] {
    stream.events.map { event in
      var text = "\(event.time.rawValue) \(event.kind.info?.name ?? "?")"
      if let identity = event.kind.info?.identity {
        text += " " + printed(identity, event.identity)
      }
      for (index, field) in (event.kind.info?.fields ?? []).enumerated()
      where index < Int(event.argumentCount) {
        text += " " + printed(field, event[index])
      }
      if event.flags.contains(.inferred) { text += " inferred" }
      if event.flags.contains(.late) { text += " late" }
      return text + " @\(names[event.site].line)"
    }
  }

  private func printed(_ field: Field, _ value: UInt64) -> String {
    switch field.type {
    case .name: "\(field.name)=\(names[NameID(rawValue: UInt32(truncatingIfNeeded: value))])"
    case .state: "\(field.name)=\(AppState(rawValue: UInt8(clamping: value)) ?? .unknown)"
    default: "\(field.name)=\(Int64(bitPattern: value))"
    }
  }

  /// The states that the stream goes through, with the time it enters each.
  func states(_ stream: Stream) -> [(time: Int64, state: AppState)] {
    var states: [(Int64, AppState)] = []
    for event in stream.events {
      switch event.kind {
      case .transition:
        states.append(
          (event.time.rawValue, AppState(rawValue: UInt8(clamping: event[1])) ?? .unknown)
        )
      case .suspend: states.append((event.time.rawValue, .suspended))
      case .resume: states.append((event.time.rawValue, .background))
      case .processExit: states.append((event.time.rawValue, .notRunning))
      default: break
      }
    }
    return states
  }
}
