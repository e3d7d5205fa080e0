// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace

/// Makes the lanes of one app, a life after the other, or of another process.
struct GroupBuilder {
  let player: Player
  let span: ClosedRange<Int64>
  let name: String
  /// A lane with more loses detail.
  private let itemsMax: Int
  private(set) var lives: [Layout.Life] = []
  private var lanes: [Lane] = []
  private var places: [Key: Int] = [:]

  /// Of the stream that is passed now.
  var stream = StreamID(rawValue: 0)
  private var clock = StreamClock(epoch: HostTime(rawValue: 0))
  /// The time of the event that is passed now; never before that of an earlier one.
  var now: Int64 = 0
  /// Since when the process is as it is, and how that looks.
  private var stay: (begin: Int64, sequence: UInt64, look: Bar.Look)?
  private var queue: (begin: Int64, sequence: UInt64, count: Int)?
  private var nextSequence: UInt64?
  /// Whether the player was interrupted while much was closed: what follows is not drawn.
  var isStopped = false
  /// Since when a purge would lose edits of an object, and the first of them.
  var unsaved: [NameID: (begin: Int64, sequence: UInt64)] = [:]

  /// What tells lanes apart.
  private struct Key: Hashable {
    var kind: Lane.Kind
    var id: UInt32
  }

  init(_ player: Player, _ span: ClosedRange<Int64>, _ name: String, itemsMax: Int) {
    (self.player, self.span, self.name, self.itemsMax) = (player, span, name, itemsMax)
  }

  /// Whether a process without events in the span runs through it.
  func isAlive(_ stream: StreamID, at cursor: Int) -> Bool {
    cursor > 0 && cursor < player.timeline.streams[Int(stream.rawValue)].count
      && player.state(of: stream, after: cursor).process.ending == nil
  }

  /// Passes the events of one process; `progress` hears how many of them so far.
  mutating func add(
    _ stream: StreamID,
    _ range: Range<Int>,
    _ occupancy: inout Occupancy,
    _ flows: inout FlowFinder,
    progress: (Int) -> Void
  ) throws(SearchInterrupted) {
    let timeline = player.timeline
    let number = Int(stream.rawValue)
    self.stream = stream
    clock = timeline.alignment.clocks[number]
    now = span.lowerBound
    nextSequence = nil
    var state = player.state(of: stream, after: range.lowerBound)
    let isKnown = range.lowerBound > 0 && state.process.ending == nil
    stay = isKnown ? (now, state.stateSequence, look(of: state)) : nil
    queue = nil
    noteQueue(state, 0)
    unsaved = [:]
    for object in state.data.values where isKnown && object.isUnsaved(at: .kernel) {
      guard let first = object.firstUnsaved ?? object.dirty else { continue }
      unsaved[object.name] = (time(first.time), first.sequence)
    }
    lives.append(
      Layout.Life(stream: stream, label: player.labels[stream], begin: now, end: now)
    )
    var at = range.lowerBound
    timeline.pass(range, of: number) { events, names in
      if player.isInterrupted() { isStopped = true }
      guard !isStopped else { return false }
      for place in events.indices {
        pass(events[place], &state, names, &occupancy, &flows)
        if at == range.lowerBound, range.lowerBound == 0 { lives[lives.count - 1].begin = now }
        at += 1
      }
      progress(at - range.lowerBound)
      return true
    }
    if isStopped { throw SearchInterrupted() }
    let isLast = range.upperBound == timeline.streams[number].count
    let end = isLast ? now : span.upperBound
    if state.process.ending == nil { closeAll(state, at: end, &occupancy) }
    if isStopped { throw SearchInterrupted() }
    closeStay(at: end)
    closeQueue(at: end)
    lives[lives.count - 1].end = end
  }

