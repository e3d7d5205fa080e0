// SPDX-License-Identifier: Apache-2.0

package import LifetraceTrace

/// A compiled expression: what to ask of events, and which of them to ask.
///
///     let question = try Question("dirty && object == \"draft.txt\"")
///     question.kinds                  // data.dirty: at no other event can it hold
///     question.exactNames             // draft.txt: a chunk that mentions it not need not be opened
///
/// A text is compiled once, against the kinds that a recording describes. What it costs an event is
/// known then: there are no loops but those over the rows of a table.
package struct Question: Sendable {
  /// As it was typed.
  package let text: String
  /// What its value is; ``ValueType/field(_:)`` of `bool` for a condition.
  package let type: ValueType
  /// The kinds of the events at which it can hold.
  package let kinds: KindSet
  /// The kinds of the events that can change its value; those of ``kinds``, for events alone.
  package let touching: KindSet
  /// Names of which an event must mention one; nil where it need not.
  package let exactNames: [String]?
  /// Whether it asks the state of the app.
  package let needsState: Bool
  /// Whether it asks the event itself, beside the state.
  package let needsEvent: Bool
  /// Whether its value moves with time between events.
  package let moves: Bool
  let program: Program
  let root: Int32

  /// Compiles an expression of any type.
  package init(_ text: String, schema: Schema = .known) throws(QueryError) {
    var compiler = Compiler(text, schema: schema)
    let syntax = try Parser.parse(text)
    let typed = try compiler.whole(syntax)
    self.init(text, typed, compiler)
  }

  /// Compiles a condition: what is no truth is refused.
  package init(condition text: String, schema: Schema = .known) throws(QueryError) {
    var compiler = Compiler(text, schema: schema)
    let root = try compiler.truth(Parser.parse(text))
    self.init(text, Compiler.Typed(type: .bool, node: root), compiler)
  }

  private init(_ text: String, _ typed: Compiler.Typed, _ compiler: Compiler) {
    self.text = text
    (type, root) = (typed.type, typed.node)
    program = compiler.program
    let analysis = Analysis(program, root: typed.node, isCondition: typed.type == .bool)
    needsState = analysis.needsState
    needsEvent = analysis.needsEvent
    moves = analysis.moves
    kinds = analysis.kinds
    touching = analysis.touching
    exactNames = typed.type == .bool ? analysis.exactNames : nil
  }
}
