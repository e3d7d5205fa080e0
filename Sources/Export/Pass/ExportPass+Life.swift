// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

// What the fold knows of a process: its states, what it has not saved, what waits for it, its end.

extension ExportPass where Format: ~Copyable {
  /// The first event of a process is at hand: from here on it has lanes, and what a keyframe knows.
  mutating func begin(_ stream: Int, _ rows: EventRows, _ names: borrowing Names) {
    processes[stream].hasBegun = true
    let first = rows.events[0]
    let keyframe = timeline.keyframe(rows.chunk, of: stream)
    if !keyframe.isEmpty, let facts = timeline.source.state(decoding: keyframe) {
      processes[stream].life = facts
      restore(stream, at: first.time, names)
    } else if rows.firstIndex == 0, let before = predecessors[stream] {
      // What it has left decides whether an edit makes what stands there already.
      let left = processes[before].life
      processes[stream].life.beginIncarnation(after: left, names: names)
    }
    let time = processes[stream].clock.trace(first.time).rawValue
    if processes[stream].life.appState != .unknown { changeState(first, stream, names) }
    processes[stream].whole = begun(
      first,
      Title(process: StreamID(rawValue: UInt32(stream))),
      apps[stream],
      nil,
      time,
      names
    )
  }

  /// Whether `time` is in the span yet; the first one that is writes what has begun before it.
  mutating func reach(_ time: Int64, _ stream: Int, _ names: borrowing Names) {
    guard time >= span.lowerBound else { return }
    processes[stream].isInSpan = true
    guard span.lowerBound > .min else { return }
    let first = span.lowerBound
    for open in processes[stream].open.reversed()
    where open.isShown && !open.isWritten && open.time < first {
      format.begin(open.slice, names)
    }
    processes[stream].markWritten(before: first)
    for group in LaneGroup.counters {
      guard let value = counter(group, stream), value != 0 else { continue }
      format.counter(main(pool(stream, group)), value, at: span.lowerBound)
    }
  }

  // MARK: States

  /// Process, state and meta events: what changes no state is an instant.
  mutating func drawState(
    _ event: borrowing Event,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    let wasOver = processes[stream].life.process.ending != nil
    processes[stream].life.apply(event, names: names)
    if !isSliceOfState(event, stream) { instant(event, stream, time, names) }
    if !wasOver, processes[stream].life.process.ending != nil {
      cut(stream, at: time, .cut, names)
      processes[stream].shownState = processes[stream].life.appState
      // What it had in memory is gone.
      for group in LaneGroup.counters where counter(group, stream) != nil {
        count(group, 0, stream, time)
      }
    }
  }

  /// Whether an event that was just folded begins the slice of a state, and so is none besides.
  private func isSliceOfState(_ event: borrowing Event, _ stream: Int) -> Bool {
    let (kind, sequence) = (event.kind, event.sequence)
    guard kind == .transition || kind == .suspend || kind == .resume else { return false }
    let life = processes[stream].life
    return life.stateSequence == sequence && life.appState != processes[stream].shownState
      && life.appState != .unknown && life.process.ending == nil
  }

  /// The slice of a state ends, and that of the next begins; a dead process and an unknown state have
  /// none.
  mutating func changeState(_ event: borrowing Event, _ stream: Int, _ names: borrowing Names) {
    let life = processes[stream].life.appState
    let since = processes[stream].life.stateSince
    processes[stream].shownState = life
    let time = processes[stream].clock.trace(since).rawValue
    if let known = processes[stream].state {
      processes[stream].state = nil
      close(known, at: time, .ended, names)
    }
    guard life != .unknown, processes[stream].life.process.ending == nil else { return }
    processes[stream].state = begun(
      event,
      Title(state: life),
      pool(stream, .state),
      nil,
      time,
      names
    )
  }

  // MARK: Data