  private mutating func pass(
    _ event: borrowing Event,
    _ state: inout LifeState,
    _ names: borrowing Names,
    _ occupancy: inout Occupancy,
    _ flows: inout FlowFinder
  ) {
    now = max(now, time(event.time))
    occupancy.add(now)
    if let nextSequence, event.sequence > nextSequence {
      let gone = event.sequence - nextSequence
      mark(.state, .empty, .eventsLost, event.sequence, count: gone)
    }
    nextSequence = event.sequence &+ 1
    let wasOver = state.process.ending != nil
    let isData = event.kind.family == .data
    let old = isData ? state.data[names.known(event.identityName)] : nil
    before(event, state, names, &occupancy)
    state.apply(event, names: names)
    if isData { noteData(event, old, state.data[names.known(event.identityName)]) }
    after(event, state, names, &flows)
    if wasOver, state.process.ending == nil { stay = nil }
    let look: Bar.Look? = state.process.ending == nil ? self.look(of: state) : nil
    if look != stay?.look {
      closeStay(at: now)
      if let look { stay = (now, event.sequence, look) }
    }
    if event.kind.family == .notification || state.process.ending != nil {
      noteQueue(state, event.sequence)
    }
  }

  // MARK: What stays for a while

  private func look(of state: LifeState) -> Bar.Look {
    switch state.appState {
    case .unknown, .notRunning: .running
    case .inactive: .inactive
    case .active: .active
    case .background: .background
    case .suspended: .suspended
    }
  }

  private mutating func closeStay(at end: Int64) {
    guard let stay else { return }
    bar(.state, .empty, from: stay.begin, to: end, stay.sequence, .empty, stay.look)
    self.stay = nil
  }

  private mutating func noteQueue(_ state: LifeState, _ sequence: UInt64) {
    let count = state.process.ending == nil ? state.notifications.count : 0
    guard count != queue?.count ?? 0 else { return }
    closeQueue(at: now)
    if count > 0 { queue = (now, sequence, count) }
  }

  private mutating func closeQueue(at end: Int64) {
    guard let queue else { return }
    bar(
      .queue,
      .empty,
      from: queue.begin,
      to: end,
      queue.sequence,
      .empty,
      .queue,
      count: UInt32(clamping: queue.count)
    )
    self.queue = nil
  }

  // MARK: Lanes

  /// A raw time of the stream, on the axis of the recording.
  func time(_ time: HostTime) -> Int64 { clock.trace(time).rawValue }

  private mutating func lane(_ kind: Lane.Kind, _ id: UInt32) -> Int {
    let key = Key(kind: kind, id: id)
    if let place = places[key] { return place }
    let name =
      switch kind {
      case .thread: "t\(id)"
      case .object: player.names[NameID(rawValue: id)]
      default: ""
      }
    places[key] = lanes.count
    lanes.append(Lane(kind, name))
    return lanes.count - 1
  }

  mutating func bar(
    _ kind: Lane.Kind,
    _ id: NameID,
    from begin: Int64,
    to end: Int64,
    _ sequence: UInt64,
    _ name: NameID,
    _ look: Bar.Look,
    count: UInt32 = 1
  ) {
    let begin = max(begin, span.lowerBound)
    guard end >= begin else { return }
    let place = lane(kind, id.rawValue)
    lanes[place].bars.append(
      Bar(
        begin: begin,
        end: min(end, span.upperBound),
        stream: stream,
        sequence: sequence,
        name: name,
        count: count,
        look: look
      )
    )
    lanes[place].thinOut(itemsMax)
  }

  mutating func mark(
    _ lane: Lane.Kind,
    _ id: NameID,
    _ kind: Instant.Kind,
    _ sequence: UInt64,
    count: UInt64 = 1
  ) {
    let place = self.lane(lane, id.rawValue)
    lanes[place].instants.append(
      Instant(
        time: now,
        stream: stream,
        sequence: sequence,
        kind: kind,
        count: UInt32(clamping: count)
      )
    )
    lanes[place].thinOut(itemsMax)
  }

  /// The group with its lanes in order; nil where nothing of it is in the span.
  consuming func finish() -> Layout.Group? {
    guard !lives.isEmpty else { return nil }
    for place in lanes.indices { lanes[place].settle() }
    lanes.sort { ($0.kind.rawValue, -$0.weight, $0.name) < ($1.kind.rawValue, -$1.weight, $1.name) }
    return Layout.Group(name: name, lives: lives, lanes: lanes)
  }
}
