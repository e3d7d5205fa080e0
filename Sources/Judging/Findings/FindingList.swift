// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace

/// A verdict of which the place is known, and perhaps the words.
package struct Finding: Sendable, Hashable {
  /// What `#3` means, from 1, in order of place.
  package let number: Int
  /// The id of the rule.
  package let rule: String
  /// How bad it is here.
  package let severity: Severity
  /// Broken, or else undecidable.
  package let isViolation: Bool
  /// The stream it is about.
  package let stream: StreamID
  /// The event at which it became so; the recording may lack it.
  package let sequence: UInt64
  /// The data object that the rule names, if it names one; else empty.
  package let object: String
  /// When the event happened, on the axis of the recording; nil where it is missing.
  package let time: TraceTime?
  /// The rule's verdict, where it was kept; else ``Player/verdict(of:by:)`` makes it.
  package let kept: Verdict?
  /// The index of the rule in the table.
  package let ruleIndex: Int
  /// Which verdict of all it is, in the order in which they are given.
  let given: UInt32
}

/// Findings in order of place: one for every verdict, whether its words were kept or not.
package struct FindingList: RandomAccessCollection, Sendable {
  /// One finding, small: a recording may have millions.
  struct Record: Sendable {
    /// The order time of the event; the least for one that is missing.
    var time: Int64
    var sequence: UInt64
    var stream: UInt32
    var object: UInt32
    /// Which verdict of all it is, in the order in which they are given.
    var given: UInt32
    var rule: UInt8
    var severity: Severity
    var isViolation: Bool
  }

  let records: [Record]
  /// The ids of the rules, by index.
  private let rules: [String]
  /// The kept verdicts, by the `given` of their findings.
  let kept: [UInt32: Verdict]
  let objects: [String]
  /// How many in front are about an event that is missing.
  private let missing: Int

  init(_ records: [Record], rules: [String], kept: [UInt32: Verdict], objects: [String]) {
    self.records = records
    self.rules = rules
    self.kept = kept
    self.objects = objects
    missing = records.partitioningIndex { $0.time != .min }
  }

  /// The first finding is number 1.
  package var startIndex: Int { 0 }
  /// How many findings there are.
  package var endIndex: Int { records.count }

  /// The finding with the number `index + 1`.
  package subscript(index: Int) -> Finding {
    let record = records[index]
    return Finding(
      number: index + 1,
      rule: rules[Int(record.rule)],
      severity: record.severity,
      isViolation: record.isViolation,
      stream: StreamID(rawValue: record.stream),
      sequence: record.sequence,
      object: objects[Int(record.object)],
      time: record.time == .min ? nil : TraceTime(rawValue: record.time),
      kept: kept[record.given],
      ruleIndex: Int(record.rule),
      given: record.given
    )
  }

  /// The findings whose event can be gone to.
  package var placed: Range<Int> { missing..<records.count }

  /// Those of the event just before `position`: those behind them are still to come.
  ///
  /// Empty where no rule speaks of that event; then too, those before it are passed.
  package func range(at position: Position, in timeline: Timeline) -> Range<Int> {
    let end = records[placed].partitioningIndex { record in
      let stream = timeline.streams[Int(record.stream)]
      return stream.index(from: record.sequence) >= position.cursors[Int(record.stream)]
    }
    guard let place = timeline.eventBefore(position) else { return end..<end }
    let sequence = timeline.streams[Int(place.stream.rawValue)].sequence(ofIndex: place.index)
    var first = end
    while first > missing, records[first - 1].stream == place.stream.rawValue,
      records[first - 1].sequence == sequence
    {
      first -= 1
    }
    return first..<end
  }

  /// The turns of the findings of the same rule on the same stream, in order.
  func given(like finding: Finding) -> [UInt32] {
    records.lazy
      .filter { $0.stream == finding.stream.rawValue && Int($0.rule) == finding.ruleIndex }
      .map(\.given).sorted()
  }
}
