// SPDX-License-Identifier: Apache-2.0
import Glibc
import LifetraceWords
import Testing

@Suite struct GlobTests {
  /// It means what the C library takes it for, for every pattern of a small world.
  @Test func agreesWithTheCLibrary() {
    let letters = ["a", "b", "*", "?", "[ab]", "[!a]", "[a-b]", "\\*", "/"]
    let names = ["", "a", "b", "ab", "ba", "aab", "abab", "*", "a*", "a/b", "/", "-", "[ab]"]
    for first in letters {
      for second in letters + [""] {
        for third in letters + [""] {
          let pattern = first + second + third
          for name in names {
            #expect(
              Glob(pattern).matches(name) == (fnmatch(pattern, name, 0) == 0),
              "\(pattern) \(name)"
            )
          }
        }
      }
    }
  }

  @Test func anOpenBracketIsALetter() {
    #expect(Glob("a[b").matches("a[b") && Glob("[").matches("["))
    #expect(Glob("[]a]").matches("]") && !Glob("[]a]").matches("b"))
    #expect(
      Glob("a[b").literal == "a[b" && Glob("a\\*").literal == "a*" && Glob("a*").literal == nil
    )
  }

  /// Stars do not make it slow.
  @Test func manyStars() {
    let pattern = String(repeating: "*a", count: 2_000) + "b"
    let name = String(repeating: "a", count: 20_000)
    let start = clock()
    #expect(!Glob(pattern).matches(name))
    #expect(Double(clock() - start) / Double(CLOCKS_PER_SEC) < 20)
  }
}
