// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLayout
import LifetraceTrace
import LifetraceWords

/// A layout in characters, in lines that are no wider than asked.
///
///     let drawing = Drawing(layout, width: 80, glyphs: Glyphs(isASCII: false), here: player.time)
///     for line in drawing.lines { print(line.text) }
///
/// Where several things fall into one column the gravest is shown, and how many are not stands behind
/// the line: `+3`.
struct Drawing {
  /// The picture, a line each: the axis, the lanes, the violations, where you are, the legend.
  private(set) var lines: [Line] = []
  /// Lost data that lines only count.
  private(set) var lossesCounted = 0
  /// Lost data on lanes that are not drawn, which a sentence counts.
  private(set) var lossesLeftOut = 0

  private let layout: Layout
  private let width: Int
  private let glyphs: Glyphs
  /// The objects that are always shown.
  private let objects: Set<String>
  /// Whether no other object is.
  private let isAlone: Bool
  private var titleWidth = 0
  private var legend: [String: (glyph: String, style: Style)] = [:]
  private var legendOrder: [String] = []
  /// What is too short for a column of its own, a phrase a line of the picture.
  private var short: [String] = []

  /// Narrower pictures show nothing.
  static let widthMin = 40
  /// As wide as `you are here`.
  private static let titleMin = 12
  /// A group shows no more lanes of a kind; the rest is counted.
  private static let lanesMax: [Lane.Kind: Int] = [.thread: 3, .object: 8]
  /// More processes than this are counted, but for those with a violation or a loss.
  private static let groupsMax = 12

  /// Beside the objects that it is about, others are counted where they are `alone`.
  init(
    _ layout: Layout,
    width: Int,
    glyphs: Glyphs,
    here: Int64?,
    about objects: Set<String> = [],
    isAlone: Bool = false
  ) {
    self.objects = objects
    self.isAlone =
      isAlone
      && layout.groups.contains { group in
        group.lanes.contains { $0.kind == .object && objects.contains($0.name) }
      }
    self.layout = layout
    self.width = max(Self.widthMin, width)
    self.glyphs = glyphs
    draw(here)
  }

  private mutating func draw(_ here: Int64?) {
    let groups = shownGroups
    let rows = groups.flatMap { group in
      split(group).drawn.map { (title($0, of: group), $0) }
    }
    let widest = (rows.map { Columns.width(of: $0.0) } + [Self.titleMin]).max() ?? 0
    titleWidth = min(widest + 1, max(Self.titleMin + 1, width / 4))
    let room = width - titleWidth - 1 - Cells.countedWidth
    let axis = layout.axis(cutsMax: max(1, room / 14))
    let scale = scale(axis, room)
    lines.append(AxisLine(axis, scale, room, glyphs).line(fitted("time, s")))
    for (title, lane) in rows {
      var cells = Cells(width: room)
      cells.draw(lane.bars, scale, glyphs)
      let kinds = cells.draw(lane.instants, scale, glyphs)
      let short = cells.reveal(lane.bars, scale, glyphs)
      if lane.kind == .state { noteShort(short, title) }
      note(Set(cells.owners.compactMap { $0 }), of: lane)
      for kind in kinds.sorted() {
        let look = glyphs.mark(kind)
        note(look.word, look.glyph, look.style)
      }
      lossesCounted += cells.hiddenLosses
      lines.append(cells.line(fitted(title), lane.kind == .state ? .strong : .plain, glyphs))
    }
    if !layout.violations.isEmpty { drawViolations(scale, room) }
    if let here, layout.span.contains(here) {
      var cells = Cells(width: room)
      _ = cells.put(glyphs.here, .strong, at: Int(scale.place(of: here)), here)
      lines.append(cells.line(fitted("you are here"), .faint, glyphs))
    }
    drawLegend(axis)
    tellLeftOut(groups)
  }

  private func scale(_ axis: Axis, _ room: Int) -> Axis.Scale {
    let wide = axis.cuts.reduce(0) { $0 + Quantity.duration($1.length).count + 2 }
    let isLabelled = wide <= room / 3
    return axis.scale(to: Double(room)) {
      isLabelled ? Double(Quantity.duration($0.length).count + 2) : 1
    }
  }

  // MARK: What is shown

  private var shownGroups: [Layout.Group] {
    guard layout.groups.count > Self.groupsMax else { return layout.groups }
    let grave = Set(layout.violations.map(\.place.stream))
    let some = layout.groups.filter { group in
      group.lives.contains { grave.contains($0.stream) }
        || group.lanes.contains {
          $0.instants.contains { $0.kind == .lost || $0.kind == .maybeLost }
        }
    }
    return Array((some.isEmpty ? layout.groups : some).prefix(Self.groupsMax))
  }

  /// The lanes that are drawn, and those that are counted.
  private func split(_ group: Layout.Group) -> (drawn: [Lane], left: [Lane]) {
    var count: [Lane.Kind: Int] = [:]
    var (drawn, left): ([Lane], [Lane]) = ([], [])
    for lane in group.lanes {
      count[lane.kind, default: 0] += 1
      let isAbout = lane.kind == .object && objects.contains(lane.name)
      let isAsked = lane.kind != .object || !isAlone
      let isFirst = isAsked && count[lane.kind, default: 0] <= Self.lanesMax[lane.kind] ?? 1
      if isAbout || isFirst { drawn.append(lane) } else { left.append(lane) }
    }
    return (drawn, left)
  }

  private func title(_ lane: Lane, of group: Layout.Group) -> String {
    switch lane.kind {
    case .state: group.label(glyphs)
    case .main: "  main"
    case .thread: "  \(lane.name)"
    case .object: "  " + Printable.line(lane.name.isEmpty ? "data" : lane.name)
    case .task: "  tasks"
    case .queue: "  queue"
    case .held: "  held"
    }
  }

