// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
package import LifetraceQuery
import LifetraceTrace
import LifetraceWords

/// Events that a rule of a project means: those at which an expression holds.
///
///     let saves = try EventSelector("data.durable && object =~ `*.sqlite` && level == disk")
///
/// The expression is one of the language of questions, and sees the state after the event.
package struct EventSelector: Sendable, Hashable {
  /// What is asked of an event.
  package let question: Question
  /// The kinds of this version at whose events it can hold.
  let kinds: [EventKind]

  /// It as it was written.
  package var text: String { question.text }

  /// The events at which the expression holds, which may ask for a value that was `given` a name.
  package init(_ text: String, given: GivenName? = nil) throws(QueryError) {
    question = try Question(condition: text, given: given?.word)
    let asked = question.kinds
    kinds = KindInfo.all.map(\.kind).filter { asked.contains($0) }
  }

  /// The end of the process, whatever ended it.
  package static let processEnd: EventSelector = {
    guard let end = try? EventSelector("exit") else {
      preconditionFailure("no kind is called exit")
    }
    return end
  }()

  /// What ends each of its events; nil where some have no end.
  package var ending: EventSelector? {
    let ends = kinds.compactMap { $0.info?.ending?.info?.name }
    guard !kinds.isEmpty, ends.count == kinds.count else { return nil }
    return try? EventSelector(Set(ends).sorted().joined(separator: " || "))
  }

  /// The families of such events: lost ones may hide one.
  var families: [EventFamily] {
    let found = Set(kinds.map(\.family))
    return EventFamily.allCases.filter(found.contains)
  }

  /// The events that it wants to see.
  var attention: [Trigger] { kinds.map(Trigger.event) }

  /// The identity that all its events have; nil where they have none in common.
  var identity: Field? {
    let fields = Set(kinds.map { $0.info?.identity })
    return fields.count == 1 ? fields.first ?? nil : nil
  }
}

/// What is wrong with a rule of a project, and what would have been right.
package struct OwnRuleProblem: Error, Sendable, Hashable {
  /// The problem in one sentence.
  package var message: String
  /// What would have done; may be empty.
  package var advice: String

  package init(_ message: String, advice: String = "") {
    (self.message, self.advice) = (message, advice)
  }
}

extension EventKind {
  /// The field that names such an event; nil where none does.
  var namedField: Int? {
    if self == .testBegin { return 1 }
    return info?.fields.firstIndex { $0.type == .name }
  }
}
