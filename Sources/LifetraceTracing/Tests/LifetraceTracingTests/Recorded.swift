// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// What `lifetrace record` and `dump --json` make of the probe; `LIFETRACE_TOOL` names another `lifetrace`.
struct Recorded {
  /// An event, by the names of its fields and of its arguments.
  struct Event {
    let fields: [String: Any]

    subscript(_ key: String) -> String {
      let value = fields[key] ?? (fields["arguments"] as? [String: Any])?[key]
      return value.map { "\($0)" } ?? ""
    }

    var kind: String { self["kind"] }
    var flow: UInt64? { number("flow") }
    var parent: UInt64? { number("parent") }

    private func number(_ key: String) -> UInt64? {
      let digits = self[key]
      return UInt64(digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits, radix: 16)
    }
  }

  /// What the probe printed, a line each.
  let said: [String]
  /// Those of the families that spans and logs become.
  let events: [Event]

  private static let root = #filePath.components(separatedBy: "/Sources/LifetraceTracing/")[0]
  private static let tool =
    ProcessInfo.processInfo.environment["LIFETRACE_TOOL"] ?? root + "/.build/debug/lifetrace"

  static func probe(_ what: String, isRecorded: Bool = true) throws -> Recorded {
    let folder = FileManager.default.temporaryDirectory.path + "/tracing-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = [try program(), what]
    guard isRecorded else { return Recorded(said: try run(command, in: folder), events: []) }
    let said = try run([tool, "record", "-o", "t.lifetrace", "--"] + command, in: folder)
    let lines = try run([tool, "dump", "--json", "t.lifetrace"], in: folder)
    let events = try lines.compactMap { line -> Event? in
      let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let event = Event(fields: fields ?? [:])
      let families = ["work.", "message.", "mark", "log"]
      return families.contains { event.kind.hasPrefix($0) } ? event : nil
    }
    return Recorded(said: said, events: events)
  }

  /// The probe, which is built beside the program that runs the tests.
  private static func program() throws -> String {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 {
      let path = folder.appendingPathComponent("TracingProbe").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    throw Problem(description: "no TracingProbe beside \(CommandLine.arguments[0])")
  }

  struct Problem: Error, CustomStringConvertible { let description: String }

  /// The lines that a command printed; throws where it fails.
  private static func run(_ command: [String], in folder: String) throws -> [String] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Problem(description: "\(command) leaves with \(process.terminationStatus)")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
