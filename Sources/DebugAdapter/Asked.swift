// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceQuery

/// What a client asks to see: a field of the event, or an expression.
///
/// `version` is a name in one kind of event and a number in another, so that it is no expression by itself;
/// the event on which it stands says which.
enum Asked {
  case field(String)
  case value(Question)

  /// - Throws: ``CommandError`` for what is neither.
  init(_ text: String, _ session: Session) throws(CommandError) {
    let types = Schema(session.player.names).fields[text]?.count ?? 0
    self = types > 1 ? .field(text) : .value(try session.question(text, isCondition: false))
  }

  /// What it says where the player stands.
  func text(_ session: Session) -> String {
    switch self {
    case .value(let question): return session.text(of: question)
    case .field(let name):
      let fields = session.player.event.map(session.fields) ?? []
      return fields.first { $0.name == name }?.text ?? "nothing"
    }
  }
}
