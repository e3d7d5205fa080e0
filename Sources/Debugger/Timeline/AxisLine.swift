// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceTrace
import LifetraceWords

/// The first line of a timeline: when things are, and what is cut.
struct AxisLine {
  private var cells: [(glyph: String, style: Style)?]
  private let table: Glyphs

  init(_ axis: Axis, _ scale: Axis.Scale, _ width: Int, _ table: Glyphs) {
    cells = Array(repeating: nil, count: width)
    self.table = table
    for (number, piece) in axis.pieces.enumerated() where piece.isCut {
      let (from, to) = (
        Int(scale.starts[number].rounded()), Int(scale.starts[number + 1].rounded())
      )
      let length = Quantity.duration(piece.length)
      let label = table.cut + (table.isASCII ? length.ascii : length) + table.cut
      put(to - from >= label.count ? label : table.cut, at: from, .warning, apart: 0)
    }
    for (number, piece) in axis.pieces.enumerated() where !piece.isCut {
      let room = scale.starts[number + 1] - scale.starts[number]
      let step = Self.step(piece.length, in: room)
      let first = Int(scale.starts[number].rounded())
      put(Self.seconds(piece.begin, step), at: first, .plain, apart: number > 0 ? 0 : 1)
      guard step > 0 else { continue }
      var time = (piece.begin / step + 1) * step
      while time < piece.end {
        put(Self.seconds(time, step), at: Int(scale.place(of: time)), .plain, apart: 1)
        time += step
      }
    }
  }

  /// Ticks are at least as many columns apart.
  private static let tickColumns = 12.0

  /// A round length of time between ticks, 1, 2 or 5 times a power of ten nanoseconds; 0 for none.
  static func step(_ length: Int64, in columns: Double) -> Int64 {
    let ticks = (columns / tickColumns).rounded(.down)
    guard ticks >= 1, length > 0 else { return 0 }
    let least = Double(length) / ticks
    var step: Int64 = 1
    while true {
      for factor: Int64 in [1, 2, 5] where Double(step * factor) >= least { return step * factor }
      guard step < 1_000_000_000_000_000_000 else { return 0 }
      step *= 10
    }
  }

  /// Seconds with as many decimals as tell ticks apart, three at least where the time has them.
  static func seconds(_ time: Int64, _ step: Int64) -> String {
    var digits = 0
    var unit: Int64 = 1_000_000_000
    while digits < 9, unit > 1, digits < 3 ? time % unit != 0 : step > 0 && step < unit {
      digits += 1
      unit /= 10
    }
    return String(Quantity.sinceStart(time, digits: digits).drop { $0 == "+" })
  }

  /// Puts text where it is free, with `apart` blanks around it.
  private mutating func put(_ text: String, at column: Int, _ style: Style, apart: Int) {
    let around = max(0, column - apart)..<min(cells.count, column + text.count + apart)
    guard column >= 0, column + text.count <= cells.count,
      cells[around].allSatisfy({ $0 == nil })
    else { return }
    for (offset, character) in text.enumerated() {
      cells[column + offset] = (String(character), style)
    }
  }

  func line(_ title: String) -> Line {
    var line: Line = "\(title, .faint)\(table.border, .faint)"
    let last = cells.lastIndex { $0 != nil } ?? -1
    for column in 0..<(last + 1) {
      let (glyph, style) = cells[column] ?? (" ", .plain)
      line = "\(line)\(glyph, style)"
    }
    return line
  }
}
