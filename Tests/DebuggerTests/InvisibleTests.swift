// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace
import Support
import Testing

/// What a terminal does not just draw is the same for text and for JSON, which shares no code with it.
@Suite struct InvisibleTests {
  @Test func textAndJSONAgreeOnEveryScalar() {
    var different: [UInt32] = []
    for value in UInt32(0)...0x10ffff {
      guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
      let isRaw = JSON.string(String(Character(scalar))).text.unicodeScalars.count == 3
      if isRaw != Printable.isPlain(scalar) { different.append(value) }
    }
    #expect(different.isEmpty, "\(different.prefix(10))")
  }

  @Test func whatIsEscapedIsReadBack() throws {
    for payload in HostileText.payloads {
      let text = JSON.string(payload).text
      #expect(HostileText.dangers(in: text).isEmpty && !text.contains("\n"), "\(text)")
      #expect(try JSON(parsing: Array(text.utf8)[...]).string == payload)
    }
  }

  @Test func nothingHostileIsPlain() {
    for payload in HostileText.payloads {
      #expect(!Printable.isPlain(payload))
      #expect(HostileText.dangers(in: Printable.line(payload)).isEmpty)
      #expect(HostileText.dangers(in: Printable.text(payload)).isEmpty)
      #expect(!Printable.line(payload).contains("\n"))
    }
    #expect(Printable.isPlain("naïve e\u{301} ❤️ 漢字"))
  }
}
