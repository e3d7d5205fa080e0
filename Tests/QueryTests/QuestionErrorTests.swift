// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import LifetraceQuery

/// What is wrong with an expression is said where it is wrong, with what would have done.
@Suite struct QuestionErrorTests {
  @Test(arguments: [
    ("data.dirty && bytes > 3s", "bytes > 3s", "bytes is a size; 3s is a length of time: compare"),
    ("objct == \"x\"", "objct", "there is no field and no kind objct: did you mean object?"),
    ("stat == active", "stat", "there is no field and no kind stat: did you mean state?"),
    ("active == stat", "stat", "there is no field and no kind stat: did you mean state?"),
    ("durty", "durty", "did you mean dirty?"),
    ("state == suspnded", "suspnded", "is not a state of the app: did you mean suspended?"),
    ("data.drity", "data.drity", "did you mean data.dirty?"),
    ("object == draft", "draft", "A name is quoted: \"draft\""),
    ("object > \"a\"", "object > \"a\"", "a name is neither more nor less than another"),
    ("bytes =~ `*`", "bytes", "bytes is a size; a pattern is for names"),
    ("bytes", "bytes", "bytes is a size, where true or false was wanted"),
    ("bytes = 3", "=", "to compare, write =="),
    ("bytes > 3 4", "4", "4 was not expected here"),
    ("(dirty", "", "a ( is open"),
    ("object == \"draft", "\"draft", "a \" is open at the end"),
    ("1 < version < 3", "<", "one comparison at a time"),
    ("any dat where unsaved > 0", "dat", "there is no table dat: did you mean data?"),
    ("any data where unsved > 0", "unsved", "did you mean unsaved?"),
    ("any data where unsaved", "unsaved", "unsaved is a size"),
    ("data(\"x\").unsavd > 0", "unsavd", "did you mean unsaved?"),
    ("data(3).unsaved > 0", "3", "are found by their object; 3 is a number"),
    ("data(\"x\")", "data", "of a row one field is asked: there is: object, version"),
    ("before.bytes > 3", "bytes", "bytes is of the event"),
    ("bytes > 3parsec", "3parsec", "units are ns, us"),
    ("name =~ main", "main", "=~ is followed by a pattern"),
    ("version in 3", "3", "in is followed by a set"),
    ("", "", "there is no expression"),
    ("object == 3", "3", "object is a name; 3 is a number: compare a name with"),
    ("any data where any tasks", "tasks", "rows within rows are not asked"),
    (
      "bytes > 99999999999999999999999999", "99999999999999999999999999",
      "is more than a number can be: the greatest is 9223372036854775807"
    ),
    ("took > 3kB", "3kB", "took is a length of time; 3kB is a size"),
    ("'a'", "'", "texts stand in double quotes"),
    ("!", "", "was not expected here"),
  ])
  func anErrorNamesThePlaceAndWhatWouldHaveDone(_ text: String, _ place: String, _ words: String) {
    do throws(QueryError) {
      _ = try Question(condition: text)
      Issue.record("\(text) was compiled")
    } catch {
      #expect(error.sentence.contains(words), "\(text): \(error.sentence)")
      let meant = String(Array(text)[min(error.range.lowerBound, text.count)...])
      #expect(meant.hasPrefix(place.hasPrefix("bytes > 3s") ? "3s" : place), "\(text): \(meant)")
    }
  }

  @Test func aQuestionEndsWithItsOwnMark() throws {
    let meant = #expect(throws: QueryError.self) { try Question(condition: "durty") }
    #expect(meant?.ended.hasSuffix("did you mean dirty?") == true)
    let other = #expect(throws: QueryError.self) { try Question(condition: "bytes = 3") }
    #expect(other?.ended.hasSuffix("to compare, write ==.") == true)
  }

  @Test func theCaretStandsBelowTheLineThatIsMeant() throws {
    let text = "dirty &&\n\tbytes > 3s"
    let error = #expect(throws: QueryError.self) { try Question(condition: text) }
    #expect(error?.marked(in: text) == ["\tbytes > 3s", "\t        ^~"])
    #expect(try #require(error).place(in: text) == (2, 10))
  }

  /// Programs are called so, and a field behind the name is still one.
  @Test func aNameMayHaveANumberBehindAPeriod() throws {
    let tokens = try Lexer.tokens("python3.11#2.state == active && took > 1.5ms")
    let kinds = tokens.map { $0.kind }
    #expect(kinds[0] == .word("python3.11#2"))
    #expect(kinds[1] == .sign("."))
    #expect(kinds[2] == .word("state"))
    #expect(kinds.contains(.number("1.5ms")))
  }

  /// Whatever is typed, the compiler answers; nothing is deeper than its stack.
  @Test func strangeTextsAreRefusedAtOnce() {
    let strange = [
      String(repeating: "(", count: 4_000), String(repeating: "a(", count: 2_000),
      String(repeating: "[", count: 4_000), String(repeating: "!", count: 4_000),
      String(repeating: "-", count: 4_000), String(repeating: "any data where ", count: 270),
      String(repeating: "before.", count: 500), String(repeating: "x", count: 100_000),
      String(repeating: "(version != (", count: 300), "\u{0}", "\"\\", "0x", "9223372036854775808",
      String(repeating: "true || ", count: 500) + "true",
      String(repeating: "version + ", count: 400) + "1 > 2",
    ]
    for text in strange { _ = try? Question(text) }
  }
}
