// SPDX-License-Identifier: Apache-2.0
import LifetraceAssembly
import LifetraceInterop
import LifetraceReports
import LifetraceRules
import LifetraceTrace
import LifetraceTraceFile
import Support
import Testing

@testable import LifetraceJudging

/// On two cores the same is said as on one, word for word.
@Suite struct SideBySideTests {
  @Test(arguments: EqualVerdictsTests.stories)
  func aStoryOnTwoCores(_ file: String) throws {
    let folder = try TestFolder()
    let path = folder.file("story.lifetrace")
    let story = try Story.parse(try #require(Golden.text(file)))
    try story.write(to: try TraceWriter(path: path, options: .create))
    try compare(path)
  }

  /// Four apps, some with an extension and a daemon, two of them of one name on two hosts.
  @Test func daysOfSeveralAppsOnTwoCores() throws {
    let folder = try TestFolder()
    let path = folder.file("days.lifetrace")
    try DaysOfApps.write(to: path, apps: 4, events: 60_000)
    try compare(path)
    let reader = try TraceReader(path: path)
    let recording = try JoinedTraces([reader])
    #expect(recording.lives.count > 4)
    #expect(recording.sideBySide(by: Checker(), cores: 2, eventsMin: 0)?.hasUnreadable == false)
    #expect(
      recording.sideBySide(by: Checker(), cores: 2, eventsMin: 1_000_000)?.checker.lost == nil
    )
    // What cannot be read is found on whichever core, and reported once.
    let chunk = try #require(reader.streams[3].chunks.first)
    var bytes = try folder.read("days.lifetrace")
    bytes[Int(chunk.endOffset) - 3] ^= 0x10
    try folder.write(bytes, to: "damaged.lifetrace")
    try compare(folder.file("damaged.lifetrace"))
  }

  private func compare(_ path: String) throws {
    var said: [[String]] = []
    for cores in [1, 2, 3] {
      let recording = try JoinedTraces([try TraceReader(path: path)])
      let facts = CheckFacts(
        recording,
        by: Judgement(),
        named: path,
        cores: cores,
        eventsMin: 0
      )
      said.append(
        [facts.text(verbose: true), facts.jsonLines]
          + recording.problems(of: 0).map(\.text) + ["\(facts.hasUnreadable) \(recording.census)"]
      )
    }
    #expect(said[1] == said[0])
    #expect(said[2] == said[0])
  }
}

/// Days of app life of several apps, as one recording.
enum DaysOfApps {
  /// A day for each app, of `count` events each.
  static func write(to path: String, apps: Int, events count: Int) throws {
    let file = try TraceWriter(path: path, options: .create)
    for seed in 1...apps {
      var names = Names()
      var streams: [WriterID: (attributes: WriterAttributes, events: [Event])] = [:]
      var day = DayTrace(seed: UInt64(seed)) { chunk in
        let header = chunk.header
        let payload = try ChunkPayload(header: header, payload: chunk.payload, names: &names)
        streams[header.writer, default: (header.attributes, [])].events += try payload.decode()
      }
      try day.run(events: count)
      var builder = TraceBuilder(names: names)
      let order = streams.sorted {
        ($0.value.attributes.started, $0.key) < ($1.value.attributes.started, $1.key)
      }
      for (writer, stream) in order {
        var attributes = stream.attributes
        attributes.app += "\(max(seed, 2))"
        attributes.host += "\(seed)"
        try builder.add(writer, attributes, stream.events, to: file)
      }
    }
    try file.finish(end: true)
  }
}
