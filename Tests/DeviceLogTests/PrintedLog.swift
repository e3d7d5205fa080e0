// SPDX-License-Identifier: Apache-2.0
import LifetraceDeviceLog
import LifetraceInterop
import LifetraceTrace
import Testing

/// What an import makes of a log that is written line by line.
enum PrintedLog {
  static let target = "app<org.example.notes(0A-1)>"

  /// The stream of a log in Console.app's shape, a line each: the process, and what it says; one a second.
  static func stream(_ lines: [(String, String)]) throws -> (LogImport, [String]) {
    var text = ""
    for (index, line) in lines.enumerated() {
      let second = index < 10 ? "0\(index)" : "\(index)"
      text += "default\t10:00:\(second).000000+0000\t\(line.0)\t\(line.1)\n"
    }
    let log = try importText(text)
    let stream = try #require(log.streams.first)
    expectLegal(stream, log)
    return (log, log.printed(stream))
  }

  static func states(_ lines: [(String, String)]) throws -> [String] {
    let (log, _) = try stream(lines)
    return try log.states(#require(log.streams.first)).map { "\($0.state)" }
  }

  static func update(_ state: String) -> String {
    "Received state update for 44 (\(target), \(state)"
  }
}