  /// A title in its columns: cut where it is wider.
  private func fitted(_ title: String) -> String {
    var text = ""
    var used = 0
    for character in glyphs.isASCII ? title.ascii : title {
      let wide = Columns.width(of: String(character))
      guard used + wide < titleWidth else {
        text = String(text.dropLast()) + glyphs.ellipsis
        break
      }
      text.append(character)
      used += wide
    }
    return text + String(repeating: " ", count: max(0, titleWidth - Columns.width(of: text)))
  }

  private mutating func drawViolations(_ scale: Axis.Scale, _ room: Int) {
    var cells = Cells(width: room)
    for sign in layout.violations {
      let style: Style = sign.severity == .error ? .bad : .warning
      let (label, time) = ("\(sign.number)", sign.place.time)
      let column = min(Int(scale.place(of: time)), room - label.count)
      if !cells.put(label, style, at: column, time, apart: 1) { cells.count(1) }
    }
    lines.append(cells.line(fitted("violations"), .bad, glyphs))
  }

  // MARK: What it means

  /// The legend says what is shown, and that alone.
  private mutating func note(_ shown: Set<Int>, of lane: Lane) {
    for number in shown.sorted() {
      let look = glyphs.bar(lane.bars[number].look, count: lane.bars[number].count)
      note(look.word, look.glyph, look.style)
    }
  }

  /// States of the app that are nowhere in their line, counted.
  private mutating func noteShort(_ bars: [Bar], _ title: String) {
    let bars = bars.filter { $0.look != .running }
    guard !bars.isEmpty else { return }
    var counts: [(word: String, count: Int)] = []
    for bar in bars {
      let word = glyphs.bar(bar.look, count: bar.count).word
      if let known = counts.firstIndex(where: { $0.word == word }) {
        counts[known].count += 1
      } else {
        counts.append((word, 1))
      }
    }
    let all = counts.map { "+\(Quantity.grouped($0.count)) short \($0.word)" }
    short.append("\(all.joined(separator: ", ")) in \(title)")
  }

  private mutating func note(_ word: String, _ glyph: String, _ style: Style) {
    guard legend[word] == nil else { return }
    legend[word] = (glyph, style)
    legendOrder.append(word)
  }

  private mutating func drawLegend(_ axis: Axis) {
    var line: Line = ""
    for word in legendOrder {
      guard let (glyph, style) = legend[word] else { continue }
      let text = glyphs.isASCII ? word.ascii : word
      let next: Line = "\(glyph, style) \(text, .faint)"
      if line.text.isEmpty {
        line = next
      } else if Columns.width(of: line.text) + Columns.width(of: next.text) + 3 <= width {
        line = "\(line)   \(next)"
      } else {
        lines.append(line)
        line = next
      }
    }
    if !line.text.isEmpty { lines.append(line) }
    if !short.isEmpty { say("Too short to be drawn: \(short.joined(separator: "; ")).") }
    say("Time is in seconds since the recording began.")
    guard let longest = axis.cuts.map(\.length).max(), let least = axis.cuts.map(\.length).min()
    else { return }
    let lengths =
      axis.cuts.count == 1
      ? Quantity.duration(longest)
      : "\(Quantity.duration(least)) to \(Quantity.duration(longest))"
    say("\(Quantity.count(axis.cuts.count, "gap")) cut: \(lengths) in which nothing happens.")
  }

  private mutating func tellLeftOut(_ groups: [Layout.Group]) {
    let quiet = layout.quiet + layout.groups.count - groups.count
    if quiet > 0 { say("\(Quantity.count(quiet, "quiet process")) not drawn.") }
    var left: [Lane.Kind: Int] = [:]
    lossesLeftOut = layout.losses - groups.flatMap(\.lanes).reduce(0) { $0 + $1.losses }
    if lossesLeftOut > 0 { say("\(Quantity.count(lossesLeftOut, "loss")) of processes not drawn.") }
    var lost = 0
    for lane in groups.flatMap({ split($0).left }) {
      left[lane.kind, default: 0] += 1
      lost += lane.losses
    }
    if let threads = left[.thread] { say("\(Quantity.count(threads, "thread")) more not drawn.") }
    if let objects = left[.object] {
      let losses = lost > 0 ? ", with \(Quantity.count(lost, "loss"))" : ""
      say("\(Quantity.count(objects, "data object")) more not drawn\(losses).")
    }
    lossesLeftOut += lost
  }

  private mutating func say(_ text: String) {
    let text = glyphs.isASCII ? text.ascii : text
    lines += Columns.wrap(text, to: width).map { Line($0, .faint) }
  }
}

extension Layout.Group {
  /// All of its lives: `notes#1–3`.
  func label(_ glyphs: Glyphs) -> String {
    guard let first = lives.first?.label, let last = lives.last?.label, first != last,
      let hash = last.lastIndex(of: "#")
    else { return lives.first?.label ?? name }
    return "\(first)\(glyphs.isASCII ? "-" : "–")\(last[last.index(after: hash)...])"
  }
}

extension Lane {
  /// How much lost data its instants stand for.
  var losses: Int {
    instants.reduce(0) { $0 + ($1.kind == .lost || $1.kind == .maybeLost ? Int($1.count) : 0) }
  }
}

extension String {
  /// With a question mark for each character that is not ASCII, but for those that have a twin.
  var ascii: String {
    String(map { $0.isASCII ? $0 : $0 == "…" ? "." : $0 == "µ" ? "u" : $0 == "–" ? "-" : "?" })
  }
}
