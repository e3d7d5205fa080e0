// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle

extension Scenario {
  /// The page of all steps, `STEPS.md`, as Markdown.
  package static var markdown: String {
    var out = [
      "# Scenario files", "",
      "Made from the tables of the parser (`lifetrace scenario steps` prints the same;",
      "`scenario.schema.json` completes them in an editor). [PROTOCOL.md](PROTOCOL.md) says what the",
      "steps do to an app.", "", "## The file", "", "| key | what it says |", "|---|---|",
    ]
    out += keys.map { "| `\($0.name)` | \($0.summary) |" }
    out += [
      "", "## The steps", "",
      "A list: of names (`- home`), or of names with one value (`- wait: 500ms`) or with parameters",
      "(`- wait: {until: active}`). Each takes `app: NAME` too, where there are several; without it, it",
      "is about the app that was named last.",
    ]
    for name in StepName.allCases { out += [""] + name.markdown }
    return out.joined(separator: "\n") + "\n"
  }
}

extension StepName {
  fileprivate var markdown: [String] {
    var out = ["### \(rawValue)", "", info.summary]
    let parameters = info.parameters.filter { $0.name != "app" }
    if !parameters.isEmpty { out += ["", "| parameter | |", "|---|---|"] }
    for parameter in parameters {
      var line =
        "| `\(parameter.name)`\(parameter.required ? "" : " (optional)") | \(parameter.summary)"
      if let words = parameter.type.words {
        line += "; one of " + words.map { "`\($0)`" }.joined(separator: ", ")
      }
      out.append(line + " |")
    }
    return out + ["", "```yaml"] + examples + ["```"]
  }
}

extension Configuration {
  /// The page of `lifetrace.yml` and its thresholds, `CONFIGURATION.md`, as Markdown.
  package static var markdown: String {
    var out = [
      "# lifetrace.yml", "",
      "Made from the tables of the parser. `check` and `record` read `lifetrace.yml` in the current",
      "directory, or the file after `--config`; a wrong one is told with line and column, and exit code",
      "78. `lifetrace init` writes one, and with `--keys` prints this page. A scenario is played and its expectations are judged by it too",
      "(a `kill` is when the host kills), unless the scenario names a `profile` of its own, which then has",
      "these thresholds. Tests that play scenarios in virtual time are judged by the file in their own",
      "folder, or the nearest above within their package: `redact` and `data` say nothing to them.",
      "",
      "| key | what it says |", "|---|---|",
    ]
    out += keys.map { "| `\($0.name)` | \($0.summary) |" }
    out += OwnRulesPage.markdown
    for profile in Profile.all {
      out += ["", "## Thresholds of `\(profile.name)`", ""]
      guard profile.remark.isEmpty else {
        out.append(profile.remark)
        continue
      }
      out += ["```"] + Threshold.table(of: profile) + ["```"]
    }
    return out.joined(separator: "\n") + "\n"
  }
}
