// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceWords

/// The columns of one line of a timeline.
struct Cells {
  private(set) var glyphs: [(glyph: String, style: Style)?]
  /// When what a column shows happened, where it shows an instant.
  private var times: [Int64?]
  /// Which interval a column shows; nil where it shows an instant or nothing.
  private(set) var owners: [Int?]
  /// What found no room, and how many of that is lost data.
  private(set) var hidden = 0
  private(set) var hiddenLosses = 0

  /// An instant is moved by no more columns than this before it is only counted.
  private static let nudgeMax = 2

  init(width: Int) {
    glyphs = Array(repeating: nil, count: width)
    times = Array(repeating: nil, count: width)
    owners = Array(repeating: nil, count: width)
  }

  /// Draws intervals: of several in a column, what fills most of it, and of those the innermost.
  mutating func draw(_ bars: [Bar], _ scale: Axis.Scale, _ table: Glyphs) {
    var best = Array(repeating: 0.0, count: glyphs.count)
    for (number, bar) in bars.enumerated() {
      let (from, to) = (scale.place(of: bar.begin), scale.place(of: bar.end))
      for column in columns(of: bar, scale) {
        let part = max(0.001, min(to, Double(column + 1)) - max(from, Double(column)))
        let score = min(part, 0.5) + Double(bar.depth) * 0.001 + part * 0.0001
        guard score > best[column] else { continue }
        best[column] = score
        show(number, of: bars, in: column, table)
      }
    }
  }

  /// Which columns an interval falls into, one at least.
  private func columns(of bar: Bar, _ scale: Axis.Scale) -> ClosedRange<Int> {
    let first = column(scale.place(of: bar.begin))
    let last = Int(scale.place(of: bar.end).rounded(.up)) - 1
    return first...max(first, min(glyphs.count - 1, last))
  }

  private mutating func show(_ number: Int, of bars: [Bar], in column: Int, _ table: Glyphs) {
    let look = table.bar(bars[number].look, count: bars[number].count)
    glyphs[column] = (look.glyph, look.style)
    owners[column] = number
  }

  // MARK: Short intervals

  /// Gives short intervals a column of their own, where a longer one has more than it needs; returns
  /// which found none.
  ///
  /// To be called when all else is drawn: instants hide what lasts no longer than they are wide. An
  /// interval moves aside over instants alone, so that what a line shows stays in order.
  mutating func reveal(_ bars: [Bar], _ scale: Axis.Scale, _ table: Glyphs) -> [Bar] {
    var shown = Array(repeating: 0, count: bars.count)
    for owner in owners { if let owner { shown[owner] += 1 } }
    var hidden: [Bar] = []
    // That a process runs says less than the state that its app is in.
    let order =
      bars.indices.filter { bars[$0].look != .running }
      + bars.indices.filter { bars[$0].look == .running }
    for number in order where shown[number] == 0 {
      let bar = bars[number]
      let own = columns(of: bar, scale)
      let isSeen = own.contains { column in
        owners[column].map { bars[$0].look == bar.look } ?? false
      }
      guard !isSeen else { continue }
      let free = places(own).first { column in owners[column].map { shown[$0] > 1 } ?? false }
      guard let free, let before = owners[free] else {
        hidden.append(bar)
        continue
      }
      shown[before] -= 1
      shown[number] = 1
      show(number, of: bars, in: free, table)
    }
    return hidden
  }

  /// The columns of an interval, and the next one on both sides behind instants.
  private func places(_ own: ClosedRange<Int>) -> [Int] {
    func beside(_ from: Int, _ step: Int) -> Int? {
      var column = from
      for _ in 0...Self.nudgeMax {
        guard glyphs.indices.contains(column) else { return nil }
        guard times[column] != nil else { return column }
        column += step
      }
      return nil
    }
    return Array(own)
      + [beside(own.upperBound, 1), beside(own.lowerBound, -1)].compactMap { $0 }
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
          owners[place + offset] = nil
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
