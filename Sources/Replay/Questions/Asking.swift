// SPDX-License-Identifier: Apache-2.0
package import LifetraceQuery
package import LifetraceTimeline
import LifetraceLifecycle
package import LifetraceTrace
package import LifetraceWords

/// A question put to the events of a timeline, in either direction.
///
///     let asking = Asking(try Question("purge && any data where unsaved > 0"), player)
///     try player.find(asking.filter, .backward)
///     asking.undecided                 // places that a loss leaves open
///
/// A question of events alone is asked of each event when it is looked at. One of the state is asked
/// of a whole chunk at once, folding forward from its keyframe: what was found is kept, so that going
/// on, or back, asks nothing twice.
package final class Asking {
  /// Answers of no more chunks are kept.
  static let chunksMax = 512
  /// Places that could not be decided are counted up to here.
  package static let undecidedMax = 10_000

  /// What is looked for.
  package enum Aim: Sendable {
    /// Events at which a condition holds; with `maybe` also those at which a loss leaves it open.
    case condition(maybe: Bool)
    /// Events at which a value of the state becomes another one.
    case change
  }

  /// What is asked.
  package let question: Question
  /// What is looked for.
  package let aim: Aim
  /// Whose events are looked at; nil for all, or those that the player is held to.
  package let streams: Set<StreamID>?
  let timeline: Timeline
  let keeper: StateKeeper
  let evaluator: Evaluator
  let elsewhere: Elsewhere
  let isInterrupted: () -> Bool
  /// By stream: the times that the system sets.
  let limits: (StreamID) -> SystemLimits
  var answers: [UInt64: ChunkAnswers] = [:]
  private var order: [UInt64] = []
  /// The ``Timeline/generation`` that the answers are of.
  private var generation = 0
  private var last: ChunkAnswers?
  /// Which chunk was asked last, and the state behind it as far as it was folded.
  var latestEnd: (key: UInt64, state: LifeState)?
  /// Places at which it may hold, met so far.
  private var doubtful: Set<EventPlace> = []

  /// Asks `question` of the events that `player` walks.
  package convenience init(
    _ question: Question,
    _ player: Player,
    aim: Aim = .condition(maybe: false),
    of streams: Set<StreamID>? = nil
  ) {
    let timeline = player.timeline
    // A player keeps the questions of its stops: they may not keep it.
    let limits = { [weak player] stream in
      player?.limits(of: stream) ?? timeline.limits(of: stream, by: nil)
    }
    self.init(question, timeline, player.keeper, aim, streams, limits) { [weak player] in
      player?.isInterrupted() ?? true
    }
  }

  /// Asks `question` of the events of `timeline`.
  package convenience init(_ question: Question, _ timeline: Timeline) {
    let keeper = StateKeeper(timeline, Labels(timeline), room: .narrow)
    let limits: (StreamID) -> SystemLimits = { timeline.limits(of: $0, by: nil) }
    self.init(question, timeline, keeper, .condition(maybe: false), nil, limits) { false }
  }

  private init(
    _ question: Question,
    _ timeline: Timeline,
    _ keeper: StateKeeper,
    _ aim: Aim,
    _ streams: Set<StreamID>?,
    _ limits: @escaping (StreamID) -> SystemLimits,
    _ isInterrupted: @escaping () -> Bool
  ) {
    self.limits = limits
    self.isInterrupted = isInterrupted
    self.aim = aim
    self.streams = streams
    self.question = question
    self.timeline = timeline
    self.keeper = keeper
    evaluator = Evaluator(question)
    elsewhere = Elsewhere(question: question, timeline: timeline, keeper: keeper)
  }

  /// What finds the events that are looked for.
  package var filter: EventFilter {
    var filter: EventFilter
    switch aim {
    case .condition(let maybe):
      filter = EventFilter(kinds: question.kinds) { [self] event, names in
        guard question.needsState else { return evaluator.truth(of: event, names) == .yes }
        let truth = truth(of: event)
        return truth == .yes || maybe && truth == .unknown
      }
      filter.mentions = question.exactNames
      filter.mayOccur = { [question] in question.mayHold(among: $0) }
      filter.mentionsAmong = { [question] in question.names(among: $0) }
      if question.isOfStateAlone {
        filter.mayHoldIn = { [self] in answers(of: $1, of: $0)?.mayHold ?? true }
      }
      if !question.needsState {
        filter.firstAmong = { [evaluator] in
          evaluator.first(among: $0, $1, backward: $2 == .backward)
        }
      }
    case .change:
      filter = EventFilter(kinds: question.touching) { [self] event, _ in truth(of: event) == .yes }
      // Behind missing events nobody knows that it did not change.
      filter.findsGaps = true
    }
    filter.streams = streams
    if question.needsState || aim.isChange {
      filter.firstRow = { [self] in firstRow($2, ofChunk: $1, of: $0, $3) }
    }
    return filter
  }

  /// The first or the last of some rows of a chunk that is looked for; nil too where the search is being
  /// stopped.
  private func firstRow(
    _ rows: Range<Int>,
    ofChunk chunk: Int,
    of stream: Int,
    _ direction: Direction
  ) -> Int? {
    guard let known = answers(of: chunk, of: stream) else { return nil }
    var maybe = false
    if case .condition(true) = aim { maybe = true }
    let first = timeline.streams[stream].firstIndices[chunk]
    return known.row(in: rows, backward: direction == .backward, maybe: maybe) { row in
      doubt(stream, first + row)
    }
  }

  /// Whether the condition holds at an event of the timeline.
  package func truth(of event: Event) -> Truth {
    guard question.needsState || aim.isChange else {
      return evaluator.truth(of: event, timeline.names)
    }
    let stream = Int(event.stream.rawValue)
    if last?.holds(event) != true {
      guard let index = timeline.streams[stream].index(ofSequence: event.sequence) else {
        return .unknown
      }
      last = answers(of: timeline.streams[stream].chunk(holding: index), of: stream)
    }
    // Nil where the search is being stopped: it ends before it says anything of this event.
    guard let truth = last?.truth(of: event) else { return .no }
    if truth == .unknown,
      let index = timeline.streams[stream].index(ofSequence: event.sequence)
    {
      doubt(stream, index)
    }
    return truth
  }

  /// Notes a place that could not be decided.
  ///
  /// What the recorder itself says of the device has no begin of a process, and no life that might be
  /// missing: as long as nothing of it is lost, nothing of it is in doubt.
  private func doubt(_ stream: Int, _ index: Int) {
    guard doubtful.count < Self.undecidedMax else { return }
    let told = timeline.streams[stream]
    if told.attributes.role == .harness, told.chunks.first?.firstSequence == 0,
      !told.chunks.contains(where: { $0.kinds.contains(.loss) })
    {
      return
    }
    doubtful.insert(EventPlace(stream: told.id, index: index))
  }

  /// The places between two positions that it has met and that could not be decided.
  package func undecided(from first: Position, to last: Position) -> [EventPlace] {
    let ends = first < last ? (first, last) : (last, first)
    let (low, high) = (timeline.widened(ends.0), timeline.widened(ends.1))
    return doubtful.filter {
      let stream = Int($0.stream.rawValue)
      return low.cursors[stream] <= $0.index && $0.index < high.cursors[stream]
    }
  }

  /// All places that it has met and that could not be decided.
  package var met: [EventPlace] { Array(doubtful) }

  /// How many places could not be decided and which is the first; nil for none.
  ///
  /// `place` says where they lie; `name` is what the first is called, by place and number.
  package func undecidedWords(
    _ places: [EventPlace],
    _ place: String = "",
    name: (EventPlace, UInt64) -> EventName
  ) -> String? {
    guard let first = places.min(by: timeline.isBefore) else { return nil }
    let atLeast = places.count >= Self.undecidedMax ? "at least " : ""
    let lying = place.isEmpty ? "" : " \(place)"
    let sequence = timeline.streams[Int(first.stream.rawValue)].sequence(ofIndex: first.index)
    return atLeast + Quantity.count(places.count, "place") + lying
      + " could not be decided, the first at \(name(first, sequence)): events are missing"
  }

  static func key(_ chunk: Int, _ stream: Int) -> UInt64 { UInt64(stream) << 32 | UInt64(chunk) }

  private func answers(of chunk: Int, of stream: Int) -> ChunkAnswers? {
    let key = Self.key(chunk, stream)
    if generation != timeline.generation {
      generation = timeline.generation
      answers.removeAll()
      order.removeAll()
      latestEnd = nil
    }
    if let known = answers[key] { return known }
    guard !isInterrupted() else { return nil }
    if order.count >= Self.chunksMax { answers[order.removeFirst()] = nil }
    let made = ask(chunk, of: stream)
    // Of what was not asked to its end nothing is known.
    guard !isInterrupted() else { return nil }
    answers[key] = made
    order.append(key)
    return made
  }
}

extension Asking.Aim {
  var isChange: Bool { if case .change = self { true } else { false } }
}
