// SPDX-License-Identifier: Apache-2.0
internal import LifetraceTrace

/// What the lines of an app of one's own stand for: its edits, saves, work and marks.
///
///     process: Drafty
///     lines:
///       - line: "edited {object} to version {version}, {bytes} bytes"
///         event: data.dirty
///       - line: "saved {object} v{version}"
///         event: data.durable
///
/// So that the log of a phone says whether data was lost, though nothing of the SDK ran there.
package struct LogMap: Sendable {
  /// An event that a line may stand for.
  package enum Kind: String, CaseIterable, Sendable {
    case dirty = "data.dirty"
    case flushing = "data.flushing"
    case durable = "data.durable"
    case restored = "data.restored"
    case failed = "data.failed"
    case discarded = "data.discarded"
    case workBegin = "work.begin"
    case workEnd = "work.end"
    case mark

    var isData: Bool { rawValue.hasPrefix("data.") }
  }

  /// A pattern, and the event of the lines that it fits.
  package struct Rule: Sendable {
    package var pattern: LogLinePattern
    package var kind: Kind
    /// The object or the name, where the line does not say it.
    var subject = ""
    /// What a save reaches.
    var level = DurabilityLevel.kernel
    /// What work does.
    var work = WorkKind.other
    /// Whether it is the main thread's.
    var isMain = false
    /// The line of the map.
    package var line = 0
  }

  /// The process whose lines are looked at; nil for all that are not the system's.
  package internal(set) var process: String?
  package internal(set) var rules: [Rule] = []

  /// Whether lines of a process of that name are looked at.
  func isAbout(_ name: String) -> Bool {
    process.map { $0 == name } ?? !LogApps.systemProcesses.contains(name)
  }

  /// The first rule that `message` fits, and what its groups take.
  func match(_ message: LogText) -> (rule: Int, captures: LogCaptures)? {
    for index in rules.indices {
      if let captures = rules[index].pattern.match(message) { return (index, captures) }
    }
    return nil
  }
}

/// How often each pattern of a map has fitted a line, for a rehearsal.
package struct LogMapHits: Sendable {
  /// The lines that one pattern fits.
  package struct Hit: Sendable {
    package var count = 0
    /// Where the first of them stands: `phone.log:12`.
    package var place = ""
    /// What its groups took there.
    package var groups = ""
  }

  /// By rule.
  package var hits: [Hit]
  /// Lines that were looked at and that no pattern fits.
  package var missed = 0
  /// The first of them, and where it stands.
  package var sample = ""

  init(rules: Int) { hits = Array(repeating: Hit(), count: rules) }

  mutating func add(_ captures: LogCaptures, of rule: Int, line: Int) {
    hits[rule].count += 1
    guard hits[rule].count == 1 else { return }
    hits[rule].place = "\(line)"
    var groups: [String] = []
    for (name, text) in [
      ("object", captures.object), ("name", captures.name), ("why", captures.why),
    ] {
      if let text { groups.append("\(name)=\(text.string(limit: 80))") }
    }
    if let version = captures.version { groups.append("version=\(version)") }
    if let bytes = captures.bytes { groups.append("bytes=\(bytes)") }
    hits[rule].groups = groups.joined(separator: "  ")
  }

  mutating func miss(_ message: LogText, line: Int) {
    missed += 1
    if missed == 1 { sample = "\(line): \(message.until(0x0A).string(limit: 100))" }
  }

  /// Adds those of another file; its places get the name of it.
  mutating func add(_ other: LogMapHits, of file: String) {
    for index in hits.indices {
      if hits[index].count == 0, other.hits[index].count > 0 {
        hits[index].place = "\(file):\(other.hits[index].place)"
        hits[index].groups = other.hits[index].groups
      }
      hits[index].count += other.hits[index].count
    }
    if missed == 0, other.missed > 0 { sample = "\(file):\(other.sample)" }
    missed += other.missed
  }
}

extension LogMapHits {
  /// A row a pattern, and what no pattern fits: for the terminal.
  package func table(of map: LogMap, named file: String) -> [String] {
    var rows = [["hits", "first", "event", "pattern"]]
    for (rule, hit) in zip(map.rules, hits) {
      let nothing = hit.count == 0 ? "   (\(file):\(rule.line))" : ""
      rows.append([
        Quantity.grouped(hit.count), hit.count == 0 ? "-" : Printable.line(hit.place),
        rule.kind.rawValue, Printable.line(rule.pattern.text + nothing),
      ])
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    var out: [String] = []
    for (index, row) in rows.enumerated() {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      out.append((cells + [row[3]]).joined(separator: "  "))
      guard index > 0, !hits[index - 1].groups.isEmpty else { continue }
      let indent = String(repeating: " ", count: widths.reduce(0, +) + 6)
      out.append(indent + Printable.line(hits[index - 1].groups))
    }
    let who = map.process.map { "of \(Printable.line($0)) " } ?? ""
    guard missed > 0 else { return out + ["Every line \(who)fits a pattern."] }
    let count = Quantity.count(UInt64(missed), "line")
    return out + ["\(count) \(who)fit no pattern, such as \(Printable.line(sample))"]
  }
}
