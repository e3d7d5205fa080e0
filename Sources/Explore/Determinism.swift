// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace
import LifetraceWords

/// Two plays of one scenario were not the same, though nothing was different up to there.
package struct NotDeterministic: Error, Sendable, Hashable, CustomStringConvertible {
  /// The event's number in the process.
  package var event: UInt64
  /// What the first play said.
  package var first: String
  /// What the other one said.
  package var other: String

  package var description: String {
    "not deterministic from event \(event) on: the first run said `\(first)`, this one `\(other)`\n"
      + "  What an app does must follow from its scenario: not from real time, random numbers, the\n"
      + "  environment, or files of an earlier run (keep them in application.dataDirectory)."
  }
}

extension StagedLife {
  /// All that was recorded of the process up to the point has to be as in `life`.
  func assertPrefix(of life: StagedLife, upTo point: Point) throws(NotDeterministic) {
    guard let stream = streamOfStart.dropFirst(point.start).first ?? nil else {
      throw NotDeterministic(event: 0, first: "a process", other: "none")
    }
    var common = Names()
    var (terms, otherTerms) = (Terms(life.names), Terms(names))
    let (before, now) = (life.writers[point.stream].events, writers[stream].events)
    for (index, event) in before.enumerated() where event.sequence <= point.sequence {
      guard index < now.count else {
        throw NotDeterministic(
          event: event.sequence,
          first: EventText.sentence(event, life.names).description,
          other: "nothing"
        )
      }
      let one = event.compared(&terms, &common)
      let other = now[index].compared(&otherTerms, &common)
      guard one != other else { continue }
      throw NotDeterministic(
        event: event.sequence,
        first: EventText.sentence(event, life.names).description,
        other: EventText.sentence(now[index], names).description
      )
    }
  }
}

/// An event without the numbers that its strings happen to have in one reading.
private struct ComparedEvent: Equatable {
  var time: Int64
  var kind: EventKind
  var observer: UInt8
  var identity: UInt64
  var arguments: [UInt64]
  var site: [NameID]
  var line: UInt32
}

/// The numbers of the strings of one reading, in common ones: each string is looked up once.
private struct Terms {
  let names: Names
  private var known: [NameID?]

  init(_ names: Names) {
    self.names = names
    known = Array(repeating: nil, count: names.strings.count)
  }

  mutating func translate(_ id: NameID, _ common: inout Names) -> NameID {
    let index = Int(id.rawValue)
    guard known.indices.contains(index) else { return common.intern(names[id]) }
    if let known = known[index] { return known }
    let new = common.intern(names[id])
    known[index] = new
    return new
  }
}

extension Event {
  fileprivate func compared(_ terms: inout Terms, _ common: inout Names) -> ComparedEvent {
    var event = self
    let site = terms.names[self.site]
    if let info = kind.info {
      event.mapNames(info, labels: site.labels) { terms.translate(NameID(word: $0), &common) }
    }
    switch kind {
    // The writer before has another number each time.
    case .processStart: event[0] = 0
    // A flow is a random number, and so is its stamp.
    case .messageSend, .messageReceive: (event.identity, event[2]) = (0, 0)
    case .messageTrace: (event.identity, event[0], event[1], event[2]) = (0, 0, 0, 0)
    // Processor time, where a callback took much of it.
    case .callbackEnd: event[1] = 0
    default: break
    }
    return ComparedEvent(
      time: time.rawValue,
      kind: kind,
      observer: observerCode,
      identity: event.identity,
      arguments: (0..<Int(argumentCount)).map { event[$0] },
      site: [terms.translate(site.name, &common), terms.translate(site.file, &common)],
      line: site.line
    )
  }
}
