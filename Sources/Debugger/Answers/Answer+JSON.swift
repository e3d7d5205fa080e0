// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceJSON
import LifetraceWords

extension Answer {
  /// The members of the object that programs get.
  ///
  /// Listings of one name are one list.
  func members(_ session: Session) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    for part in parts + [lead].compactMap({ $0 }) {
      switch part {
      case .line(_, let facts), .sentence(let facts): members += facts.members(session)
      case .event(let key, let point, _): members.append((key, session.json(point)))
      case .listing(let listing):
        guard let key = listing.key else {
          members += listing.rows.flatMap { $0.facts.members(session) }
          continue
        }
        let rows = listing.rows.compactMap { $0.json(session) }
        if let last = members.last, last.0 == key, let before = last.1.array {
          members[members.count - 1].1 = .array(before + rows)
        } else {
          members.append((key, .array(rows)))
        }
      }
    }
    return members
  }
}

extension Listing.Row {
  fileprivate var facts: [Fact] { if case .facts(let facts) = self { facts } else { [] } }

  /// Nil for what stands between rows.
  fileprivate func json(_ session: Session) -> JSON? {
    switch self {
    case .facts(let facts): .object(facts.members(session))
    case .event(let point, _): session.json(point)
    case .line: nil
    }
  }
}

extension [Fact] {
  fileprivate func members(_ session: Session) -> [(String, JSON)] {
    compactMap { fact in fact.key.map { ($0, fact.value.json(session)) } }
  }
}

extension Value {
  fileprivate func json(_ session: Session) -> JSON {
    switch self {
    case .none: .null
    case .flag(let value): .bool(value)
    case .count(let value), .bytes(let value): JSON(value)
    case .duration(let value): .int(value)
    case .time(let value): .int(value.rawValue)
    case .text(let value): .string(value)
    case .list(let values): .array(values.map { $0.json(session) })
    case .object(let facts): .object(facts.members(session))
    case .event(let point): session.json(point)
    case .json(let value): value
    case .number(let stream, let sequence):
      session.player.timeline.ordinal(of: stream, sequence: sequence).map { JSON($0) } ?? .null
    }
  }
}
