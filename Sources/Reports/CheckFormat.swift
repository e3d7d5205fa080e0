// SPDX-License-Identifier: Apache-2.0

/// A form in which `check` prints what it found.
///
///     let format = CheckFormat.named("junit")!
///     print(format.head(report) + format.write(.judged(facts), report) + format.foot(report))
///
/// A form for programs may be one document over several checks: then it has a head and a foot. A
/// new one is a file that writes ``Checked`` and a line in ``all``; `--format`, its help and the
/// completion of the shell follow.
package struct CheckFormat: Sendable {
  /// As `--format` takes it.
  package let name: String
  /// Its purpose; empty where the name says it.
  package let purpose: String
  /// Whether people read it: then remarks may stand around it.
  package let isForPeople: Bool
  /// What stands before the first check.
  package var head: @Sendable (CheckReport) -> String = { _ in "" }
  /// All lines about one check.
  package let write: @Sendable (Checked, CheckReport) -> String
  /// What stands behind the last check.
  package var foot: @Sendable (CheckReport) -> String = { _ in "" }

  /// In the order in which help lists them.
  package static let all = [text, jsonLines, junit, sarif, gitHub, markdown]

  /// A story in lines.
  package static let text = CheckFormat(name: "text", purpose: "", isForPeople: true) {
    $0.text(verbose: $1.verbose)
  }

  private static let jsonLines = CheckFormat(
    name: "jsonl",
    purpose: "for one JSON object a verdict",
    isForPeople: false
  ) { checked, _ in checked.jsonLines }

  private static let junit = CheckFormat(
    name: "junit",
    purpose: "for a test case a rule and app, in XML",
    isForPeople: false,
    head: { _ in JUnit.head },
    write: { $0.junit($1) },
    foot: { _ in JUnit.foot }
  )

  private static let sarif = CheckFormat(
    name: "sarif",
    purpose: "for code scanning, SARIF 2.1.0",
    isForPeople: false,
    head: { _ in SARIF.head },
    write: { $0.sarif($1) },
    foot: { _ in SARIF.foot }
  )

  private static let gitHub = CheckFormat(
    name: "github",
    purpose: "for annotations of GitHub Actions",
    isForPeople: false
  ) { $0.gitHub($1) }

  private static let markdown = CheckFormat(
    name: "markdown",
    purpose: "for the summary of a build",
    isForPeople: false
  ) { $0.markdown($1) }

  /// All of them in words: `text, jsonl for one JSON object a verdict, or …`.
  package static var purposes: String {
    let all = all.map { $0.purpose.isEmpty ? $0.name : "\($0.name) \($0.purpose)" }
    return all.dropLast().joined(separator: ", ") + ", or " + (all.last ?? "")
  }

  /// The form of that name, or nil.
  package static func named(_ name: String) -> CheckFormat? { all.first { $0.name == name } }
}
