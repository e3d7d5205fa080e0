// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
import LifetraceInterop
import LifetraceReports
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

@testable import LifetraceJudging

/// Several files are one recording: what they say does not depend on where it was cut.
@Suite struct JoinedTracesTests {
  @Test func aRecordingCutInTwoSaysTheSame() throws {
    let folder = try TestFolder()
    try DaysOfApps.write(to: folder.file("whole"), apps: 2, events: 50_000)
    let bytes = try folder.read("whole")
    let whole = try JoinedTraces([try TraceReader(path: folder.file("whole"))])
    let said = EqualVerdictsTests.said(Judgement().checker(of: whole))
    let cuts = whole.streams.flatMap(\.chunks).map { Int($0.offset) }.filter { $0 > 0 }
    #expect(cuts.count > 5)
    for cut in cuts {
      try folder.write(Array(bytes[..<cut]), to: "first")
      try folder.write(Array(bytes[cut...]), to: "second")
      let paths = [folder.file("first"), folder.file("second")]
      let joined = try JoinedTraces(paths.map { try TraceReader(path: $0) })
      #expect(EqualVerdictsTests.said(Judgement().checker(of: joined)) == said, "cut at \(cut)")
      #expect(joined.census == whole.census)
      let problems = joined.problems(of: 0) + joined.problems(of: 1)
      #expect(problems.allSatisfy { $0.kind == .noEnd || $0.kind == .index }, "\(problems)")
    }
  }

  /// Other events under the same numbers: the first file is believed, and the other one named.
  @Test func aConflictNamesBothFiles() throws {
    let folder = try TestFolder()
    let text = "app a#1\n+0s a#1 main process.start reason=icon app=a\n+1s a#1 main mark "
    for name in ["here", "there"] {
      let story = try Story.parse(text + name + "\n")
      try story.write(to: try TraceWriter(path: folder.file(name), options: .create))
    }
    let paths = [folder.file("here"), folder.file("there")]
    let joined = try JoinedTraces(paths.map { try TraceReader(path: $0) })
    #expect(joined.problems(of: 0).isEmpty)
    let problem = try #require(joined.problems(of: 1).first)
    #expect(problem.text.hasSuffix("again, but others than the chunk at byte 0 of \(paths[0])"))
    #expect(joined.census.events == 2)
  }
}

/// What a launch knows of the run before it: from that run, or from what the recorder kept of it.
@Suite struct RunBeforeTests {
  private static let runs = """
    app notes#1 app=notes profile=ios13 started=0s
    app notes#2 app=notes profile=ios13 started=12s PREVIOUS
    +0s    notes#1 main process.start reason=icon app=notes
    +1s    notes#1 main data.dirty draft.txt version=1 bytes=900 @Editor.swift:41
    +1.2s  notes#1 main data.durable draft.txt version=1 level=disk bytes=900
    +9s    notes#1 main process.exit cause=exit code=0
    +12s   notes#2 main process.start reason=icon app=notes
    +13s   notes#2 main data.dirty draft.txt version=2 bytes=1300 @Editor.swift:41
    +14s   notes#2 main process.exit cause=exit code=0

    """
  private static let known = "version 1 of the run before is what is left"

  /// The two runs, each in a file of its own.
  private func record(_ folder: TestFolder, knowsPrevious: Bool) throws -> [String] {
    let previous = knowsPrevious ? "previous=notes#1" : ""
    let story = try Story.parse(Self.runs.replacing("PREVIOUS", with: previous))
    var builder = TraceBuilder(names: story.names)
    for writer in story.writers {
      let file = try TraceWriter(path: folder.file(writer.label), options: .create)
      try builder.add(writer.id, writer.attributes, writer.events, to: file)
      try file.finish(end: true)
    }
    return story.writers.map(\.label)
  }

  /// What `check` says of the files, which is what the prompt says of them as one file.
  private func said(_ names: [String], _ folder: TestFolder) throws -> String {
    let joined = try JoinedTraces(names.map { try TraceReader(path: folder.file($0)) })
    try folder.write(names.flatMap { try folder.read($0) }, to: "all")
    let timeline = Timeline(FileSource(try TraceReader(path: folder.file("all"))))
    let checker = Judgement().checker(of: joined)
    #expect(
      EqualVerdictsTests.said(Judgement().checker(of: timeline)) == EqualVerdictsTests.said(checker)
    )
    return CheckFacts(joined, by: Judgement(), named: "x").text()
  }

  @Test func whatTheRecorderKnewIsKnownWithoutThatRun() throws {
    let folder = try TestFolder()
    let names = try record(folder, knowsPrevious: true)
    #expect(try said([names[1]], folder).contains(Self.known))
  }

  @Test func recordedApartItIsKnownFromThatRun() throws {
    let folder = try TestFolder()
    let names = try record(folder, knowsPrevious: false)
    #expect(try !said([names[1]], folder).contains(Self.known))
    #expect(try said(names, folder).contains(Self.known))
  }

  @Test func whereThatRunIsDamagedTheRecorderIsBelieved() throws {
    let folder = try TestFolder()
    let names = try record(folder, knowsPrevious: true)
    let chunk = try #require(try TraceReader(path: folder.file(names[0])).streams[0].chunks.first)
    var bytes = try folder.read("notes#1")
    bytes[Int(chunk.endOffset) - 3] ^= 0x10
    try folder.write(bytes, to: "notes#1")
    #expect(try said(names, folder).contains(Self.known))
  }
}
