// SPDX-License-Identifier: Apache-2.0
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

/// Gathers the places of verdicts in the order in which they are given, and puts them in order of place
/// at the end.
struct FindingCollector {
  private let timeline: Timeline
  private let placesMax: Int
  private var violations: [FindingList.Record] = []
  private var undecidable: [FindingList.Record] = []
  /// Where the words of those are that were kept, by their turn.
  private(set) var keys: [UInt32: VerdictKey] = [:]
  /// How many verdicts were given so far.
  private(set) var given: UInt32 = 0
  /// What findings are about; the first stands for nothing.
  private var objects = [""]
  private var objectNumbers: [NameID: UInt32] = [.empty: 0]

  init(_ timeline: Timeline, placesMax: Int) {
    self.timeline = timeline
    self.placesMax = placesMax
  }

  /// As many are taken over, or compared, between two looks at whether to go on.
  private static let askedAfter = 1_024

  /// Takes over the places of verdicts that were just given.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so: then it is of no more use.
  mutating func add(
    _ verdicts: some Sequence<PlacedVerdict>,
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) {
    for verdict in verdicts {
      guard violations.count + undecidable.count < placesMax else { return }
      if Int(given) % Self.askedAfter == 0, isInterrupted() { throw SearchInterrupted() }
      let place = verdict.place
      let event = timeline.place(of: place.stream, sequence: place.sequence)
      let record = FindingList.Record(
        time: event.map(timeline.orderTime(of:)) ?? .min,
        sequence: place.sequence,
        stream: place.stream.rawValue,
        object: number(of: place.object),
        given: given,
        rule: place.rule,
        severity: place.severity,
        isViolation: place.isViolation
      )
      if place.isViolation { violations.append(record) } else { undecidable.append(record) }
      if let key = verdict.kept { keys[given] = key }
      given += 1
    }
  }

  private mutating func number(of object: NameID) -> UInt32 {
    if let known = objectNumbers[object] { return known }
    let number = UInt32(objects.count)
    objects.append(timeline.names[object])
    objectNumbers[object] = number
    return number
  }

  /// Both lists in order of place; `kept` has words by turn, `ids` are those of the rules.
  /// - Throws: ``SearchInterrupted`` when `isInterrupted` says so.
  func finish(
    kept: [UInt32: Verdict],
    _ ids: [String],
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> (violations: FindingList, undecidable: FindingList) {
    func list(_ records: [FindingList.Record]) throws(SearchInterrupted) -> FindingList {
      FindingList(
        try sorted(records, ids, isInterrupted),
        rules: ids,
        kept: kept,
        objects: objects
      )
    }
    return (try list(violations), try list(undecidable))
  }

  /// Millions take a second.
  private func sorted(
    _ records: [FindingList.Record],
    _ ids: [String],
    _ isInterrupted: () -> Bool
  ) throws(SearchInterrupted) -> [FindingList.Record] {
    var compared = 0
    do {
      return try records.sorted { left, right in
        compared += 1
        if compared % Self.askedAfter == 0, isInterrupted() { throw SearchInterrupted() }
        return isBefore(left, right, ids)
      }
    } catch {
      // Nothing else is thrown there.
      throw SearchInterrupted()
    }
  }

  /// By place, then by rule, then as they were given; those without an event come first.
  private func isBefore(
    _ left: FindingList.Record,
    _ right: FindingList.Record,
    _ ids: [String]
  ) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.stream != right.stream {
      guard left.time != .min else { return left.stream < right.stream }
      return timeline.isBefore(event(left), event(right))
    }
    if left.sequence != right.sequence { return left.sequence < right.sequence }
    if left.rule != right.rule { return ids[Int(left.rule)] < ids[Int(right.rule)] }
    return left.given < right.given
  }

  private func event(_ record: FindingList.Record) -> EventPlace {
    EventPlace(
      stream: StreamID(rawValue: record.stream),
      index: timeline.streams[Int(record.stream)].index(from: record.sequence)
    )
  }
}
