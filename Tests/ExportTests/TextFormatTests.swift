// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceJSON
import Support
import Testing

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
