// SPDX-License-Identifier: Apache-2.0
import LifetraceScenario
import Testing

/// A name that a rule binds to a value: what is wrong with it is said at its place.
@Suite struct BoundNameTests {
  @Test(
    arguments: [
      (
        "from: dirty, bind: doc = objct, to: data.durable && object == doc", "objct", "did you mean"
      ),
      ("from: dirty, bind: object = bytes, to: data.durable", "object = bytes", "by itself"),
      ("from: dirty, bind: doc, to: data.durable", "doc, to", "doc = object"),
      ("from: dirty, bind: 2nd = object, to: data.durable", "2nd", "no name to bind"),
      ("from: purge, bind: doc = object, to: data.durable", "object, to", "no event of purge"),
      ("from: dirty, bind: left = key, to: save && object == left", "left = k", "by itself"),
      ("from: dirty, bind: age = key, to: data.durable && object == age", "age = k", "by itself"),
      ("from: dirty, bind: doc = object, to: data.durable", "data.durable", "not ask for `doc`"),
      (
        "from: dirty, bind: doc = object, to: data.durable && bytes == doc", "doc, limit",
        "bytes is a size; doc is a name"
      ),
      (
        "from: dirty, same: name, bind: doc = object, to: data.durable && object == doc", "name, b",
        "both say"
      ),
    ]
  )
  func mistakes(_ keys: String, _ at: String, _ word: String) throws {
    let line = "    within: {\(keys), limit: 1s}"
    let problem = try #require(throws: ScenarioProblem.self) {
      try Configuration(parsing: "rules:\n  OWN01:\n\(line)\n")
    }
    #expect(problem.text(file: "lifetrace.yml").contains(word), "\(problem)")
    let columns = Array(line)
    let column = columns.indices.first { columns[$0...].starts(with: Array(at)) }
    #expect(problem.place.line == 3 && problem.place.column == column.map { $0 + 1 }, "\(problem)")
  }

  @Test(arguments: [
    "pair: {begin: dirty, bind: doc = object, before: suspend}",
    "order: {first: dirty, bind: doc = object, then: data.durable && object == doc}",
    "never: {event: dirty, bind: doc = object}",
  ])
  func whereNoneCanBe(_ form: String) {
    #expect(throws: ScenarioProblem.self) {
      try Configuration(parsing: "rules:\n  OWN01:\n    \(form)\n")
    }
  }

  @Test(arguments: [
    "within: {from: dirty && bytes > 1kB, bind: size = bytes, to: data.durable && bytes >= size, limit: 1s}",
    "within: {from: background, bind: before_it = before.state, to: state == before_it, limit: 1s}",
    "pair: {begin: dirty, bind: doc = object, end: data.durable && object == doc}",
    "pair: {begin: dirty, bind: doc = object, end: data.durable && object == doc, before: data.read && object == doc}",
  ])
  func whatIsRight(_ form: String) throws {
    let rules = try Configuration(parsing: "rules:\n  OWN01:\n    \(form)\n").rules
    #expect(rules.count == 1 && rules[0].statement.contains(" = "), "\(rules[0].statement)")
  }
}
