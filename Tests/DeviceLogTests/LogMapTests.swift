// SPDX-License-Identifier: Apache-2.0
@testable import LifetraceDeviceLog
import LifetraceInterop
import LifetraceScenario
import LifetraceTrace
import Support
import Testing

/// The user's own lines as events: patterns, the file that names them, and what the rules make of it.
@Suite struct LogMapTests {
  // MARK: Patterns

  private func match(_ pattern: String, _ line: String) throws -> String? {
    let pattern = try LogLinePattern(pattern)
    return Array(line.utf8).withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      guard let found = pattern.match(LogText(base, bytes.count)) else { return nil }
      let texts = [found.object, found.name, found.why].compactMap { $0?.string }
      let numbers = [found.version, found.bytes].compactMap { $0.map { "\($0)" } }
      return (texts + numbers).joined(separator: "|")
    }
  }

  @Test(arguments: [
    ("saved {object} v{version}", "saved draft.txt v3", "draft.txt|3"),
    ("saved {object} v{version}", "[store] saved draft.txt v3 in 12 ms", "draft.txt|3"),
    // The text behind a name may be part of it.
    ("saved {object} v{version}", "saved my video v4", "my video|4"),
    ("saved {object}.", "saved draft.txt.", "draft"),
    ("saved {object}", "saved all of it  ", "all of it"),
    ("{object} saved", "draft saved", "draft"),
    ("edit {version} of {object}, {bytes} bytes{}", "edit 3 of a, b, 120 bytes long", "a, b|3|120"),
    ("{} took {why}", "it took too long", "too long"),
    ("{{{object}}", "{draft}", "draft"),
    ("saved {object} v{version}", "saved draft.txt", nil),
    ("saved {object} v{version}", "saved draft.txt vx", nil),
    ("saved {object}", "saved ", nil), ("a{}b{}c", "abab", nil),
  ])
  func patterns(pattern: String, line: String, found: String?) throws {
    #expect(try match(pattern, line) == found)
  }

  /// A line that nearly fits everywhere is given up, in time.
  @Test func aLineThatNearlyFits() throws {
    let line = String(repeating: "a ", count: 20_000)
    #expect(try match("a{}a{}a{}a{}a{}a{}a{version}", line) == nil)
  }

  // MARK: The file

  @Test(arguments: [
    ("", "1:1: the map is empty"), ("- x\n", "1:1: a map is a mapping: process, lines"),
    ("process: x\n", "1:1: the map has no `lines`"), ("line: x\n", "1:1: there is no key `line`"),
    ("lines: x\n", "1:8: `lines` is a list"), ("lines:\n  - x\n", "2:5: a pattern is a mapping"),
    ("lines:\n  - line: x\n", "2:5: a pattern has a `line` and an `event`"),
    (
      "lines:\n  - line: \"saved {objekt}\"\n    event: data.durable\n",
      "2:11: there is no `{objekt}`"
    ),
    (
      "lines:\n  - line: \"saved {object}\"\n    event: data.durabel\n",
      "3:12: there is no event `data.durabel`"
    ),
    (
      "lines:\n  - line: saved it\n    event: data.durable\n",
      "2:11: `data.durable` needs to know which"
    ),
    (
      "lines:\n  - line: \"read {object}\"\n    event: data.restored\n",
      "2:11: `data.restored` needs `{version}`"
    ),
    ("lines:\n  - line: \"{object}{bytes}\"\n    event: data.dirty\n", "2:11: two names in braces"),
    ("lines:\n  - line: \"{object}\"\n    event: data.dirty\n", "2:11: a pattern needs text"),
    ("lines:\n  - line: \"x {object\"\n    event: data.dirty\n", "2:11: a { is not closed"),
    (
      "lines:\n  - line: \"x {object}\"\n    event: data.dirty\n    lvel: disk\n",
      "4:5: there is no key `lvel`"
    ),
    (
      "lines:\n  - line: \"x {object}\"\n    event: data.durable\n    level: dsk\n",
      "4:12: there is no level `dsk`"
    ),
  ])
  func mistakesHaveAPlace(text: String, message: String) {
    do throws(ScenarioProblem) {
      _ = try LogMap(parsing: text)
      Issue.record("read")
    } catch {
      #expect(error.text(file: "map.yml").hasPrefix("map.yml:\(message)"), "\(error)")
    }
  }

  // MARK: What becomes of it

  private static let map = """
    process: Drafty
    lines:
      - {line: "edited {object} to version {version}, {bytes} bytes", event: data.dirty}
      - {line: "changed the title", event: data.dirty, object: title}
      - {line: "saving {object}", event: data.flushing}
      - {line: "saved {object} v{version}", event: data.durable, level: disk}
      - {line: "saved the title", event: data.durable, object: title}
      - {line: "cannot save {object}: {why}", event: data.failed}
      - {line: "sync of {name} begins", event: work.begin, kind: network}
      - {line: "sync of {name} is over", event: work.end}
      - {line: "screen {name}", event: mark}
      - {line: "never", event: mark, name: never}
    """

  private func imported(_ lines: [(Double, String, String)]) throws -> LogImport {
    let folder = try TestFolder()
    var text = ""
    for line in lines {
      let second = line.0 < 10 ? "0\(Int(line.0))" : "\(Int(line.0))"
      text += "default\t10:00:\(second).000000+0000\t\(line.1)\t\(line.2)\n"
    }
    try folder.write(text, to: "phone.log")
    let options = LogImport.Options(map: try LogMap(parsing: Self.map))
    return try LogImport(joining: ["\(folder.path)/phone.log"], options: options)
  }

  private static let killed: [(Double, String, String)] = [
    (20, "Drafty", "applicationDidEnterBackground:"),
    (26, "runningboardd", "[app<org.example.drafty>:44] Suspending task."),
    (
      50, "SpringBoard",
      "[app<org.example.drafty>:44] Process exited: <x| domain:jetsam(1) code:17>"
    ),
  ]

  @Test(arguments: [
    ([(3.0, "Drafty", "saved draft v3")], [String]()), ([], ["DS01", "DS02"]),
    ([(3.0, "Drafty", "saved draft v2")], ["DS01", "DS02"]),
    // Another process may say the same.
    ([(3.0, "Mail", "saved draft v3")], ["DS01", "DS02"]),
    ([(3.0, "Drafty", "cannot save draft: no room")], ["DS01", "DS02"]),
  ])
  func lossesAreDecided(lines: [(Double, String, String)], broken: [String]) throws {
    let edit = (2.0, "Drafty", "[store] edited draft to version 3, 120 bytes")
    let log = try imported(
      [(1, "Drafty", "applicationDidBecomeActive:"), edit] + lines + Self.killed
    )
    #expect(log.rules("violated") == broken, "\(log.streams.map(log.printed))")
    #expect(log.streams.map(\.attributes.app) == ["org.example.drafty"])
  }

  @Test func everyKindOfEvent() throws {
    let log = try imported([
      (1, "Drafty", "changed the title"), (2, "Drafty", "changed the title"),
      (3, "Drafty", "saved the title"), (4, "Drafty", "sync of a begins"),
      (5, "Drafty", "sync of b begins"), (6, "Drafty", "sync of a is over"),
      (7, "Drafty", "sync of c is over"), (8, "Drafty", "screen two"), (9, "Drafty", "nothing"),
    ])
    let stream = try #require(log.streams.first)
    let said = log.printed(stream).map { $0.split(separator: " ", maxSplits: 1)[1] }
    #expect(
      said
        == [
          "data.dirty object=title version=1 bytes=0 hash=0 @1".description,
          "data.dirty object=title version=2 bytes=0 hash=0 @2",
          "data.durable object=title version=2 level=1 bytes=0 hash=0 @3",
          "work.begin id=1 kind=2 @4", "work.begin id=2 kind=2 @5", "work.end id=1 @6",
          "log text=c ends, and its begin is not in the log level=2 @7", "mark @8", "meta.end @0",
        ].map { Substring($0) }
    )
    // Work whose thread a map does not name is not said to be the main thread's.
    #expect(stream.events.filter { $0.kind == .workBegin }.allSatisfy { $0.thread != .main })
    #expect("\(log.summary)".contains("map: 8 lines of 5 of 10 patterns"), "\(log.summary)")
  }

  /// The rehearsal, and a pattern that finds nothing.
  @Test func aDryRun() throws {
    let folder = try TestFolder()
    try folder.write(
      "default\t10:00:01.0+0000\tDrafty\tedited a to version 1, 5 bytes\n"
        + "default\t10:00:02.0+0000\tDrafty\tedited b to version 1, 6 bytes\n"
        + "default\t10:00:03.0+0000\tDrafty\tlost in thought\ndefault\t10:00:04.0+0000\tMail\tnever\n",
      to: "phone.log"
    )
    let map = try LogMap(parsing: Self.map)
    let hits = try LogImport.rehearse(["\(folder.path)/phone.log"], LogImport.Options(map: map))
    let table = hits.table(of: map, named: "map.yml")
    #expect(
      Array(table.prefix(3)) == [
        "hits  first        event          pattern",
        "2     phone.log:1  data.dirty     edited {object} to version {version}, {bytes} bytes",
        "                                  object=a  version=1  bytes=5",
      ]
    )
    #expect(table.contains("0     -            mark           never   (map.yml:12)"), "\(table)")
    #expect(table.last == "1 line of Drafty fit no pattern, such as phone.log:3: lost in thought")
  }
}
