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
    var translated = Names()
    let (before, now) = (life.writers[point.stream].events, writers[stream].events)
    for (index, event) in before.enumerated() where event.sequence <= point.sequence {
      guard index < now.count else {
        throw NotDeterministic(
          event: event.sequence,
          first: EventText.sentence(event, life.names).description,
          other: "nothing"
        )
      }
      let one = event.inTerms(of: &translated, life.names)
      let other = now[index].inTerms(of: &translated, names)
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

extension Event {
  fileprivate func inTerms(of common: inout Names, _ names: Names) -> ComparedEvent {
    var event = self
    let site = names[self.site]
    if let info = kind.info {
      event.mapNames(info, labels: site.labels) { common.intern(names[NameID(word: $0)]) }
    }
    switch kind {
    // The writer before has another number each time.
    case .processStart: event[0] = 0
    // A flow is a random number, and so is its stamp.
    case .messageSend, .messageReceive: (event.identity, event[2]) = (0, 0)
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
      site: [common.intern(names[site.name]), common.intern(names[site.file])],
      line: site.line
    )
  }
}
