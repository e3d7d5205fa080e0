// SPDX-License-Identifier: Apache-2.0
package import LifetraceJudging
package import LifetraceLifecycle
package import LifetraceTimeline
package import LifetraceTrace
package import LifetraceWords

/// Walks a recording forward and backward.
///
///     let player = Player(Timeline(source))
///     player.seek(toEvent: 1_000)
///     player.step(.backward)
///     player.state(of: player.focus).appState
///
/// It stands after the event last passed, ``event``; the state is what all
/// events up to and with it made. Each jump is remembered, so that it can be undone.
package final class Player {
  /// Places to go back to are no more than this; the oldest are forgotten.
  package static let historyMax = 1_000

  /// The order of all events.
  package let timeline: Timeline
  /// The names of the writers.
  package private(set) var labels: Labels
  /// The position at which the player stands.
  package private(set) var here: Position
  /// Where going on stops, by number.
  package var stops = Stops()
  /// The streams that stepping and searching look at; nil for all.
  package var only: Set<StreamID>?
  /// The violation it was sent to, as long as it stands there: of several at one event, which.
  package var violation: Finding?
  /// The profile whose times the system sets; nil for the one that the recording names.
  package var profile: Profile?
  /// Asked during all that may take long; when it says true, and then says so until the command has
  /// ended, that stops.
  package var isInterrupted: () -> Bool = { false }
  /// Hears how far into the recording a search has come, in events.
  package var progress: (Int) -> Void = { _ in }
  /// Waits for more of a recording that is being made, and takes it in; false where none will come.
  package var awaitMore: (() throws(SearchInterrupted) -> Bool)?

  let keeper: StateKeeper
  /// Where it stands between two events: the instant, behind how many of them.
  private var between: (ordinal: Int, time: TraceTime)?
  private var past: [Position] = []
  private var future: [Position] = []
  var judged: (by: Judgement, findings: Findings)?
  /// How many events there were then.
  var judgedCount = 0
  /// The rules at work on a recording that is being made.
  var growing: GrowingFindings?
  /// Verdicts made again, the newest first.
  var retellings: [Retelling] = []
  /// What led to what, as far as somebody asked.
  package let causesKnown = KnownCauses()
  private var lastFocus: StreamID
  /// Before any app has started: the one that will be the first.
  private let firstFocus: StreamID

  /// Stands before the first event; keeps as many states as there is room for.
  package init(_ timeline: Timeline, states room: StateKeeper.Room = .wide) {
    self.timeline = timeline
    labels = Labels(timeline)
    here = timeline.start
    keeper = StateKeeper(timeline, labels, room: room)
    let apps = timeline.startOrder.filter { timeline.streams[$0].attributes.role == .app }
    firstFocus = StreamID(rawValue: UInt32(apps.first ?? timeline.startOrder.first ?? 0))
    lastFocus = firstFocus
  }

  /// What the ids in events stand for.
  package var names: Names { timeline.names }

  /// The place of the event last passed, or nil at the start.
  package var place: EventPlace? { timeline.eventBefore(here) }

  /// The event last passed, or nil at the start.
  package var event: Event? { place.map(timeline.event(at:)) }

  /// How far it is into the recording: the latest time of the events passed, or the instant behind it to
  /// which it was sent.
  package var time: TraceTime { instant ?? event.map(timeline.time(of:)) ?? .zero }

  /// The instant at which it stands, where that is none of an event.
  package var instant: TraceTime? {
    between.flatMap { $0.ordinal == here.ordinal ? $0.time : nil }
  }

  /// The stream that questions are about: the app of the last event.
  ///
  /// If that event is about another process: the app that was asked about before, as long as it
  /// lives, else the one that was seen last.
  package var focus: StreamID {
    if let stream = place?.stream, isApp(Int(stream.rawValue)) {
      lastFocus = stream
      return stream
    }
    // The app one was looking at, as long as it lives; else the one that was seen last.
    let cursor = cursor(of: lastFocus)
    if cursor > 0, cursor < timeline.streams[Int(lastFocus.rawValue)].count { return lastFocus }
    var latest: (time: Int64, stream: Int)?
    for stream in timeline.startOrder where isApp(stream) {
      guard let time = timeline.latestTime(of: stream, before: here.cursors[stream]) else {
        continue
      }
      if latest.map({ time >= $0.time }) ?? true { latest = (time, stream) }
    }
    lastFocus = latest.map { timeline.streams[$0.stream].id } ?? firstFocus
    return lastFocus
  }

  private func isApp(_ stream: Int) -> Bool { timeline.streams[stream].attributes.role == .app }

  /// The one name of an event, which `check` prints too: `notes#1:22`.
  package func name(of place: EventPlace) -> EventName {
    let stream = timeline.streams[Int(place.stream.rawValue)]
    return EventName(
      writer: labels[place.stream],
      sequence: stream.sequence(ofIndex: place.index)
    )
  }

  /// An end with the site of its begin, where it carries none of its own: that has the name.
  package func named(_ event: Event, at place: EventPlace) -> Event {
    guard names[event.site].name == .empty, let begin = event.kind.begin,
      let span = state(of: event.stream, after: place.index)
        .spans[SpanKey(event.identity, begin)]
    else { return event }
    var named = event
    named.site = span.site
    return named
  }

  // MARK: - State

  /// The state of a stream where the player stands.
  package func state(of stream: StreamID) -> LifeState {
    keeper.state(of: Int(stream.rawValue), after: here.cursors[Int(stream.rawValue)])
  }

  /// The state of a stream after that many of its events.
  package func state(of stream: StreamID, after cursor: Int) -> LifeState {
    keeper.state(of: Int(stream.rawValue), after: cursor)
  }

  /// How many events of a stream have happened.
  package func cursor(of stream: StreamID) -> Int { here.cursors[Int(stream.rawValue)] }

  /// The stream of the incarnation before, if it is in the recording.
  package func previous(of stream: StreamID) -> StreamID? {
    labels.previous(of: Int(stream.rawValue)).map { StreamID(rawValue: UInt32($0)) }
  }

  // MARK: - Moving

  /// Goes by `count` events and says how many there were to go; `progress` hears how many are behind.
  ///
  /// Steps are one place in the history however many they are.
  @discardableResult
  package func step(
    _ direction: Direction,
    count: Int = 1,
    progress: (Int) -> Void = { _ in }
  ) throws(SearchInterrupted) -> Int {
    let from = here
    var done = 0
    while done < count {
      // Of many writers, each of these steps may have to decode something.
      if done & 0x3f == 0x3f {
        progress(done)
        if isInterrupted() {
          here = from
          throw SearchInterrupted()
        }
      }
      if only != nil {
        guard let place = try find(EventFilter { _, _ in true }, direction) else { break }
        here = position(at: place)
      } else if direction == .forward {
        guard timeline.stepForward(&here) != nil else { break }
      } else {
        guard timeline.stepBackward(&here) != nil else { break }
      }
      done += 1
    }
    if here != from { remember(from) }
    (violation, between) = (nil, nil)
    return done
  }

  /// Has what a jump there looks at decoded, so that the jump itself takes no time; moves nothing.
  ///
  /// `progress` hears how many of the writers that live there are at hand.
  package func approach(
    event number: Int,
    progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws(SearchInterrupted) {
    try timeline.prepare(ordinal: number, isInterrupted: isInterrupted, progress: progress)
  }

  /// The same before a jump to a time.
  package func approach(
    _ time: TraceTime,
    progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
  ) throws(SearchInterrupted) {
    try timeline.prepare(time: time, isInterrupted: isInterrupted, progress: progress)
  }

  /// Goes to where exactly `number` events have happened.
  package func seek(toEvent number: Int) { move(to: timeline.position(ordinal: number)) }

  /// Stands there from the beginning: there is nothing to undo.
  package func open(atEvent number: Int) {
    here = timeline.position(ordinal: number)
    past.removeAll()
    future.removeAll()
  }

  /// Goes to an instant: behind the last event that is not later.
  package func seek(to time: TraceTime) {
    move(to: timeline.position(at: time))
    if time > self.time { between = (here.ordinal, time) }
  }

  /// Goes to just behind an event.
  package func seek(to place: EventPlace) { move(to: position(at: place)) }

  /// The position just behind an event.
  package func position(at place: EventPlace) -> Position { timeline.position(after: place) }

  /// Stands just behind an event for as long as `look` takes; the history knows nothing of it.
  package func visit<Answer>(_ place: EventPlace, _ look: () throws -> Answer) rethrows -> Answer {
    let from = (here, violation, between)
    (here, violation, between) = (position(at: place), nil, nil)
    defer { (here, violation, between) = from }
    return try look()
  }

  /// Moves as it likes while it looks, and is then back; the history knows nothing of it.
  package func lookAround<Answer>(_ look: () throws -> Answer) rethrows -> Answer {
    let (here, past, future, between) = (here, past, future, between)
    defer { (self.here, self.past, self.future, self.between) = (here, past, future, between) }
    return try look()
  }

  private func move(to position: Position) {
    (violation, between) = (nil, nil)
    guard position != here else { return }
    remember(here)
    here = position
  }

  /// Takes in what its recording has got since; whether there is anything.
  ///
  /// It stands where it stood, and numbers and history are as they were. What the rules said
  /// is as old as before, until they are asked again.
  @discardableResult
  package func grow() -> Bool {
    let growth = timeline.grow()
    guard growth != .none else { return false }
    causesKnown.forget()
    guard growth != .events else { return true }
    labels = Labels(timeline)
    here = timeline.widened(here)
    past = past.map(timeline.widened)
    future = future.map(timeline.widened)
    return true
  }

  // MARK: - History

  private func remember(_ position: Position) {
    // Many at once: to move all others up by one would cost more than the step.
    if past.count == Self.historyMax { past.removeFirst(Self.historyMax / 4) }
    past.append(position)
    future.removeAll()
  }

  /// Goes back to where it stood before the last jump; false if there was none.
  package func undo() -> Bool {
    guard let position = past.popLast() else { return false }
    future.append(here)
    (here, violation, between) = (position, nil, nil)
    return true
  }

  /// Undoes the last undo; false if there was none.
  package func redo() -> Bool {
    guard let position = future.popLast() else { return false }
    past.append(here)
    (here, violation, between) = (position, nil, nil)
    return true
  }

  // MARK: - Searching

  /// The nearest event that the filter accepts; does not move.
  package func find(_ filter: EventFilter, _ direction: Direction, from position: Position? = nil)
    throws(SearchInterrupted) -> EventPlace?
  {
    // Going backward, the event one stands on is not a find.
    var from = position ?? here
    if position == nil, direction == .backward { timeline.stepBackward(&from) }
    var filter = filter
    if filter.streams == nil { filter.streams = only }
    var reached = from.ordinal
    return try timeline.find(
      filter,
      from: from,
      direction,
      isInterrupted: isInterrupted
    ) {
      reached += direction == .forward ? $0 : -$0
      progress(max(0, min(reached, timeline.count)))
    }
  }
}
