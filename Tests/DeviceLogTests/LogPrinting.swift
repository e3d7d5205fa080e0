// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceJudging
import LifetraceInterop
import LifetraceRules
import LifetraceTimeline
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

/// A log in Console.app's shape: each line has its second behind ten o'clock.
func importConsole(_ lines: [(second: Double, process: String, says: String)]) throws -> LogImport {
  var text = ""
  for line in lines {
    let micros = Int64((line.second * 1_000_000).rounded())
    let seconds = micros / 1_000_000
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let fraction = String(String(1_000_000 + micros % 1_000_000).dropFirst())
    let clock = "\(two(10 + seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    text += "default\t\(clock).\(fraction)+0000\t\(line.process)\t\(line.says)\n"
  }
  return try importText(text)
}

extension LogImport {
  /// What all rules say of it.
  var verdicts: [Verdict] {
    let writers = streams.map {
      MemorySource.Writer(id: $0.id, attributes: $0.attributes, events: $0.events)
    }
    return Judgement().checker(of: MemorySource(writers, names: names)).finish()
  }

  /// The rules that say `outcome`, in order.
  func rules(_ outcome: String) -> [String] {
    verdicts.filter { $0.outcome.word == outcome }.map(\.rule).sorted()
  }
}
