// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
import Support
import Testing

@testable import LifetraceExport

/// The forms that people can read, of a recording small enough to be read.
@Suite struct TextFormatTests {
  private static let story = "Tests/Fixtures/Export/two-apps.txt"

  @Test func chromeReadsSo() throws {
    let text = String(decoding: try Exported(Self.story).bytes(.chrome), as: UTF8.self)
    #expect(Golden.difference(text, "Tests/Fixtures/Export/two-apps.chrome.json") == nil)
  }

  /// A line each for what is one line for many.
  @Test func openTelemetryReadsSo() throws {
    var text = String(decoding: try Exported(Self.story).bytes(.otlp), as: UTF8.self)
    for begin in [#"{"timeUnixNano""#, #"{"traceId""#] {
      text = text.replacing(begin, with: "\n" + begin)
    }
    #expect(Golden.difference(text, "Tests/Fixtures/Export/two-apps.otlp.txt") == nil)
  }

  /// Of many processes no more records wait together than of a few, and none is left behind.
  @Test func recordsOfManyProcessesAreAllThere() throws {
    let (writers, each) = (300, 80)
    var story = ""
    for writer in 1...writers { story += "app a\(writer)#1\n" }
    for number in 1...each {
      for writer in 1...writers { story += "+\(number)s a\(writer)#1 main mark \"m\"\n" }
    }
    let exported = try Exported(try Story.parse(story).source, title: "many")
    let lines = try exported.bytes(.otlp).split(separator: UInt8(ascii: "\n"))
    var count = 0
    for line in lines {
      let data = try JSON(parsing: line, bytesMax: 1 << 24)
      for resource in data["resourceLogs"]?.array ?? [] {
        for scope in resource["scopeLogs"]?.array ?? [] {
          count +=
            scope["logRecords"]?.array?.count(where: { $0["eventName"]?.string == "lifetrace.mark" }
            ) ?? 0
        }
      }
    }
    #expect(count == writers * each)
    // One for each process, were all kept to the end.
    #expect(lines.count > writers)
  }

  @Test func aLaneIsFreeFromItsEndOnAndTheFirstOneIsTaken() {
    var pool = LanePool(parent: nil, kind: .group, name: "tasks", stream: nil, rank: 0)
    for lane in 0..<200 { pool.add(Lane.ID(lane)) }
    for lane in 1..<200 { #expect(pool.take(at: 0, from: 1)?.slot == lane) }
    #expect(pool.take(at: 0, from: 1) == nil)
    pool.give(150, at: 7)
    pool.give(70, at: 9)
    #expect(pool.take(at: 6, from: 0)?.slot == 0)
    #expect(pool.take(at: 6, from: 0) == nil)
    #expect(pool.take(at: 8, from: 1)?.slot == 150)
    #expect(pool.take(at: 9, from: 71) == nil)
    #expect(pool.take(at: 9, from: 1)?.slot == 70)
  }

  @Test(arguments: PerfettoTests.stories)
  func itIsJSON(_ path: String) throws {
    let exported = try Exported(path)
    let chrome = try JSON(parsing: try exported.bytes(.chrome), bytesMax: 1 << 24)
    var open: [[Int64?]: Int] = [:]
    for event in try #require(chrome.array) {
      let place = [event["pid"]?.int, event["tid"]?.int]
      if event["ph"]?.string == "B" { open[place, default: 0] += 1 }
      if event["ph"]?.string == "E" { open[place, default: 0] -= 1 }
      #expect(open[place, default: 0] >= 0)
    }
    for line in try exported.bytes(.otlp).split(separator: UInt8(ascii: "\n")) {
      let data = try JSON(parsing: line, bytesMax: 1 << 24)
      #expect(data["resourceLogs"] != nil || data["resourceSpans"] != nil)
    }
  }

  /// The queries of the page give what they promise, through the shell of sqlite.
  @Test func theQueriesOfThePageAnswer() throws {
    let folder = try TestFolder()
    let path = folder.path + "/run.db"
    _ = try Exported(Self.story).bytes(.sqlite, path: path)
    let page = try #require(Golden.text("Sources/Export/EXPORT.md"))
    let queries = page.matches(of: /```sql\n([^`]+)```/).map { String($0.1) }
    #expect(queries.count == 5)
    var text = ""
    for query in queries {
      let outcome = TestProgram.shell("sqlite3 -header '\(path)' <<'END' 2>&1\n\(query)END\n")
      #expect(outcome.code == 0)
      text += query + "\n" + outcome.said + "\n"
    }
    #expect(Golden.difference(text, "Tests/Fixtures/Export/two-apps.sqlite.txt") == nil)
  }
}
