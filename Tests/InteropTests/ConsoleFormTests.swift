// SPDX-License-Identifier: Apache-2.0
import Interop
import Support
import Testing
import Trace

/// Logs as they come: other line ends, marks, rubbish, one line of megabytes.
@Suite struct ConsoleFormTests {
  private static let lines = [
    "default\t10:00:00.000001+0000\tnotes\tDeactivation reason added: 0; deactivation reasons: 0 -> 1; x",
    "default\t10:00:01.000000+0000\tnotes\tnote \"_cmd\":\"onDidEnterBackground:\" for the app",
    "default\t10:00:02.000000+0000\tnotes\tCreated background task <_UIBackgroundTaskInfo: 0x1>: "
      + "taskID = 3, taskName = Save, all, creationTime = 5 (elapsed = 0).",
    "default\t10:00:03.000000+0000\tnotes\tEnding background task with UIBackgroundTaskIdentifier: 3",
  ]

  private func expectNotes(_ log: ConsoleImport) throws {
    let stream = try #require(log.streams.first)
    #expect(log.streams.count == 1)
    let states = log.states(stream).map { "\($0.state)" }
    #expect(states == ["active", "inactive", "background"])
    #expect(stream.events.contains { $0.kind == .taskEnd && $0.identity == 3 })
    let begin = try #require(stream.events.first { $0.kind == .taskBegin })
    #expect(log.names[NameID(rawValue: UInt32(truncatingIfNeeded: begin[0]))] == "Save, all")
  }

  @Test func windowsLineEndsAndAByteOrderMark() throws {
    let text = "\u{FEFF}" + Self.lines.joined(separator: "\r\n") + "\r\n"
    try expectNotes(try importText(text))
  }

  @Test func noNewlineAtTheEnd() throws {
    try expectNotes(try importText(Self.lines.joined(separator: "\n")))
  }

  @Test func onlyTheObjectsOwnKeysCount() throws {
    let rows = Self.lines.map { line in
      let parts = line.split(separator: "\t", maxSplits: 3).map(String.init)
      let message = parts[3].split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\\\"")
      return
        "{\"eventMessage\" : \"\(message) \\\"timestamp\\\":\\\"x\\\" \\ud83d\\ude00 \\ud83d \\u00\","
        + "\"backtrace\":{\"frames\":[{\"imageOffset\":1}]},"
        + "\"processImagePath\":\"\\/a\\/notes\",\"timestamp\":\"2026-09-01 \(parts[1])\"}"
    }
    try expectNotes(try importText(rows.joined(separator: "\n")))
    // Cut anywhere it is no line, and does no harm.
    for row in rows {
      for length in stride(from: 1, to: row.utf8.count, by: 7) {
        let cut = String(decoding: row.utf8.prefix(length), as: UTF8.self)
        try expectNotes(try importText((rows + [cut]).joined(separator: "\n")))
      }
    }
  }

  @Test func rubbishBetweenTheLines() throws {
    var bytes: [UInt8] = [0, 0xFF, 0xFE, 0x80, 0x0A]
    for line in Self.lines {
      bytes += Array("# a remark\n\n\tgoes on\n".utf8) + [0xC3, 0x28, 0, 0x0A]
      bytes += Array(line.utf8) + [0x0A]
    }
    try expectNotes(try importBytes(bytes))
  }

  @Test func aLineOfMegabytes() throws {
    let long = "default\t10:00:00.000000+0000\tnotes\t" + String(repeating: "long ", count: 900_000)
    var lines = Self.lines
    lines.insert(long, at: 2)
    try expectNotes(try importText(lines.joined(separator: "\n") + "\n"))
  }

  @Test func wideTextIsRefusedWithAdvice() {
    #expect(throws: ConsoleImportError.self) {
      _ = try importBytes([0xFF, 0xFE, 0x64, 0, 0x65, 0])
    }
    #expect(ConsoleImportError.wideText(path: "x").description.contains("iconv"))
  }

  @Test(arguments: [
    ("Darwin/20.1.0", "ios13"), ("Darwin/16.7", "ios7"), ("Darwin/25.0.0", "ios13"),
  ])
  func theProfileFollowsTheSystem(agent: String, profile: String) throws {
    let first = "default\t09:00:00.0+0000\tnotes\tnotes/1 CFNetwork/978.0.7 \(agent)"
    let log = try importText(([first] + Self.lines).joined(separator: "\n"))
    #expect(log.streams.first?.attributes.profile == profile)
  }
}
