// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceQuery
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

extension DebugAdapter {
  /// The value of an expression; in the console a command of the prompt too, and at a word of the source
  /// what is kept under that name.
  func evaluate(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    guard let text = arguments.text("expression") else {
      throw Refusal("evaluate takes an expression.")
    }
    switch arguments.text("context") {
    case "repl" where Session.isCommand(text): return try run(text, session)
    case "hover":
      if let row = named(text, stream(arguments, session), session) {
        return result(row.value, inner: row.inner)
      }
      return result(try value(text, session))
    default: return result(try value(text, session))
    }
  }

  private func value(_ text: String, _ session: Session) throws -> String {
    try Asked(text, session).text(session)
  }

  private func result(_ text: String, inner: Container? = nil) -> Reply {
    Reply([("result", .string(text)), ("variablesReference", JSON(number(of: inner)))])
  }

  /// Runs a command; where it has moved, the client looks anew.
  private func run(_ line: String, _ session: Session) throws -> Reply {
    let before = session.player.here
    let (lines, leaves) = try session.answer(to: line)
    var reply = result(lines.joined(separator: "\n"))
    if leaves {
      reply.then = { [self] in event("terminated") }
    } else if session.player.here != before {
      finding = session.player.violation
      reply.then = { [self] in stopped(.at("goto")) }
    }
    return reply
  }

  /// The row of a table that has a name, with or without its quotes: what a user points at in the source.
  private func named(_ text: String, _ stream: StreamID, _ session: Session) -> Variable? {
    let name = text.filter { $0 != "\"" }
    guard !name.isEmpty else { return nil }
    for table in StateTable.all where table.keyType == .field(.name) {
      let known = rows(of: table, stream, session)
      if let row = known.first(where: { $0.name == name && $0.inner != nil }) { return row }
    }
    return nil
  }

  /// What Tab offers in the console.
  func complete(_ arguments: Arguments) throws -> Reply {
    let session = try session()
    let text = arguments.text("text") ?? ""
    let column = arguments.number("column") ?? 0
    let end = max(client.firstColumn, min(column, text.utf16.count + client.firstColumn))
    let units = Array(text.utf16.prefix(end - client.firstColumn))
    let (words, replaced) = session.completions(of: String(decoding: units, as: UTF16.self))
    let list = words.prefix(Self.variablesMax).map { word in
      JSON.object([
        ("label", .string(word)), ("start", JSON(units.count - replaced)),
        ("length", JSON(replaced)),
      ])
    }
    return Reply([("targets", .array(list))])
  }
}
