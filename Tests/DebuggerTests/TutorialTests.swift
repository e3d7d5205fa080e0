// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import Support
import Testing

/// The sessions on the pages are those that the debugger has.
@Suite struct TutorialTests {
  private static let pages = ["Sources/Debugger/TUTORIAL.md", "Sources/Debugger/SESSIONS.md"]
  private static let opening = "$ lifetrace replay "
  private static let prompt = "(replay) "

  /// Each session is played again, and put in its place on the page.
  @Test(arguments: pages)
  func sessionsPrintWhatThePageSays(_ page: String) throws {
    var text = ""
    var session: [Substring]?
    for line in try #require(Golden.text(page)).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ) {
      guard let lines = session else {
        text += line + "\n"
        if line == "```console" { session = [] }
        continue
      }
      guard line == "```" else {
        session = lines + [line]
        continue
      }
      text += try Self.played(lines) + line + "\n"
      session = nil
    }
    // The page ends with its last line.
    text.removeLast()
    #expect(Golden.difference(text, page) == nil)
  }

  private static func played(_ lines: [Substring]) throws -> String {
    let first = try #require(lines.first { $0.hasPrefix(opening) })
    let story = try #require(Golden.text(String(first.dropFirst(opening.count))))
    let commands = lines.filter { $0.hasPrefix(prompt) }.map { $0.dropFirst(prompt.count) }
    #expect(!commands.isEmpty)
    return first + "\n" + (try TranscriptTests.run(commands.joined(separator: "\n"), story))
  }
}
