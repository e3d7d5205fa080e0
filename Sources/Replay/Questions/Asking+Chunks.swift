// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceQuery
import LifetraceTimeline
import LifetraceTrace

// A whole chunk is asked at once. Only what the question's state is made of is folded on the way, and
// only events at which it may hold are looked at.

extension Asking {
  /// So many rows of tables are looked at in a chunk before what is asked of them is kept up.
  private static let rowsMax = 1 << 14

  /// Folds through a chunk, and asks wherever it may hold.
  func ask(_ number: Int, of stream: Int) -> ChunkAnswers {
    evaluator.system = limits(timeline.streams[stream].id)
    if !aim.isChange, question.isOfStateAlone { return askState(number, of: stream) }
    var answers = noAnswers(number, of: stream)
    let first = timeline.streams[stream].firstIndices[number]
    guard aim.isChange else {
      let start = start(of: number, stream)
      if isTooShort(number, of: stream, start) { return answers }
      sift(number, of: stream, from: start) { event, row, state, names in
        let place = EventPlace(stream: answers.stream, index: first + row)
        answers.set(holds(at: event, place, &state, names), at: row)
      }
      return answers
    }
    fold(number, of: stream, asking: question.touching) { event, row, state, names in
      // What is missing in front of the event is missing before it already.
      if state.nextSequence != event.sequence { state.meet(event) }
      let place = EventPlace(stream: answers.stream, index: first + row)
      answers.set(change(at: event, place, &state, names), at: row)
    }
    return answers
  }

  /// Whether the condition holds at an event, which is folded.
  private func holds(
    at event: borrowing Event,
    _ place: EventPlace,
    _ state: inout LifeState,
    _ names: Names
  ) -> Truth {
    // To hand on the state copies it, which takes longer than most answers.
    let isAsked = question.kinds.contains(event.kind)
    if isAsked, evaluator.looksBefore { evaluator.look(at: event, before: state, names) }
    state.apply(event, of: question.folded, names: names)
    if evaluator.isFollowing { evaluator.changed(by: event, state, names) }
    guard isAsked else { return .no }
    if evaluator.isStale { evaluator.take(event, after: state, names) }
    guard evaluator.mayHold(at: event, names) else { return .no }
    guard !question.writers.isEmpty else { return evaluator.truth(of: event, after: state, names) }
    // Others are asked only where the event itself leaves it open.
    evaluator.forgetElsewhere()
    let truth = evaluator.truth(of: event, after: state, names)
    guard truth == .unknown else { return truth }
    evaluator.look(at: event, elsewhere: elsewhere.states(after: place), names)
    return evaluator.truth(of: event, after: state, names)
  }

  /// Whether the value changes at an event, which is folded.
  private func change(
    at event: borrowing Event,
    _ place: EventPlace,
    _ state: inout LifeState,
    _ names: Names
  ) -> Truth {
    evaluator.look(at: event, before: state, names)
    let isAlone = question.writers.isEmpty
    if !isAlone { evaluator.look(at: event, elsewhere: elsewhere.states(before: place), names) }
    let left = place.index == 0 ? keeper.state(leftBefore: Int(place.stream.rawValue)) : nil
    // That state is not the one that is followed.
    if left != nil { evaluator.stopFollowing() }
    let before = evaluator.value(of: event, after: left ?? state, names)
    state.apply(event, of: question.folded, names: names)
    evaluator.changed(by: event, state, names)
    if !isAlone { evaluator.look(at: event, elsewhere: elsewhere.states(after: place), names) }
    return Truth(before != evaluator.value(of: event, after: state, names))
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
    if chunk.kinds.isDisjoint(with: question.touching) {
      if !facts.hasGap(before: number), let before = known(number - 1, of: stream) {
        return whole(before.last)
      }
      if number + 1 < facts.chunks.count, !facts.hasGap(before: number + 1),
        let same = known(number + 1, of: stream)?.whole,
        facts.chunks[number + 1].kinds.isDisjoint(with: question.touching)
      {
        return whole(same)
      }
      let state = keeper.state(beforeChunk: number, of: stream)
      if state.nextSequence == chunk.firstSequence {
        return whole(evaluator.truth(at: chunk.firstTime, in: state, timeline.names).0)
      }
    }
    var answers = noAnswers(number, of: stream)
    var (truth, from) = (Truth.no, 0)
    fold(number, of: stream, asking: question.touching, andFirst: true) {
      event,
      row,
      state,
      names in
      for row in from..<row { answers.set(truth, at: row) }
      state.apply(event, names: names)
      if evaluator.isFollowing { evaluator.changed(by: event, state, names) }
      (truth, from) = (evaluator.truth(of: event, after: state, names), row)
    }
    if truth != .no { for row in from..<answers.count { answers.set(truth, at: row) } }
    return answers
  }

