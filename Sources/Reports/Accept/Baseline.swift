// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceRules

/// The violations and doubts that are known from an earlier check: only others are new.
///
///     {"baseline":1}
///     {"rule":"DS01","level":"error","app":"notes","names":["draft.txt"],"file":"Notes/Editor.swift","text":"draft = text"}
///
/// A file of one JSON object a line, in an order of its own, so that it can be kept beside the
/// sources and its changes can be read.
package struct Baseline: Sendable {
  /// The format of the file.
  private static let version: Int64 = 1

  /// One that is known, and how grave it was: a graver one is new.
  struct Entry: Hashable, Sendable {
    var fingerprint: Fingerprint
    var level: Level
  }

  /// How grave a finding is; a doubt is the least.
  enum Level: String, Comparable, CaseIterable, Sendable {
    case undecidable, info, warning, error

    static func < (left: Level, right: Level) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }

    init(_ verdict: Verdict) {
      guard verdict.outcome == .violated else { self = .undecidable; return }
      switch verdict.severity {
      case .info: self = .info
      case .warning: self = .warning
      case .error: self = .error
      }
    }
  }

  /// What was found, in the order of the file.
  private(set) var entries: [Entry] = []

  /// How many it holds.
  package var count: Int { entries.count }

  /// One that knows nothing.
  package init() {}

  /// Reads a file's text.
  /// - Throws: ``BaselineError`` with the line that is wrong.
  package init(parsing text: String) throws(BaselineError) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      guard let object = try? JSON(parsing: line.utf8) else {
        throw BaselineError(line: index + 1, problem: "it is not a JSON object")
      }
      if entries.isEmpty, let version = object["baseline"] {
        guard version.int == Self.version else {
          throw BaselineError(line: index + 1, problem: "a newer lifetrace has written it")
        }
        continue
      }
      guard let entry = Entry(object) else {
        throw BaselineError(
          line: index + 1,
          problem: "it lacks rule, level, app, names, file or text"
        )
      }
      entries.append(entry)
    }
  }

  /// Adds what was found in a recording.
  package mutating func add(_ facts: CheckFacts, _ report: CheckReport) {
    // A note too: it stands for itself where what it is under is mended, or accepted.
    let found = facts.allFindings.map {
      Entry(fingerprint: Fingerprint($0, report), level: Level($0))
    }
    entries = Set(entries + found).sorted { $0.json.text < $1.json.text }
  }

  /// Its file.
  package var text: String {
    let head = JSON.object([("baseline", .int(Self.version))])
    return ([head] + entries.map(\.json)).map { $0.text + "\n" }.joined()
  }

  /// Which of them, if any, a finding is.
  func index(of verdict: Verdict, _ report: CheckReport) -> Int? {
    let (print, level) = (Fingerprint(verdict, report), Level(verdict))
    return entries.firstIndex { level <= $0.level && $0.fingerprint.isLike(print) }
  }
}

/// Why a file is no baseline.
package struct BaselineError: Error, Sendable, CustomStringConvertible {
  package var line: Int
  package var problem: String

  /// What is wrong, and what would do.
  package var description: String {
    "line \(line): \(problem); lifetrace check --write-baseline FILE writes one"
  }
}

extension Baseline.Entry {
  fileprivate init?(_ json: JSON) {
    guard let rule = json["rule"]?.string,
      let level = json["level"]?.string.flatMap(Baseline.Level.init),
      let app = json["app"]?.string, let names = json["names"]?.array,
      let file = json["file"]?.string, let text = json["text"]?.string
    else { return nil }
    self.init(
      fingerprint: Fingerprint(
        rule: rule,
        app: app,
        names: names.compactMap(\.string),
        file: file,
        text: text
      ),
      level: level
    )
  }

  fileprivate var json: JSON {
    .object([
      ("rule", .string(fingerprint.rule)), ("level", .string(level.rawValue)),
      ("app", .string(fingerprint.app)), ("names", .array(fingerprint.names.map(JSON.string))),
      ("file", .string(fingerprint.file)), ("text", .string(fingerprint.text)),
    ])
  }
}
