// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceWords

extension Answer {
  /// What people read, a line each.
  func lines(_ session: Session) -> [String] {
    ([lead].compactMap { $0 } + parts).flatMap { part -> [String] in
      switch part {
      case .line(let line, _): line.map { [$0.painted(session.paint)] } ?? []
      case .sentence(let facts):
        [facts.flatMap { $0.cells(session) }.map(\.text).joined(separator: ", ") + "."]
      case .listing(let listing): listing.lines(session)
      case .event(_, let point, .line): [session.line(point)]
      case .event(_, let point, .withSource): [session.line(point)] + source(of: point, session)
      case .event(_, let point, .full): session.table(point) + source(of: point, session)
      }
    }
  }

  private func source(of point: EventPoint, _ session: Session) -> [String] {
    let line = session.sourceLine(session.player.timeline.event(at: point.place))
    return line.map { [$0.painted(session.paint)] } ?? []
  }
}

extension Listing {
  /// The rows as a table; lines between them do not widen its columns.
  fileprivate func lines(_ session: Session) -> [String] {
    var table = Table(indent: indent)
    var between: [(at: Int, line: Line)] = []
    for row in rows {
      switch row {
      case .facts(let facts):
        let cells = facts.flatMap { $0.cells(session) }
        if !cells.isEmpty { table.add(cells) }
      case .event(let point, let marker): table.add([Cell(marker, .strong)] + session.cells(point))
      case .line(let line): between.append((table.rows.count, line))
      }
    }
    var lines = table.lines(session.paint)
    for (at, line) in between.reversed() { lines.insert(line.painted(session.paint), at: at) }
    return lines
  }
}

extension Fact {
  fileprivate func cells(_ session: Session) -> [Cell] {
    switch shown {
    case .nothing: []
    case .cell(let cell): [cell]
    case .event(let point): session.cells(point)
    }
  }
}
