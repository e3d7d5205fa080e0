// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// A line of source as debuggers of programs write it: `Editor.swift:43`, and perhaps a condition behind
/// `if`.
///
/// `main.c` is each file of that name, in whatever folder; `x/main.c` those in a folder `x`.
struct SourceLine {
  /// The file, or the end of its path from a folder on.
  var file: String
  /// From 1.
  var line: UInt32
  /// What has to hold there besides.
  var condition: String?

  /// Nil for all other text.
  init?(_ typed: String) {
    let parts = typed.cut(at: " if ")
    let text = parts.head
    guard !text.contains(where: { $0 == " " || $0 == "\"" || $0 == "`" || $0 == "(" }),
      let colon = text.lastIndex(of: ":"), text[..<colon].contains("."),
      let line = UInt32(text[text.index(after: colon)...])
    else { return nil }
    (file, self.line) = (String(text[..<colon]), line)
    condition = parts.tail
  }

  /// What is asked of events, without the condition.
  var place: String { "(file == \"\(file)\" || file =~ `*/\(file)`) && line == \(line)" }

  /// What is asked of events.
  var text: String { condition.map { "\(place) && (\($0))" } ?? place }

  /// Whether it means a file of that path.
  func means(_ path: String) -> Bool { path == file || path.hasSuffix("/\(file)") }
}

extension String {
  /// What stands before and behind the first `word` in it.
  fileprivate func cut(at word: String) -> (head: String, tail: String?) {
    let (own, sought) = (Array(self), Array(word))
    for start in own.indices where own[start...].starts(with: sought) {
      return (String(own[..<start]), String(own[(start + sought.count)...]))
    }
    return (self, nil)
  }
}

extension Session {
  /// The nearest lines with events are no more than this.
  private static let nearLinesMax = 3

  /// That no event stands at a line of source, and where some do that are near; nil where one does.
  ///
  /// Costs a search for the first; Ctrl-C ends that, which is said.
  func nothing(at source: SourceLine) throws -> Line? {
    let asking = try asking(source.place)
    let found: EventPlace?
    do throws(SearchInterrupted) {
      found = try player.find(asking.filter, .forward, from: player.timeline.start)
    } catch {
      return "Interrupted: whether an event stands at that line is not known."
    }
    guard found == nil else { return nil }
    let soFar = player.awaitMore == nil ? "" : " so far"
    let place = "\(Printable.line(source.file)):\(source.line)"
    let none = "No event of this recording stands at \(place)\(soFar)"
    let names = player.names
    // Each once, by how far away it is.
    var lines: [String: UInt32] = [:]
    for site in names.sites where site.line > 0 && source.means(names[site.file]) {
      let away = max(site.line, source.line) - min(site.line, source.line)
      lines["\(names[site.file]):\(site.line)"] = away
    }
    guard !lines.isEmpty else {
      let files = Set(names.sites.map { names[$0.file] }).filter { !$0.isEmpty }
      let short = files.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
      let meant = nearest(to: source.file, among: (files + short).sorted())
      let advice =
        meant.map { ": did you mean \(Printable.line($0))?" } ?? ", nor in any such file."
      return Line(none + advice)
    }
    let sorted = lines.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    let some = sorted.prefix(Self.nearLinesMax).map { Printable.line($0) }
    return Line("\(none); the nearest with events: \(Wording.list(some)).")
  }
}
