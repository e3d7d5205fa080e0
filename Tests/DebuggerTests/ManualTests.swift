// SPDX-License-Identifier: Apache-2.0
import Support
import Testing

@testable import LifetraceDebugger

/// The manual is printed from the command table; the golden page is what people read.
@Suite struct ManualTests {
  @Test func theGoldenPageIsTheTable() {
    #expect(Golden.difference(Manual.markdown, "Sources/Debugger/REPLAY.md") == nil)
  }

  @Test func helpAndAproposKnowEveryCommand() throws {
    let session = LostDraft().session()
    let overview = try Manual.help(nil).lines(session).joined(separator: "\n")
    for command in CommandTable.all {
      #expect(overview.contains(command.name), "\(command.name)")
      let chapter = try Manual.help(command.group.word).lines(session).joined(separator: "\n")
      #expect(chapter.contains(command.summary), "\(command.name)")
      #expect(!(try Manual.help(command.name).lines(session)).isEmpty)
      for word in command.aliases {
        #expect(!(try Manual.help(word).lines(session)).isEmpty, "\(word)")
      }
    }
    #expect(try Manual.apropos("backward").lines(session).contains { $0.contains("prev") })
    #expect(throws: CommandError.self) { try Manual.apropos("zebra") }
  }
}
