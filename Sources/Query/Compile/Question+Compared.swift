// SPDX-License-Identifier: Apache-2.0

extension Question {
  /// The values that it compares, in the order of the text: of `count tasks == 0 && state == active`
  /// they are `count tasks` and `state`; of `any data where …` how many rows there are of that kind.
  ///
  /// Compiles each; constants are left out.
  package var compared: [Question] {
    guard let syntax = try? Parser.parse(text) else { return [] }
    let characters = Array(text)
    var texts: [String] = []
    Self.collect(syntax) { part in
      guard let own = part.text(in: characters), !texts.contains(own) else { return }
      texts.append(own)
    }
    return texts.compactMap { try? Question($0) }
  }

  private static func collect(_ syntax: Syntax, _ body: (Syntax) -> Void) {
    switch syntax.form {
    case .negated(let inner): collect(inner, body)
    case .both(let left, let right), .either(let left, let right):
      collect(left, body)
      collect(right, body)
    case .compared(let left, _, let right):
      body(left)
      body(right)
    case .quantified, .path: body(syntax)
    default: break
    }
  }
}

extension Syntax {
  /// What is asked for to tell its value; nil for a constant, and for a bare word, which may be one.
  fileprivate func text(in source: [Character]) -> String? {
    switch form {
    case .quantified(nil, _, let table, let condition):
      let rows = condition.map { " where (\(String(source[$0.range])))" } ?? ""
      return "count \(table.word)\(rows)"
    case .path(let steps):
      let isFact = StateFact.all.contains { $0.name == steps[0].word }
      return steps.count > 1 || isFact ? String(source[range]) : nil
    case .sum, .minus: return String(source[range])
    default: return nil
    }
  }
}
