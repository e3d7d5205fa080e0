// SPDX-License-Identifier: Apache-2.0
import Glibc
import TestThreads
import Testing

/// How the tool answers words that it does not understand: one style, with what would have done.
@Suite(.waits) struct UsageTests {
  private func run(_ arguments: String) -> (status: Int32, output: String) {
    shell("lifetrace \(arguments)")
  }

  @Test(arguments: [
    ("chek x", "lifetrace: there is no command `chek`\n  did you mean `check`?\n"),
    ("help chek", "lifetrace: there is no command `chek`\n  did you mean `check`?\n"),
    (
      "help import consle",
      "lifetrace: there is no command `import consle`\n  did you mean `console`?\n"
    ),
    (
      "lossmap x",
      "lifetrace: `lossmap` is a command of `lifetrace replay`\n  To give it there: lifetrace replay FILE\n"
    ),
    (
      "import consle", "lifetrace: there is no command `import consle`\n  did you mean `console`?\n"
    ),
  ])
  func aMisspeltCommandIsNamed(words: String, answer: String) {
    let result = run(words)
    #expect(result.status == 64)
    #expect(result.output == answer)
  }

  @Test(arguments: [
    ("check", "which recording? lifetrace check FILE..."), ("check --nonsense x", "unknown option"),
    ("check --profile iosx x", "there are classic"), ("dump --from soon x", "is not a time"),
    ("record --last 30 -- true", "a time with its unit"),
    ("record --max-size 1 -- true", "--max-size is at least 16KiB"),
    ("record --max-size 16383 -- true", "--max-size is at least 16KiB"),
    ("record --redact '/[/' -- true", "a [ is not closed"),
    ("repair x", "missing expected argument"),
  ])
  func wrongUsageLooksAlike(words: String, what: String) {
    let result = run(words)
    let command = words.prefix { $0 != " " }
    #expect(result.status == 64)
    #expect(result.output.hasPrefix("lifetrace: "), "\(result.output)")
    #expect(result.output.contains(what), "\(result.output)")
    #expect(!result.output.contains("Error:"), "\(result.output)")
    #expect(
      result.output.hasSuffix("  For more: lifetrace \(command) --help\n"),
      "\(result.output)"
    )
  }

  @Test func helpIsAnAnswer() {
    for words in [
      "--help", "help", "help check", "help import story", "check --help", "--version", "",
    ] {
      let result = run(words)
      #expect(result.status == 0 && !result.output.contains("lifetrace: "), "\(result.output)")
    }
  }
}
