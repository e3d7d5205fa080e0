// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
import LifetraceReports
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

/// What `info` and `verify` say is a value first.
@Suite struct RecordingFactsTests {
  private static func vector(_ name: String) throws -> TraceReader {
    try TraceReader(path: "\(Golden.root)/Traces/vectors/\(name).lifetrace")
  }

  @Test func aWholeFileHasNoProblems() throws {
    let facts = try RecordingFacts(Self.vector("two-writers"))
    #expect(facts.writers.map(\.label) == ["app2#1", "app4#1"])
    #expect(facts.writers.map(\.census.events) == [12, 6])
    #expect(facts.file.census.events == 18)
    #expect(facts.file.problems.isEmpty && !facts.file.isRepairable)
    #expect(facts.hasEnd && facts.isRead && facts.hidden == 0)
    #expect(facts.file.verdict == ["\(facts.file.path): whole: \(Self.counts(facts.file))"])
  }

  private static func counts(_ file: FileFacts) -> String {
    String(file.contents.dropFirst(file.path.count + 2))
  }

  @Test func damageIsAFactThatTextAndJSONShare() throws {
    let reader = try Self.vector("damaged")
    try reader.verify()
    let file = FileFacts(reader, recovery: "bring it in")
    #expect(file.isDamaged && file.isRepairable)
    #expect(file.census.lost.count == 4)
    let text = try #require(file.problems.first).text
    #expect(file.complaints == ["\(file.path): \(text)"])
    #expect(file.verdict.first == file.complaints.first)
    #expect(file.verdict.dropFirst(2).first == "  bring it in")
    #expect(file.json["whole"] == .bool(false))
    #expect(file.json["problems"]?.array?.first?["text"]?.string == text)
    #expect(file.json["lostInAll"]?.int == 4)
    // How to bring something in helps only where the end is missing.
    #expect(!file.warnings.contains { $0.contains("bring it in") })
  }

  /// Who was only seen is counted, is part of the span, and is described where that is asked for.
  @Test func processesThatWereOnlySeenAreHidden() throws {
    let folder = try TestFolder()
    let story = try Story.parse(
      """
      app notes#1 pid=7
      app ls#1 role=bystander pid=8
      +1s notes#1 main process.start reason=icon app=notes
      +5s ls#1 main process.exit cause=exit code=0

      """
    )
    try story.write(to: TraceWriter(path: folder.file("trace"), options: .create))
    let reader = try TraceReader(path: folder.file("trace"))
    let few = try RecordingFacts(reader, bystanders: false)
    #expect(few.writers.map(\.label) == ["notes#1"] && few.hidden == 1)
    #expect(few.span.map { $0.last.rawValue - $0.first.rawValue } == 4_000_000_000)
    #expect(few.text[0].contains("2 events of 2 processes"), "\(few.text)")
    #expect(few.text.contains("  1 process only seen from outside (--all)"))
    #expect(few.writers[0].ending == .running(isRecorded: false))
    let all = try RecordingFacts(reader)
    #expect(all.writers.map(\.label) == ["notes#1", "ls#1"] && all.hidden == 0)
    #expect(all.writers[1].ending == .seen("ended (exit)"))
  }

  @Test func everyFormOfCheckHasANameOfItsOwn() {
    let names = CheckFormat.all.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(CheckFormat.named(name)?.name == name)
      #expect(CheckFormat.purposes.contains(name))
    }
    #expect(CheckFormat.named("none") == nil)
    #expect(CheckFormat.all.filter(\.isForPeople).map(\.name) == ["text"])
  }
}
