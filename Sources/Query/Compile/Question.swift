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
  /// The kinds of the events that a state must have seen so that it can be asked.
  package let folded: KindSet
  /// Names of which an event must mention one; nil where it need not.
  package let exactNames: [String]?
  /// Whether it asks the state of the app.
  package let needsState: Bool
  /// Whether it asks the event itself, beside the state.
  package let needsEvent: Bool
  /// Whether its value moves with time between events.
  package let moves: Bool
  /// Other writers whose states it asks.
  package let writers: [NamedWriter]
  /// Whether it asks the state of the event's own writer, or of the one at home.
  package let asksOwn: Bool
  /// Whether it asks in which state the app is after the event.
  package let asksAppState: Bool
  /// The name whose value whoever asks has to give, if there is one.
  package let given: GivenWord?
  /// The kinds that have the fields of a condition which names no kind; none where all have them.
  package var impliedKinds: [EventKind] {
    guard type == .bool, program.nodes.contains(where: { $0.operation == .field }),
      !program.nodes.contains(where: { $0.operation == .kind })
    else { return [] }
    let all = kinds.kinds
    return all.count == 256 ? [] : all
  }
  /// Whether it asks for that.
  package var asksGiven: Bool { program.nodes.contains { $0.operation == .given } }
  /// The names and callbacks that it compares with, as they were typed.
  package var spoken: [String] { program.literals + program.callbacks }
  /// Those and its patterns.
  package var wanted: [String] { spoken + program.patterns.map(\.text) }
  let program: Program
  let root: Int32

  /// Compiles an expression of any type.
  ///
  /// Where it names other writers, `home` is the one that it is about where it names none; without one it
  /// is about the writer of the event that it is asked of.
  package init(_ text: String, schema: Schema = .known, home: NamedWriter? = nil)
    throws(QueryError)
  {
    self = try Self.compiled(text, schema, home) { compiler, syntax throws(QueryError) in
      try compiler.whole(syntax)
    }
  }

  /// Compiles a condition: what is no truth is refused.
  ///
  /// `given` is a name beside those of the language, for a value that is handed in with each event.
  package init(
    condition text: String,
    schema: Schema = .known,
    home: NamedWriter? = nil,
    given: GivenWord? = nil
  ) throws(QueryError) {
    self = try Self.compiled(text, schema, home, given) { compiler, syntax throws(QueryError) in
      Compiler.Typed(type: .bool, node: try compiler.truth(syntax))
    }
  }

  /// Compiles a value that is asked of events of `kinds`: a field that others have too is theirs.
  init(_ text: String, of kinds: KindSet) throws(QueryError) {
    self = try Self.compiled(text, .known, nil) { compiler, syntax throws(QueryError) in
      compiler.kinds = kinds
      return try compiler.whole(syntax)
    }
  }

  /// Whether a name is one that it compares with, or fits one of its patterns.
  package func speaks(of name: String) -> Bool {
    program.literals.contains(name) || program.patterns.contains { $0.matches(name) }
  }

  /// Whether it can hold at some event of a recording that has no other strings than these.
  package func mayHold(among strings: [String]) -> Bool {
    type != .bool || program.mayHold(root, among: strings)
  }

  /// Names of which an event must mention one, in a recording that has these strings; nil where it need not.
  package func names(among strings: [String]) -> [String]? {
    type == .bool ? program.mentions(root, among: strings)?.sorted() : nil
  }

  /// Whether it is true or not of a state, whatever event or time brought that about: between two events
  /// that touch it, its value stays.
  package var isOfStateAlone: Bool {
    needsState && !needsEvent && !moves && writers.isEmpty && !asksGiven
  }

  private static func compiled(
    _ text: String,
    _ schema: Schema,
    _ home: NamedWriter?,
    _ given: GivenWord? = nil,
    _ body: (inout Compiler, Syntax) throws(QueryError) -> Compiler.Typed
  ) throws(QueryError) -> Question {
    let syntax = try Parser.parse(text)
    var compiler = Compiler(text, schema: schema, home: nil, given: given)
    var typed = try body(&compiler, syntax)
    // Several writers: the one that is not named is one of them.
    if let home, compiler.asksOwn, !compiler.program.writers.isEmpty {
      compiler = Compiler(text, schema: schema, home: home, given: given)
      typed = try body(&compiler, syntax)
    }
    return Question(text, typed, compiler)
  }

  private init(_ text: String, _ typed: Compiler.Typed, _ compiler: Compiler) {
    self.text = text
    (type, root) = (typed.type, typed.node)
    program = compiler.program
    given = compiler.given
    writers = program.writers
    asksOwn = compiler.asksOwn
    let analysis = Analysis(program, root: typed.node, isCondition: typed.type == .bool)
    needsState = analysis.needsState
    needsEvent = analysis.needsEvent
    moves = analysis.moves
    asksAppState = analysis.asksAppState
    kinds = analysis.kinds
    touching = analysis.touching
    folded = analysis.folded
    let names = typed.type == .bool ? program.mentions(typed.node, among: nil) : nil
    exactNames = names?.sorted()
  }
}

/// By their texts, and what they are given: of the kinds of this version one text has one meaning.
extension Question: Hashable {
  package static func == (left: Question, right: Question) -> Bool {
    left.text == right.text && left.given == right.given
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
