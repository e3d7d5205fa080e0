// SPDX-License-Identifier: Apache-2.0
import LifetracePlatform
import LifetraceTrace
import Testing

@testable import LifetraceRecorder

@Suite struct RedactorTests {
  /// What stands in place of a string.
  private func redacted(_ string: String, by pattern: String) throws -> String {
    Redactor([try Redaction(pattern)])(string)
  }

  @Test(arguments: [
    ("/[0-9]+/", "card 4111 of 5222", "card [redacted 1] of [redacted 2]"),
    // Matches nothing at the beginning; what it means stands further on.
    ("/[0-9]*/", "card 4111 of 5222", "card [redacted 1] of [redacted 2]"),
    ("/^c/", "cc", "[redacted 1]c"),
    ("/x*/", "none", "none"),
    ("/a|b/", "aba", "[redacted 1][redacted 2][redacted 1]"),
    ("*secret*", "a secret", "[redacted 1]"),
    ("*secret*", "nothing", "nothing"),
    // A part is enough, wherever it stands.
    ("secret*", "line 0 secret=hunter2", "[redacted 1]"),
    ("hunter?", "secret=hunter2;", "[redacted 1]"),
    ("[0-9][0-9]", "room 7", "room 7"),
    ("[0-9][0-9]", "room 77", "[redacted 1]"),
    ("c:\\\\", "in c:\\temp", "[redacted 1]"),
    ("c:\\", "in c:\\temp", "[redacted 1]"),
    ("/x/", "ex\u{0}x", "e[redacted 1]\u{0}[redacted 1]"),
  ])
  func whatMatchesGoes(pattern: String, string: String, result: String) throws {
    #expect(try redacted(string, by: pattern) == result)
  }

  @Test(arguments: ["/[0-9]{16}/", "*secret*"])
  func ofWhatWasCutNothingStays(pattern: String) throws {
    let redact = Redactor([try Redaction(pattern)])
    #expect(redact("card 4111", isCut: true) == "[cut text redacted 1]")
    #expect(redact("card 5222", isCut: true) == "[cut text redacted 2]")
    #expect(redact("card 4111", isCut: true) == "[cut text redacted 1]")
    #expect(redact("card 4111") == "card 4111")
    #expect(Redactor([])("card 4111", isCut: true) == "card 4111")
  }

  /// Who adopts a session gets what was told as it was told: a piece is a piece.
  @Test func whatWasCutIsKnownToASuccessor() throws {
    let event = RecordedEvent(observer: .recorder) {
      Payload.ProcessExit(cause: $0.name(.part("card 41")), code: 3, evidence: $0.name("11"))
    }
    let post = Submission(subject: .process(7), event: event, time: HostTime(rawValue: 5))
    #expect(try Submission(decoding: post.encoded).event.arguments == event.arguments)
  }
}
