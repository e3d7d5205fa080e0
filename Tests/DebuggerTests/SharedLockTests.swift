// SPDX-License-Identifier: GPL-3.0-or-later
import Support
import Testing

@testable import LifetraceDebugger

/// A lock that two threads share, and one of them has taken again, at the prompt.
@Suite struct SharedLockTests {
  private static let story = """
    app notes#1 pid=12 profile=ios13
    +0s   notes#1 main process.start reason=icon app=notes
    +1s   notes#1 t7 resource.acquire db class=lock @Notes/Store.swift:14
    +2s   notes#1 t8 resource.acquire db class=lock @Notes/Search.swift:30
    +3s   notes#1 t7 resource.acquire db class=lock @Notes/Store.swift:16
    +4s   notes#1 t7 resource.release db class=lock @Notes/Store.swift:18
    +5s   notes#1 t7 resource.release db class=lock @Notes/Store.swift:20
    +6s   notes#1 t8 resource.release db class=lock @Notes/Search.swift:40
    +9s   notes#1 main log "later" text="later" level=1

    """

  private func said(_ commands: String) throws -> [String] {
    let text = try TranscriptTests.run(commands, Self.story)
    return text.split(separator: "(replay) ").map(String.init)
  }

  @Test func eachHolderIsListed() throws {
    let parts = try said("goto 4\nlocks\ngoto 6\nlocks\ngoto 7\nlocks\nprint count resources")
    #expect(parts[2].contains("held for 2 s  Store.swift:14   by t7, 2 times"), "\(parts[2])")
    #expect(parts[2].contains("held for 1 s  Search.swift:30  by t8"), "\(parts[2])")
    // One holder is left, who has had it since it took it.
    #expect(parts[4].contains("held for 3 s  Search.swift:30"), "\(parts[4])")
    #expect(!parts[4].contains("t7"), "\(parts[4])")
    #expect(parts[6].contains("No lock"), "\(parts[6])")
    #expect(parts[7].contains("= 0"), "\(parts[7])")
  }

  @Test func questionsCountHolds() throws {
    let parts = try said(
      """
      goto 4
      print resource("db").holds
      goto start
      find any resources where holds > 2
      find resource.release && took == 4s
      find resource.release && took == 4s
      """
    )
    #expect(parts[2].contains("= 3"), "\(parts)")
    #expect(parts[4].contains("notes#1:3"), "\(parts)")
    // Both holds lasted for four seconds; the release between them ends none.
    #expect(parts[5].contains("notes#1:5"), "\(parts)")
    #expect(parts[6].contains("notes#1:6"), "\(parts)")
  }
}
