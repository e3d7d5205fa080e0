// SPDX-License-Identifier: Apache-2.0

/// An event that has just been put into its stream, for the parties that wait for it.
///
///     recorder.watch([.dataDurable]) { sightings in ... }
public struct Sighting: Sendable {
  /// The writer whose stream it stands in.
  public var writer: WriterID
  /// The kind of the event.
  public var kind: EventKind
  /// The event's time on the clock of the host.
  public var time: HostTime
  /// The names in it: of its site, its identity and its arguments; none for a kind that is not watched.
  public var words: [String]
  /// The event, for kinds that are watched.
  package var event: PortableEvent?
  /// How many; above 1 for kinds that are not watched, which are counted.
  public var count: Int
}

extension Sighting {
  /// One event with its words.
  package init(_ event: Event, by writer: WriterID, names: borrowing Names) {
    var words: [String] = []
    func add(_ id: UInt64) {
      let word = names[NameID(word: id)]
      if !word.isEmpty { words.append(word) }
    }
    if event.site != .none { add(names[event.site].name.word) }
    if let info = event.kind.info {
      event.eachName(info, labels: names[event.site].labels, add)
    }
    self.init(writer: writer, kind: event.kind, time: event.time, words: words, count: 1)
    self.event = PortableEvent(event, names: names)
  }

  /// The part of `events` worth reporting: those of `kinds` one by one, the others counted.
  package static func all(
    of events: some Sequence<Event>,
    by writer: WriterID,
    kinds: Set<EventKind>,
    names: borrowing Names
  ) -> [Sighting] {
    var found: [Sighting] = []
    var others: [EventKind: Int] = [:]
    for event in events {
      if kinds.contains(event.kind) {
        found.append(Sighting(event, by: writer, names: names))
      } else if let place = others[event.kind] {
        found[place].count += 1
        found[place].time = event.time
      } else {
        others[event.kind] = found.count
        found.append(
          Sighting(writer: writer, kind: event.kind, time: event.time, words: [], count: 1)
        )
      }
    }
    return found
  }
}
