// SPDX-License-Identifier: Apache-2.0

/// What is known of a pattern: a row of the one table that the sites of events, the page
/// `PATTERNS.md` and the tests are made from.
package struct LogPatternInfo: Sendable {
  /// How sure the event is.
  package enum Certainty: String, Sendable {
    /// The line says it.
    case told = "told"
    /// It follows from the line; the event is marked as inferred.
    case inferred = "inferred"
    /// The line says it of a moment before, or for somebody else: it waits for a second line.
    case hint = "hint"
  }

  /// The words of the log by which a line is recognised; they name the sites of its events.
  package let words: String
  /// Who writes the line.
  package let writer: String
  /// What becomes of it.
  package let event: String
  /// How sure that is.
  package let certainty: Certainty
  /// A message with such words, as a device writes it.
  package let example: String

  init(_ words: String, by writer: String, _ event: String, _ example: String) {
    self.init(words, by: writer, event, .told, example)
  }

  init(
    _ words: String,
    by writer: String,
    _ event: String,
    _ certainty: Certainty,
    _ example: String
  ) {
    self.words = words
    self.writer = writer
    self.event = event
    self.certainty = certainty
    self.example = example
  }
}

extension LogPattern {
  /// The row of the table.
  var info: LogPatternInfo { Self.table[Int(rawValue)] }

  /// The words of the log by which a line was recognised.
  var words: String { info.words }

  /// All patterns, in the order of their numbers.
  package static let table: [LogPatternInfo] = allCases.map(\.row)

  private var row: LogPatternInfo {
    isOwn ? ownRow : isReported ? reportRow : systemRow
  }

  static let appItself = "the app"
  static let taskWords =
    "<_UIBackgroundTaskInfo: 0x1>: taskID = 3, taskName = Save, creationTime = 64 (elapsed = 26)"
  static let targetWords = "[app<org.example.notes(0A-1)>:44]"
  static let sceneWords = "[0x86c:(FBSceneManager):sceneID:org.example.notes-default]"

  func callback(_ state: String, _ certainty: LogPatternInfo.Certainty, _ method: String)
    -> LogPatternInfo
  {
    .init(
      method,
      by: "the app, in any text",
      state,
      certainty,
      "application\(method.capitalizedFirst):"
    )
  }

  /// The page of all patterns, `PATTERNS.md`, as Markdown.
  package static var markdown: String {
    var out = [
      "# What an import understands of a log", "",
      "Made from the table of patterns. A line is recognised by its words, whatever the tool that",
      "printed it; what is not listed here is read past. *Told* is an event that the line itself",
      "reports; *inferred* follows from it and is marked so in the trace; a *hint* makes no event of its",
      "own and completes another line's.",
    ]
    let groups: [(String, (LogPattern) -> Bool)] = [
      ("Lines of the app", { $0.isOwn }),
      ("Lines of the system", { !$0.isOwn && !$0.isReported }),
      ("Reports of the system", { $0.isReported }),
    ]
    for (title, isIn) in groups {
      out += ["", "## \(title)", "", "| words | by | event | certainty |", "|---|---|---|---|"]
      for pattern in allCases where isIn(pattern) {
        let info = pattern.info
        out.append(
          "| `\(info.words)` | \(info.writer) | \(info.event) | \(info.certainty.rawValue) |"
        )
      }
    }
    out += [
      "",
      "A crash report alone says nothing of what came before: its stream begins at the deadline that was",
      "missed, or at the end, but for a launch that never ended. Tried on reports of devices: a crash report in",
      "text (iOS 11) and a JetsamEvent (iOS 10, some processes of it). Made in the documented shape, and not",
      "tried on one of a device: `.ips`, MetricKit, the metadata lines of Xcode 15, reports of iOS 13 and",
      "later in text.", "", "## Lines of an app of one's own", "",
      "`lifetrace import auto LOG --map map.yml -o OUT` reads such lines as events: so the log of a phone",
      "holds the edits and saves of the app, and DS01 and DS02 are judged on it. `lifetrace import dry-run",
      "--map map.yml LOG` shows what each pattern finds, and writes nothing.", "", "```yaml",
      "process: Drafty", "lines:",
      "  - line: \"edited {object} to version {version}, {bytes} bytes\"", "    event: data.dirty",
      "  - line: \"saved {object} v{version}\"", "    event: data.durable", "    level: disk",
      "```", "",
      "| key | what it says |", "|---|---|",
    ]
    out += LogMap.keys.map { "| `\($0.name)` | \($0.summary) |" }
    out += ["", "| key of a pattern | what it says |", "|---|---|"]
    out += LogMap.lineKeys.map { "| `\($0.name)` | \($0.summary) |" }
    out += ["", "## An example of each", "", "```"]
    out += allCases.map(\.info.example).filter { !$0.isEmpty }
    return (out + ["```"]).joined(separator: "\n") + "\n"
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
