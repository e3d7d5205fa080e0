// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// The stops of the player that the client has set, which it sets a group at a time.
struct Breakpoints {
  /// Going on ends when log points have said so much.
  static let logsMax = 10_000

  /// Those that the client sets together.
  enum Group: Hashable {
    case source(String)
    case functions
    case data

    /// Why it stops there, in the word of the protocol.
    var reason: String {
      switch self {
      case .source: "breakpoint"
      case .functions: "function breakpoint"
      case .data: "data breakpoint"
      }
    }
  }

  /// What a stop of the client's does beyond stopping.
  struct Extra {
    /// What must hold besides; for a value that changes.
    var condition: Question?
    /// What is said instead of stopping, in pieces.
    var log: [LogPiece]?
    /// The writer whose value it is; nil for that in focus.
    var home: StreamID?
  }

  /// A piece of what a log point says.
  enum LogPiece {
    case text(String)
    case value(Asked)
  }

  private var groups: [Group: [Int]] = [:]
  private var extras: [Int: Extra] = [:]

  /// Forgets the stops of a group; their numbers.
  mutating func clear(_ group: Group) -> [Int] {
    let numbers = groups.removeValue(forKey: group) ?? []
    for number in numbers { extras[number] = nil }
    return numbers
  }

  mutating func add(_ number: Int, to group: Group, _ extra: Extra) {
    groups[group, default: []].append(number)
    extras[number] = extra
  }

  /// Why it stops where these are reached.
  func reason(_ numbers: [Int]) -> String {
    groups.first { $0.value.contains { numbers.contains($0) } }?.key.reason ?? "breakpoint"
  }

  /// Of the stops of a halt those at which it stops, and what the others say.
  func met(_ halt: Halt, _ session: Session) -> (kept: [Int], said: [String]) {
    var kept: [Int] = []
    var said: [String] = []
    for number in halt.stops {
      let extra = extras[number] ?? Extra()
      session.player.visit(halt.place) {
        if let condition = extra.condition {
          let value = session.player.value(of: condition)
          guard value.standing == .known, value.bits != 0 else { return }
        }
        guard let log = extra.log else { return kept.append(number) }
        let texts = log.map { piece in
          switch piece {
          case .text(let text): text
          case .value(let asked): asked.text(session)
          }
        }
        said.append(texts.joined())
      }
    }
    return (kept, said)
  }

  /// The condition that an event comes from a line of one of some files.
  static func question(_ files: [String], line: Int) -> String {
    let some = files.map { "file == \(quoted($0))" }.joined(separator: " || ")
    return "(\(some)) && line == \(line)"
  }

  /// A text as the language of questions spells it.
  static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
