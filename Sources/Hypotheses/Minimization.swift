// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
import LifetraceLifecycle
package import LifetraceRules
package import LifetraceTimeline
import LifetraceTrace

/// The smallest part of a recording in which a rule is broken as it is in the whole.
///
///     let small = try Minimization(of: finding, verdict, by: judgement, on: timeline)
///     small.events.count           // 9, of 4,000
///
/// It explains: what is not in it has nothing to do with the verdict. It is no life that an app has
/// lived, or would live. What belongs together stays together (``EventUnits``), the witnesses of the
/// verdict and the launch stay, so does what is `kept`, and the app goes from state to state as the system moves it (ST01). None of the
/// units can be left out any more, where ``isMinimal``.
///
/// Each trial is a check of what is left by two rules.
package struct Minimization: Sendable {
  /// One event of the result.
  package struct Kept: Sendable {
    /// Where it is in the whole.
    package var place: EventPlace
    /// Its number in the whole.
    package var sequence: UInt64
  }

  /// More events are not looked at: those of the app's lives up to the verdict.
  package static let eventsMax = 1 << 20

  /// What is left of each writer that has a part in it, its events numbered from 0.
  package private(set) var writers: [MemorySource.Writer] = []
  /// Its events as they are in the whole, writer by writer.
  package private(set) var events: [Kept] = []
  /// How many events the lives had of which it is a part.
  package private(set) var countBefore = 0
  /// How often what was left was checked.
  package private(set) var trials = 0
  /// Whether no unit can be left out; false where it was ended before that was known.
  package private(set) var isMinimal = false

  /// Nothing to minimise.
  package enum Problem: Error, Sendable, Equatable {
    /// The lives have more events than ``eventsMax``: so many.
    case tooLong(Int)
    /// By themselves they do not break the rule: something else in the recording has a part in it.
    case notAlone
    /// It was interrupted before all of it had been judged once: nothing is known of its parts.
    case stopped
  }

  /// Looks for it until it is found, or `isInterrupted` says so: the best so far counts then.
  ///
  /// `kept` are events that stay, such as those of the cause; `progress` hears how many events are left.
  package init(
    of finding: Finding,
    _ verdict: Verdict,
    by judgement: Judgement,
    on timeline: Timeline,
    keeping kept: [EventPlace] = [],
    isInterrupted: () -> Bool = { false },
    progress: (Int) -> Void = { _ in }
  ) throws(Problem) {
    let search = try MinimizationSearch(
      finding,
      verdict,
      judgement,
      timeline,
      kept,
      isInterrupted
    )
    countBefore = search.count
    var parts = search.parts
    trials += 1
    guard let isBroken = search.isBroken(parts, isInterrupted) else { throw .stopped }
    guard isBroken else { throw .notAlone }
    isMinimal = true
    parts = smallestPart(of: parts, count: { $0.free.count }) { parts, range in
      guard !isInterrupted() else {
        isMinimal = false
        return nil
      }
      trials += 1
      var rest = parts
      rest.free.removeSubrange(range)
      guard let isBroken = search.isBroken(rest, isInterrupted) else {
        isMinimal = false
        return nil
      }
      guard isBroken else { return nil }
      progress(search.count(of: rest))
      return rest
    }
    let left = search.left(of: parts)
    for (list, indices) in left.enumerated() where !indices.isEmpty {
      let stream = search.streams[list]
      writers.append(search.writer(list, indices))
      events += indices.map {
        Kept(
          place: EventPlace(stream: StreamID(rawValue: UInt32(stream)), index: $0),
          sequence: search.events[list][$0].sequence
        )
      }
    }
  }
}

/// What the search knows: the events of the lives, in units, and by what they are judged.
private struct MinimizationSearch {
  /// Indices of units: those that stay, and those that may be left out.
  struct Parts {
    var fixed: [Int]
    var free: [Int]
  }

  let streams: [Int]
  let events: [[Event]]
  let units: [[EventUnits.Member]]
  private(set) var parts: Parts
  private let writers: [(id: WriterID, attributes: WriterAttributes)]
  private let names: Names
  private let finding: Finding
  private let object: String
  private let checker: Checker
  /// By list: the events at which ST01 was broken before, whose numbers are these.
  private var illegal: [Set<UInt64>] = []

  var count: Int { events.reduce(0) { $0 + $1.count } }