  /// Whether nothing in a chunk can have taken as long as is asked, by what is open before it; then it need not
  /// even be read.
  private func isTooShort(_ number: Int, of stream: Int, _ state: LifeState) -> Bool {
    let chunks = timeline.streams[stream].chunks
    // Else it would be folded for the next one.
    guard number + 1 == chunks.count || chunks[number + 1].keyframe == .full,
      let asked = asked(in: chunks[number], state)
    else { return false }
    return asked.unsure == KindSet()
      && asked.short == question.kinds.intersection(chunks[number].kinds)
  }

  /// The kinds of a piece of a chunk at whose events the condition cannot hold, because none of them can have taken
  /// as long as is asked; of ends whose begins may be missing it is looked whether they are.
  private func tooShort(
    in chunk: AskedChunk,
    _ events: Span<Event>,
    _ state: borrowing LifeState,
    _ names: Names
  ) -> KindSet {
    guard !evaluator.isFollowing, !events.isEmpty, state.nextSequence == events[0].sequence
    else { return KindSet() }
    var short = chunk.short
    if short != chunk.ends {
      var (first, last) = (events[0].time, events[0].time)
      for place in events.indices {
        first = min(first, events[place].time)
        last = max(last, events[place].time)
      }
      short = evaluator.tooShort(chunk.ends, from: first, to: last, after: state, names)
    }
    let unsure = short.intersection(chunk.unsure)
    return state.knowsBegins(ofEnds: unsure, among: events) ? short : short.subtracting(unsure)
  }

  /// What is asked of a chunk where it matters how long something took.
  private struct AskedChunk {
    /// Its kinds of events that end something and at which the condition may hold, and those of them that may end
    /// what began where that was not recorded.
    var ends: KindSet
    var unsure: KindSet
    /// Those of which none in the chunk can have taken as long, unless it began where that was not recorded.
    var short: KindSet
  }

  /// What is asked of the events of a chunk, where it is how long something took and none is missing among them.
  ///
  /// `state` is the one before the chunk.
  private func asked(in chunk: ChunkSummary, _ state: borrowing LifeState) -> AskedChunk? {
    guard evaluator.asksHowLong, state.nextSequence == chunk.firstSequence,
      !chunk.kinds.contains(.loss)
    else { return nil }
    let ends = KindSet(
      question.kinds.intersection(chunk.kinds).kinds.filter { $0.beginning != nil }
    )
    return AskedChunk(
      ends: ends,
      unsure: evaluator.unsure(ends, after: state),
      short: evaluator.tooShort(
        ends,
        from: chunk.firstTime,
        to: chunk.lastTime,
        after: state,
        timeline.names
      )
    )
  }

