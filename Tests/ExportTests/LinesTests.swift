// SPDX-License-Identifier: Apache-2.0
import LifetraceExport
import LifetraceInterop
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// JSON lines hold all of a recording: read back they dump the same, and are written the same again.
@Suite struct LinesTests {
  static let stories = PerfettoTests.stories + ["Tests/Fixtures/Export/two-apps.txt"]

  @Test(arguments: stories)
  func aStoryComesBack(_ path: String) throws {
    try comesBack(try Exported(path))
  }

  /// Any kind with any value, known or not.
  @Test(arguments: 0..<20) func anyEventComesBack(_ seed: UInt64) throws {
    var random = RandomEvents(seed: seed)
    let events = random.next(300)
    let source = MemorySource(
      [
        MemorySource.Writer(
          id: WriterID(high: 7, low: seed),
          attributes: WriterAttributes(app: "app \"n=ö"),
          events: events
        )
      ],
      names: random.names
    )
    try comesBack(try Exported(source, title: "seed \(seed)"))
  }

  private func comesBack(_ exported: Exported) throws {
    let folder = try TestFolder()
    let lines = try exported.bytes(.jsonl)
    let story = try Self.read(lines)
    let path = folder.path + "/again"
    try story.write(to: try TraceWriter(path: path, options: .create))
    let again = try Exported(FileSource(try TraceReader(path: path)), title: "again")
    let second = try again.bytes(.jsonl)
    let difference = zip(
      lines.split(separator: UInt8(ascii: "\n")),
      second.split(separator: UInt8(ascii: "\n"))
    ).first { $0 != $1 }
    let words = difference.map { pair in
      [pair.0, pair.1].map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(lines == second, "\(words ?? [])")
    #expect(Self.dump(exported) == Self.dump(again))
  }

  private static func read(_ bytes: [UInt8]) throws -> Story {
    var lines = StoryLines()
    for line in bytes.split(separator: UInt8(ascii: "\n")) { try lines.read(line) }
    return lines.story
  }

  /// As `dump` prints it.
  private static func dump(_ exported: Exported) -> [String] {
    var writer = StoryWriter(clocks: exported.timeline.alignment.clocks)
    var here = exported.timeline.start
    var lines: [String] = []
    while let place = exported.timeline.stepForward(&here) {
      lines.append(
        writer.next(
          exported.timeline.event(at: place),
          names: exported.timeline.names,
          label: exported.labels[Int(place.stream.rawValue)]
        )
      )
    }
    return lines
  }

  @Test func theExampleReadsSo() throws {
    let exported = try Exported("Tests/Fixtures/Export/two-apps.txt")
    let text = String(decoding: try exported.bytes(.jsonl), as: UTF8.self)
    #expect(Golden.difference(text, "Tests/Fixtures/Export/two-apps.jsonl") == nil)
  }

  @Test(arguments: [
    (#"{"kind":"mark"}"#, "line 2, column 1: the line has no \"writer\" that is a string"),
    ("nonsense", "line 2, column 2: expected null"),
    (
      #"{"kind":"mark","writer":"b#1"}"#,
      "line 2, column 1: b#1 is not described by a line of the kind lifetrace.writer before"
    ),
  ])
  func aWrongLineIsNamed(_ line: String, _ message: String) throws {
    let exported = try Exported("Tests/Fixtures/Export/two-apps.txt")
    let first = try exported.bytes(.jsonl).split(separator: UInt8(ascii: "\n"))[0]
    var lines = StoryLines()
    try lines.read(first)
    let error = #expect(throws: StoryError.self) { try lines.read(Array(line.utf8)) }
    #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "")")
  }
}