  init(
    _ finding: Finding,
    _ verdict: Verdict,
    _ judgement: Judgement,
    _ timeline: Timeline,
    _ kept: [EventPlace],
    _ isInterrupted: () -> Bool
  ) throws(Minimization.Problem) {
    var witnesses = Set(
      verdict.witnesses.filter { $0.label != Witness.open }.map {
        Place(stream: Int($0.stream.rawValue), sequence: $0.sequence)
      }
    )
    for place in kept {
      let sequence = timeline.event(at: place).sequence
      witnesses.insert(Place(stream: Int(place.stream.rawValue), sequence: sequence))
    }
    let own = Int(finding.stream.rawValue)
    witnesses.insert(Place(stream: own, sequence: finding.sequence))
    let needed = Set(witnesses.map(\.stream)).union([own])
    let rules = try? RuleSelection("\(finding.rule),ST01", of: judgement.table)
    checker =
      Judgement(
        profile: judgement.profile,
        rules: rules ?? judgement.rules,
        of: judgement.table
      ).checker
    // That a message was late, or is not received, follows from what is recorded of others.
    let looksAcross = checker.asksForMessages
    let lives = timeline.lives.filter { life in
      looksAcross || life.incarnations.contains { needed.contains($0.index) }
    }
    streams = lives.flatMap { $0.incarnations.map(\.index) }
    let count = streams.reduce(0) { $0 + timeline.streams[$1].count }
    guard count <= Minimization.eventsMax else { throw .tooLong(count) }
    events = streams.map { stream in
      var events: [Event] = []
      timeline.pass(0..<timeline.streams[stream].count, of: stream) { piece, _ in
        for index in piece.indices { events.append(piece[index]) }
        return !isInterrupted()
      }
      return events
    }
    guard let all = EventUnits(events, isInterrupted)?.units else { throw .stopped }
    units = all
    var parts = Parts(fixed: [], free: [])
    let (events, streams) = (events, streams)
    for unit in all.indices {
      let stays = all[unit].contains { member in
        let (stream, event) = (streams[member.list], events[member.list][member.index])
        // A life begins with its launch.
        return event.kind == .processStart && needed.contains(stream)
          || witnesses.contains(Place(stream: stream, sequence: event.sequence))
      }
      if stays { parts.fixed.append(unit) } else { parts.free.append(unit) }
    }
    self.parts = parts
    writers = streams.map { timeline.writers[$0] }
    names = timeline.names
    self.finding = finding
    object = finding.object
    illegal = Array(repeating: [], count: streams.count)
    guard let whole = verdicts(parts, isInterrupted) else { throw .stopped }
    for place in whole where place.rule == Self.legality && place.rule != finding.rule {
      illegal[place.list].insert(place.sequence)
    }
  }

  private static let legality = "ST01"

  private struct Place: Hashable {
    var stream: Int
    var sequence: UInt64
  }

  /// By list, the indices of the events that are left, in order.
  func left(of parts: Parts) -> [[Int]] {
    var left = [[Int]](repeating: [], count: events.count)
    for unit in parts.fixed + parts.free {
      for member in units[unit] { left[member.list].append(member.index) }
    }
    return left.map { $0.sorted() }
  }

  func count(of parts: Parts) -> Int {
    (parts.fixed + parts.free).reduce(0) { $0 + units[$1].count }
  }

  /// What is left of a writer, numbered anew: what was left out is not missing.
  func writer(_ list: Int, _ indices: [Int]) -> MemorySource.Writer {
    var left = indices.map { events[list][$0] }
    for index in left.indices { left[index].sequence = UInt64(index) }
    return .init(id: writers[list].id, attributes: writers[list].attributes, events: left)
  }

  /// Whether the rule is broken there as it was, at the same event, and the app's life is one; nil where it
  /// was interrupted.
  func isBroken(_ parts: Parts, _ isInterrupted: () -> Bool) -> Bool? {
    guard let verdicts = verdicts(parts, isInterrupted) else { return nil }
    var isFound = false
    for place in verdicts {
      if place.rule == finding.rule {
        isFound =
          isFound
          || place.list == streams.firstIndex(of: Int(finding.stream.rawValue))
            && place.sequence == finding.sequence && place.object == object
            && place.severity == finding.severity
      } else if !illegal[place.list].contains(place.sequence) {
        return false
      }
    }
    return isFound
  }

  /// What was broken, at which events of the whole; nil where it was interrupted.
  private func verdicts(_ parts: Parts, _ isInterrupted: () -> Bool) -> [(
    rule: String, list: Int, sequence: UInt64, object: String, severity: Severity
  )]? {
    let left = left(of: parts)
    let lists = left.indices.filter { !left[$0].isEmpty }
    if isInterrupted() { return nil }
    let source = MemorySource(lists.map { writer($0, left[$0]) }, names: names)
    var judge = Judge(source, checker)
    judge.collectPlaces()
    var isStopped = false
    judge.judge(source.lives) { _, _ in
      isStopped = isInterrupted()
      return !isStopped
    }
    if isStopped { return nil }
    var checker = judge.checker
    let ids = checker.infos.map(\.id)
    return checker.takePlaces().filter(\.place.isViolation).map { placed in
      let place = placed.place
      let list = lists[Int(place.stream.rawValue)]
      let index = left[list][min(Int(place.sequence), left[list].count - 1)]
      return (
        ids[Int(place.rule)], list, events[list][index].sequence, names[place.object],
        place.severity
      )
    }
  }
}