  mutating func drawData(
    _ event: borrowing Event,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    let object = names.known(event.identityName)
    let before = processes[stream].life.data[object]?.unsavedBytes
    processes[stream].life.apply(event, names: names)
    let after = processes[stream].life.data[object]?.unsavedBytes
    let lane = pool(stream, object: object, names)
    if isHit, span.contains(time) {
      var instant = Instant(
        lane: main(lane),
        title: Title(.instant, event.kind, object),
        time: time,
        event: copy event
      )
      put(&instant, names)
    }
    guard before != after else { return }
    if before == nil {
      let title = Title(.unsaved, event.kind, object)
      let open = begun(event, title, lane, nil, time, names)
      processes[stream].unsaved.insert(open, for: object)
    } else if after == nil, let place = processes[stream].unsaved.place(of: object) {
      let open = processes[stream].unsaved.entries[place].value
      processes[stream].unsaved.remove(at: place)
      close(open, at: time, .ended, names)
    }
    processes[stream].unsavedBytes &-= before ?? 0
    processes[stream].unsavedBytes &+= after ?? 0
    count(.unsaved, Int64(clamping: processes[stream].unsavedBytes), stream, time)
  }

  // MARK: Notifications

  /// A post has an arrow to the delivery that answers it.
  mutating func drawNotification(
    _ event: borrowing Event,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    let isShown = isHit && span.contains(time)
    var (begins, ends) = (Flows(), Flows())
    let isAnswer = event.kind == .notificationDelivered
    let before = isAnswer ? Array(processes[stream].life.notifications.values) : []
    let count = processes[stream].life.notifications.count
    processes[stream].life.apply(event, names: names)
    let waiting = processes[stream].life.notifications
    if waiting.count > count {
      begins.append(flow(stream, event.sequence))
    } else if isAnswer {
      for pending in before where waiting[NotificationKey(pending.type, pending.key)] == nil {
        ends.append(flow(stream, pending.sequence))
      }
    }
    if isShown {
      var instant = Instant(
        lane: main(pool(stream, .notifications)),
        title: Title(.instant, event.kind, names.known(event.identityName)),
        time: time,
        event: copy event,
        begins: begins,
        ends: ends
      )
      put(&instant, names)
    }
    self.count(.waiting, Int64(waiting.count), stream, time)
  }

  private func flow(_ stream: Int, _ sequence: UInt64) -> UInt64 {
    MessageFlows.number(sequence, ~UInt32(stream))
  }

  // MARK: Findings and ends

  mutating func drawFindings(
    _ sequence: UInt64,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    while processes[stream].findingsPassed < processes[stream].findings.count {
      let next = processes[stream].findings[processes[stream].findingsPassed]
      guard next.sequence <= sequence else { return }
      processes[stream].findingsPassed += 1
      guard let finding = finding(next.number),
        selection == nil || isHit && next.sequence == sequence
      else { continue }
      // Whatever it is about may be missing: then it stands at the next event that is there.
      let time = finding.kept.map { processes[stream].clock.trace($0.time).rawValue } ?? time
      if span.contains(time) {
        format.finding(finding, in: main(pool(stream, .violations)), at: time, names)
      }
    }
  }

  /// All that is open ends with the process, or is left open where the recording ends.
  private mutating func cut(
    _ stream: Int,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    for open in processes[stream].open { close(open, at: time, ending, names) }
    processes[stream].close()
  }

  /// The last event of a process has passed.
  mutating func finish(_ stream: Int) {
    guard processes[stream].hasBegun, !processes[stream].isOver else { return }
    processes[stream].isOver = true
    let names = timeline.names
    let last = processes[stream].clock.trace(processes[stream].life.lastTime).rawValue
    drawFindings(.max, stream, last, names)
    let hasEnded = processes[stream].life.process.ending != nil
    // What is still open where its events end reaches into all that comes.
    if !hasEnded, !processes[stream].isInSpan { reach(max(last, span.lowerBound), stream, names) }
    cut(stream, at: last, hasEnded ? .cut : .open, names)
    format.end(
      of: StreamID(rawValue: UInt32(stream)),
      processes[stream].life,
      names
    )
  }
}

extension DataObject {
  /// What a purge would take of it; nil where nothing.
  var unsavedBytes: UInt64? { isUnsaved(at: .kernel) ? dirty?.bytes : nil }
}
