// SPDX-License-Identifier: Apache-2.0
import Support
import TestThreads
import Testing

/// What Tab completes in bash, with the script that lifetrace prints.
@Suite(.waits) struct CompletionTests {
  /// What is proposed for the last of `words`, in a folder with a recording, a scenario and a folder.
  private func proposed(_ words: String) throws -> Set<String> {
    let result = shell(
      """
      mkdir scenes; touch demo.lifetrace demo.yml scenes/lost.yml
      lifetrace --generate-completion-script bash >script
      cat >try.bash <<'END'
      PATH="${lt%/*}:$PATH"
      source ./script
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
      compopt() { :; }
      $(complete -p lifetrace | sed 's/.*-F \\([^ ]*\\).*/\\1/') lifetrace "${@: -1}" "${@: -2:1}"
      printf '%s\\n' "${COMPREPLY[@]}"
      END
      export lt; bash try.bash \(words)
      """,
      in: try TestFolder()
    )
    return Set(result.output.split(separator: "\n").map { String($0.filter { $0 != " " }) })
  }

  @Test(arguments: [
    ("lifetrace check de", "demo.lifetrace"), ("lifetrace record --scenario de", "demo.yml"),
    ("lifetrace record -o de", "demo.lifetrace"), ("lifetrace explore de", "demo.yml"),
    ("lifetrace check --format j", "junit"), ("lifetrace check --profile ios2", "ios26"),
    ("lifetrace check --rules DS0", "DS02"), ("lifetrace check --fail-on w", "warning"),
    ("lifetrace check --config de", "demo.yml"), ("lifetrace explore --in s", "suspended"),
    ("lifetrace explore --acts p", "purge"), ("lifetrace rules D", "DS"),
    ("lifetrace scenario check de", "demo.yml"),
  ])
  func wordIsProposed(line: String, word: String) throws {
    let words = try proposed(line)
    #expect(words.contains(word), "\(words)")
  }
}
