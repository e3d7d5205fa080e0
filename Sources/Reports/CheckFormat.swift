// SPDX-License-Identifier: Apache-2.0

/// A form in which `check` prints what it found.
///
///     CheckFormat.named("jsonl")?.write(facts, false)
///
/// A new one is a file that writes ``CheckFacts`` and a line in ``all``; `--format`, its help and
/// the completion of the shell follow.
package struct CheckFormat: Sendable {
  /// As `--format` takes it.
  package let name: String
  /// Its purpose; empty where the name says it.
  package let purpose: String
  /// Whether people read it: then remarks may stand around it.
  package let isForPeople: Bool
  /// All lines about one set of verdicts; the flag asks for more words, where there are any.
  package let write: @Sendable (CheckFacts, Bool) -> String

  /// In the order in which help lists them.
  package static let all = [text, jsonLines]

  /// A story in lines.
  package static let text = CheckFormat(name: "text", purpose: "", isForPeople: true) {
    $0.text(verbose: $1)
  }

  private static let jsonLines = CheckFormat(
    name: "jsonl",
    purpose: "for one JSON object a verdict",
    isForPeople: false
  ) { facts, _ in facts.jsonLines }

  /// All of them in words: `text, or jsonl for one JSON object a verdict`.
  package static var purposes: String {
    all.map { $0.purpose.isEmpty ? $0.name : "\($0.name) \($0.purpose)" }.joined(separator: ", or ")
  }

  /// The form of that name, or nil.
  package static func named(_ name: String) -> CheckFormat? { all.first { $0.name == name } }
}