  /// Folds the events of a chunk that the state is made of, but hands those at which the condition may hold to
  /// `body`, which folds them; ends early where the search is being stopped.
  private func sift(
    _ number: Int,
    of stream: Int,
    from start: LifeState,
    _ body: (borrowing Event, _ row: Int, inout LifeState, Names) -> Void
  ) {
    let folded = question.folded
    let chunk = timeline.streams[stream].chunks[number]
    let asked = asked(in: chunk, start)
    var state = start
    latestEnd = nil
    var (row, looks, isStopped) = (0, 0, false)
    let seen = evaluator.rowsSeen
    evaluator.isInterrupted = isInterrupted
    evaluator.forgetState()
    evaluator.follow(question.kinds)
    defer { evaluator.stopFollowing() }
    timeline.eachPiece(ofChunk: number, of: stream) { events, names in
      let short = asked.map { tooShort(in: $0, events, state, names) } ?? KindSet()
      var rest = 0
      while let place = evaluator.next(among: events, from: rest, except: short, names) {
        state.apply(events.extracting(rest..<place), of: folded, names: names)
        rest = place + 1
        // What is missing in front of the event is missing before it already.
        if state.nextSequence != events[place].sequence { state.meet(events[place]) }
        body(events[place], row + place, &state, names)
        if !evaluator.isFollowing, evaluator.rowsSeen - seen > Self.rowsMax {
          // To look through the table again and again takes longer than to hear of each change.
          evaluator.follow(evaluator.followed)
        }
        // Asking other writers may take long.
        looks += 1
        if evaluator.wasInterrupted || looks & 0x3ff == 0 && isInterrupted() {
          isStopped = true
          return false
        }
      }
      state.apply(events.extracting(rest..<events.count), of: folded, names: names)
      row += events.count
      isStopped = isInterrupted()
      return !isStopped
    }
    if !isStopped { latestEnd = (Self.key(number, stream), state) }
  }

  /// Folds the events of a chunk that the state is made of, but hands those of the kinds `asked`, and with
  /// `andFirst` the first one, to `body`, which folds them; ends early where the search is being stopped.
  private func fold(
    _ number: Int,
    of stream: Int,
    asking asked: KindSet,
    andFirst: Bool = false,
    _ body: (borrowing Event, _ row: Int, inout LifeState, Names) -> Void
  ) {
    let folded = question.folded
    var state = start(of: number, stream)
    latestEnd = nil
    var (row, isStopped) = (0, false)
    var heard = asked
    let seen = evaluator.rowsSeen
    evaluator.isInterrupted = isInterrupted
    evaluator.follow(asked)
    defer { evaluator.stopFollowing() }
    timeline.eachPiece(ofChunk: number, of: stream) { events, names in
      var rest = 0
      for place in events.indices {
        // Asking other writers may take long.
        if place & 0x3ff == 0x3ff, isInterrupted() {
          isStopped = true
          return false
        }
        guard heard.contains(events[place].kind) || andFirst && row + place == 0 else { continue }
        state.apply(events.extracting(rest..<place), of: folded, names: names)
        rest = place + 1
        guard asked.contains(events[place].kind) || andFirst && row + place == 0 else {
          state.apply(events[place], of: folded, names: names)
          if evaluator.isFollowing { evaluator.changed(by: events[place], state, names) }
          continue
        }
        body(events[place], row + place, &state, names)
        if !evaluator.isFollowing, evaluator.rowsSeen - seen > Self.rowsMax {
          // To look through the table again and again takes longer than to hear of each change.
          heard.formUnion(evaluator.followed)
          evaluator.follow(heard)
        }
        if evaluator.wasInterrupted {
          isStopped = true
          return false
        }
      }
      state.apply(events.extracting(rest..<events.count), of: folded, names: names)
      row += events.count
      return true
    }
    if !isStopped { latestEnd = (Self.key(number, stream), state) }
  }

  /// The state before a chunk, as far as the question asks for it.
  private func start(of number: Int, _ stream: Int) -> LifeState {
    // Where there is no keyframe the chunk before would be folded once more.
    if timeline.streams[stream].chunks[number].keyframe != .full, number > 0,
      let latestEnd, latestEnd.key == Self.key(number - 1, stream)
    {
      return latestEnd.state
    }
    return keeper.state(beforeChunk: number, of: stream)
  }

  private func noAnswers(_ number: Int, of stream: Int) -> ChunkAnswers {
    let facts = timeline.streams[stream]
    return ChunkAnswers(
      stream: facts.id,
      firstSequence: facts.chunks[number].firstSequence,
      count: facts.chunks[number].eventCount
    )
  }

  private func known(_ chunk: Int, of stream: Int) -> ChunkAnswers? {
    chunk < 0 ? nil : answers[Self.key(chunk, stream)]
  }
}
