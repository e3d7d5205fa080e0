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
  private let timeline: Timeline
  private let keeper: StateKeeper
  private let evaluator: Evaluator
  private let elsewhere: Elsewhere
  private let isInterrupted: () -> Bool
  private var answers: [UInt64: ChunkAnswers] = [:]
  private var order: [UInt64] = []
  /// The ``Timeline/generation`` that the answers are of.
  private var generation = 0
  private var last: ChunkAnswers?
  /// Places at which it may hold, met so far.
  private var doubtful: Set<EventPlace> = []

  /// Asks `question` of the events that `player` walks.
  package convenience init(
    _ question: Question,
    _ player: Player,
    aim: Aim = .condition(maybe: false),
    of streams: Set<StreamID>? = nil
  ) {
    self.init(question, player.timeline, player.keeper, aim, streams) { player.isInterrupted() }
  }

  /// Asks `question` of the events of `timeline`.
  package convenience init(_ question: Question, _ timeline: Timeline) {
    let keeper = StateKeeper(timeline, Labels(timeline), room: .narrow)
    self.init(question, timeline, keeper, .condition(maybe: false), nil) { false }
  }

  private init(
    _ question: Question,
    _ timeline: Timeline,
    _ keeper: StateKeeper,
    _ aim: Aim,
    _ streams: Set<StreamID>?,
    _ isInterrupted: @escaping () -> Bool
  ) {
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
    case .change:
      filter = EventFilter(kinds: question.touching) { [self] event, _ in truth(of: event) == .yes }
      // Behind missing events nobody knows that it did not change.
      filter.findsGaps = true
    }
    filter.streams = streams
    return filter
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
    if truth == .unknown, doubtful.count < Self.undecidedMax,
      let index = timeline.streams[stream].index(ofSequence: event.sequence)
    {
      doubtful.insert(EventPlace(stream: event.stream, index: index))
    }
    return truth
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

  private func answers(of chunk: Int, of stream: Int) -> ChunkAnswers? {
    let key = UInt64(stream) << 32 | UInt64(chunk)
    if generation != timeline.generation {
      generation = timeline.generation
      answers.removeAll()
      order.removeAll()
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

  /// Folds through a chunk, and asks wherever it may hold.
  private func ask(_ number: Int, of stream: Int) -> ChunkAnswers {
    if !aim.isChange, question.isOfStateAlone { return askState(number, of: stream) }
    var state = keeper.state(beforeChunk: number, of: stream)
    let facts = timeline.streams[stream]
    var answers = ChunkAnswers(
      stream: facts.id,
      firstSequence: facts.chunks[number].firstSequence,
      count: facts.chunks[number].eventCount
    )
    let asked = aim.isChange ? question.touching : question.kinds
    var index = 0
    timeline.eachEvent(ofChunk: number, of: stream, isInterrupted: isInterrupted) { event, names in
      defer { index += 1 }
      guard asked.contains(event.kind) else { return state.apply(event, names: names) }
      // What is missing in front of the event is missing before it already.
      if state.nextSequence != event.sequence { state.meet(event) }
      evaluator.look(at: event, before: state, names)
      let place = EventPlace(stream: facts.id, index: facts.firstIndices[number] + index)
      if aim.isChange {
        look(event, names) { elsewhere.states(before: place) }
        let left = place.index == 0 ? keeper.state(leftBefore: stream) : nil
        let before = evaluator.value(of: event, after: left ?? state, names)
        state.apply(event, names: names)
        look(event, names) { elsewhere.states(after: place) }
        answers.set(Truth(before != evaluator.value(of: event, after: state, names)), at: index)
      } else {
        state.apply(event, names: names)
        evaluator.forgetElsewhere()
        var truth = evaluator.truth(of: event, after: state, names)
        if truth == .unknown, !question.writers.isEmpty {
          // Others are asked only where the event itself leaves it open.
          look(event, names) { elsewhere.states(after: place) }
          truth = evaluator.truth(of: event, after: state, names)
        }
        answers.set(truth, at: index)
      }
    }
    return answers
  }

  /// The same of a condition of the state alone, which stays as it is from one event that touches it to
  /// the next: so a chunk without any has one answer, that of its neighbour where nothing is missing
  /// between them.
  private func askState(_ number: Int, of stream: Int) -> ChunkAnswers {
    let facts = timeline.streams[stream]
    let chunk = facts.chunks[number]
    func whole(_ truth: Truth) -> ChunkAnswers {
      ChunkAnswers(
        stream: facts.id,
        firstSequence: chunk.firstSequence,
        count: chunk.eventCount,
        whole: truth
      )
    }
    let isTouched = !chunk.kinds.isDisjoint(with: question.touching)
    if !isTouched {
      if !facts.hasGap(before: number), let before = known(number - 1, of: stream) {
        return whole(before.last)
      }
      if number + 1 < facts.chunks.count, !facts.hasGap(before: number + 1),
        let same = known(number + 1, of: stream)?.whole,
        facts.chunks[number + 1].kinds.isDisjoint(with: question.touching)
      {
        return whole(same)
      }
    }
    var state = keeper.state(beforeChunk: number, of: stream)
    if !isTouched, state.nextSequence == chunk.firstSequence {
      return whole(evaluator.truth(at: chunk.firstTime, in: state, timeline.names).0)
    }
    var answers = ChunkAnswers(
      stream: facts.id,
      firstSequence: chunk.firstSequence,
      count: chunk.eventCount
    )
    var truth: Truth?
    var index = 0
    timeline.eachEvent(ofChunk: number, of: stream, isInterrupted: isInterrupted) { event, names in
      state.apply(event, names: names)
      let holds =
        truth.flatMap { question.touching.contains(event.kind) ? nil : $0 }
        ?? evaluator.truth(of: event, after: state, names)
      truth = holds
      answers.set(holds, at: index)
      index += 1
    }
    return answers
  }

  private func known(_ chunk: Int, of stream: Int) -> ChunkAnswers? {
    chunk < 0 ? nil : answers[UInt64(stream) << 32 | UInt64(chunk)]
  }

  private func look(_ event: Event, _ names: Names, _ states: () -> Elsewhere.States) {
    guard !question.writers.isEmpty else { return }
    evaluator.look(at: event, elsewhere: states(), names)
  }
}

extension Asking.Aim {
  fileprivate var isChange: Bool { if case .change = self { true } else { false } }
}
