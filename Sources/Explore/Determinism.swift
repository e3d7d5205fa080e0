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

/// The undisturbed life, as the plays of its variants are compared with it.
///
/// Its own events are brought into the form in which they are compared once, not for each play.
struct UndisturbedLife {
  private let life: StagedLife
  /// The strings of all plays, as they came.
  private var common = Names()
  private var terms: Terms
  private var streams: [Int: [ComparedEvent]] = [:]

  /// Nothing is compared with it yet.
  init(_ life: StagedLife) {
    self.life = life
    terms = Terms(life.names)
  }

  /// All that was recorded of the process up to the point has to be the same in `other`.
  ///
  /// Cost: some 50 ns for each of these events.
  mutating func assertPrefix(of other: StagedLife, upTo point: Point) throws(NotDeterministic) {
    guard let stream = other.streamOfStart.dropFirst(point.start).first ?? nil else {
      throw NotDeterministic(event: 0, first: "a process", other: "none")
    }
    if streams[point.stream] == nil {
      streams[point.stream] = life.writers[point.stream].events.map { terms.compared($0, &common) }
    }
    let before = streams[point.stream] ?? []
    let now = other.writers[stream].events
    var otherTerms = Terms(other.names)
    for index in before.indices {
      let event = life.writers[point.stream].events[index]
      guard event.sequence <= point.sequence else { return }
      guard index < now.count else { throw difference(event, "nothing") }
      guard otherTerms.compared(now[index], &common) != before[index] else { continue }
      throw difference(event, EventText.sentence(now[index], other.names).description)
    }
  }

  private func difference(_ event: Event, _ other: String) -> NotDeterministic {
    NotDeterministic(
      event: event.sequence,
      first: EventText.sentence(event, life.names).description,
      other: other
    )
  }
}

/// An event without the numbers that its strings happen to have in one reading.
private struct ComparedEvent: Equatable {
  var time: Int64
  var identity: UInt64
  var first: UInt64
  var second: UInt64
  var third: UInt64
  var fourth: UInt64
  var name: NameID
  var file: NameID
  var line: UInt32
  var kind: EventKind
  var observer: UInt8
  var argumentCount: UInt8
}

/// The numbers of the strings and sites of one reading, in common ones: each is looked up once.
private struct Terms {
  private struct Place {
    var name: NameID
    var file: NameID
    var line: UInt32
    var labels: [Field]
  }

  let names: Names
  private var known: [NameID?]
  /// By the number of the site.
  private var places: [Place?]

  init(_ names: Names) {
    self.names = names
    known = Array(repeating: nil, count: names.strings.count)
    places = Array(repeating: nil, count: names.sites.count)
  }

  private mutating func translate(_ id: NameID, _ common: inout Names) -> NameID {
    let index = Int(id.rawValue)
    guard known.indices.contains(index) else { return common.intern(names[id]) }
    if let known = known[index] { return known }
    let new = common.intern(names[id])
    known[index] = new
    return new
  }

  private mutating func place(of site: SiteID, _ common: inout Names) -> Place {
    let index = Int(site.rawValue)
    if places.indices.contains(index), let known = places[index] { return known }
    let meant = names[site]
    let new = Place(
      name: translate(meant.name, &common),
      file: translate(meant.file, &common),
      line: meant.line,
      labels: meant.labels
    )
    if places.indices.contains(index) { places[index] = new }
    return new
  }

  mutating func compared(_ event: Event, _ common: inout Names) -> ComparedEvent {
    var event = event
    let place = place(of: event.site, &common)
    event.mapNames(labels: place.labels) { translate(NameID(word: $0), &common) }
    switch event.kind {
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
      time: event.time.rawValue,
      identity: event.identity,
      first: event[0],
      second: event[1],
      third: event[2],
      fourth: event[3],
      name: place.name,
      file: place.file,
      line: place.line,
      kind: event.kind,
      observer: event.observerCode,
      argumentCount: event.argumentCount
    )
  }
}
