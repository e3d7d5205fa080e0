// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import Support
import TestThreads
import Testing

/// `notes#1:4` is one event, whoever tells it and whoever is asked for it.
@Suite(.waits) struct EventNameTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.write(lostDraftStory, to: "lost.story")
    #expect(run("lifetrace import story lost.story -o lost").status == 0)
  }

  private func run(_ line: String) -> (status: Int32, output: String) { shell(line, in: folder) }

  private func replay(_ command: String) -> String {
    run("lifetrace replay lost -q --batch -e '\(command)'").output
  }

  @Test func everyWitnessOfCheckIsFoundInReplayUnderItsName() throws {
    let verdicts = try run("lifetrace check lost --format jsonl").output.split(separator: "\n")
      .map { try JSON(parsing: $0.utf8) }
      .filter { $0["outcome"]?.string == "violated" }
    #expect(verdicts.count == 2)
    let text = run("lifetrace check lost").output
    for verdict in verdicts {
      for witness in verdict["witnesses"]?.array ?? [] {
        let writer = try #require(witness["writer"]?.string)
        let name = "\(writer):\(try #require(witness["sequence"]?.int))"
        #expect(text.contains("  \(name)  "), "\(text)")
        #expect(replay("goto \(name)").contains("  \(name)  main  "), "\(name)")
        #expect(replay("list \(name)").contains("  \(name)  "), "\(name)")
        #expect(replay("info event \(name)").hasPrefix("event    \(name) (#"), "\(name)")
        #expect(!replay("why \(name)").contains("nothing to explain"), "\(name)")
        let dumped = run("lifetrace dump --json --from \(name) --to \(name) lost").output
        #expect(dumped.contains("{\"writer\":\"\(writer)\",\"sequence\":"), "\(dumped)")
      }
      let rule = try #require(verdict["rule"]?.string)
      let name =
        "\(try #require(verdict["writer"]?.string)):\(try #require(verdict["sequence"]?.int))"
      #expect(replay("violations").contains("  \(rule)  error  \(name)  "), "\(name)")
      #expect(replay("why \(name)").contains(", \(rule) (error): "), "\(name)")
      #expect(replay("why \(rule)").contains("  \(name)  "), "\(name)")
    }
  }

  @Test func whatNamesNoEventIsSaid() {
    #expect(replay("goto notes#1:99").contains("notes#1 has no event with the sequence number 99."))
    #expect(replay("why notes#7:1").contains("No writer is called notes#7."))
    #expect(replay("notes#1:4").contains("To go there: goto notes#1:4\n"))
    #expect(replay("info event 12x").contains("12x names no event: those are such as notes#1:22."))
    let dump = run("lifetrace dump --from notes#1:99 lost")
    #expect(dump.status == 64)
    #expect(dump.output.contains("there is no event notes#1:99 in the recording"), "\(dump.output)")
    // Who takes the number of an event for that of a violation is told what is meant.
    #expect(replay("goto #9").contains("the last one is #2. For the event: goto 9\n"))
  }
}
