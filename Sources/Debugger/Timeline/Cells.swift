// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceWords

/// The columns of one line of a timeline.
struct Cells {
  private(set) var glyphs: [(glyph: String, style: Style)?]
  /// When what a column shows happened, where it shows an instant.
  private var times: [Int64?]
  /// What found no room, and how many of that is lost data.
  private(set) var hidden = 0
  private(set) var hiddenLosses = 0

  /// An instant is moved by no more columns than this before it is only counted.
  private static let nudgeMax = 2

  init(width: Int) {
    glyphs = Array(repeating: nil, count: width)
    times = Array(repeating: nil, count: width)
  }

  /// Draws intervals: of several in a column, what fills most of it, and of those the innermost.
  mutating func draw(_ bars: [Bar], _ scale: Axis.Scale, _ table: Glyphs) -> Set<String> {
    var best = Array(repeating: 0.0, count: glyphs.count)
    var used: [String?] = Array(repeating: nil, count: glyphs.count)
    for bar in bars {
      let (from, to) = (scale.place(of: bar.begin), scale.place(of: bar.end))
      let first = column(from)
      let last = max(first, min(glyphs.count - 1, Int(to.rounded(.up)) - 1))
      for column in first...last {
        let part = max(0.001, min(to, Double(column + 1)) - max(from, Double(column)))
        let score = min(part, 0.5) + Double(bar.depth) * 0.001 + part * 0.0001
        guard score > best[column] else { continue }
        best[column] = score
        let look = table.bar(bar.look, count: bar.count)
        glyphs[column] = (look.glyph, look.style)
        used[column] = look.word
      }
    }
    return Set(used.compactMap { $0 })
  }

  /// Draws instants over them, the grave ones first; returns what is shown.
  mutating func draw(_ instants: [Instant], _ scale: Axis.Scale, _ table: Glyphs) -> Set<
    Instant.Kind
  > {
    var used: Set<Instant.Kind> = []
    for isGrave in [true, false] {
      for mark in instants where mark.kind.isGrave == isGrave {
        let look = table.mark(mark.kind)
        let isLoss = mark.kind == .lost || mark.kind == .maybeLost
        var more = Int(mark.count)
        if put(look.glyph, look.style, at: column(scale.place(of: mark.time)), mark.time) {
          used.insert(mark.kind)
          // A gap in the numbers is one mark, however many events it swallowed.
          more = mark.kind == .eventsLost ? 0 : more - 1
        }
        hidden += more
        if isLoss { hiddenLosses += more }
      }
    }
    return used
  }

  /// Puts text where it is free, or a little beside that; false where there is no room.
  ///
  /// `apart` columns around it have to be free, too: numbers must not run together.
  mutating func put(
    _ text: String,
    _ style: Style,
    at column: Int,
    _ time: Int64,
    apart: Int = 0
  ) -> Bool {
    let length = text.count
    for step in 0...Self.nudgeMax {
      for place in step == 0 ? [column] : [column + step, column - step] {
        guard place >= 0, place + length <= glyphs.count,
          isFree(max(0, place - apart)..<min(glyphs.count, place + length + apart)),
          isInOrder(place, length, time)
        else { continue }
        for (offset, character) in text.enumerated() {
          glyphs[place + offset] = (String(character), style)
          times[place + offset] = time
        }
        return true
      }
    }
    return false
  }

  private func isFree(_ columns: Range<Int>) -> Bool { columns.allSatisfy { times[$0] == nil } }

  /// Whether what stands nearby stays on its side in time.
  private func isInOrder(_ place: Int, _ length: Int, _ time: Int64) -> Bool {
    let before = max(0, place - Self.nudgeMax)..<place
    let behind = place + length..<min(times.count, place + length + Self.nudgeMax)
    return before.allSatisfy { times[$0].map { $0 <= time } ?? true }
      && behind.allSatisfy { times[$0].map { $0 >= time } ?? true }
  }

  mutating func count(_ more: Int) { hidden += more }

  private func column(_ place: Double) -> Int { max(0, min(glyphs.count - 1, Int(place))) }

  /// The columns as a line, with what is only counted behind them.
  func line(_ title: String, _ style: Style, _ table: Glyphs) -> Line {
    var line: Line = "\(title, style)\(table.border, .faint)"
    let last = hidden > 0 ? glyphs.count - 1 : glyphs.lastIndex { $0 != nil } ?? -1
    var run = ""
    var runStyle = Style.plain
    for column in 0..<(last + 1) {
      let (glyph, style) = glyphs[column] ?? (" ", runStyle)
      if style != runStyle {
        line = "\(line)\(run, runStyle)"
        (run, runStyle) = ("", style)
      }
      run += glyph
    }
    line = "\(line)\(run, runStyle)"
    guard hidden > 0 else { return line }
    return "\(line) \(Self.counted(hidden), .strong)"
  }

  /// The columns that a count behind a line takes.
  static let countedWidth = 5

  static func counted(_ count: Int) -> String { count < 1_000 ? "+\(count)" : "+999" }
}
