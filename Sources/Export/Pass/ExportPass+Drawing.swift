// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

// What becomes of an event: the begin or the end of a slice, an instant, a counter's value.

extension ExportPass where Format: ~Copyable {
  /// Folds an event, and draws it and what it changes.
  @inline(__always)
  mutating func draw(_ event: borrowing Event, _ stream: Int, _ names: borrowing Names) {
    let time = processes[stream].clock.trace(event.time).rawValue
    if !processes[stream].isInSpan { reach(time, stream, names) }
    let family = event.kind.family
    switch family {
    case .data:
      drawData(event, stream, time, names)
    case .notification:
      drawNotification(event, stream, time, names)
    case .state, .process, .meta:
      drawState(event, stream, time, names)
    default:
      processes[stream].life.apply(event, names: names)
      drawThing(event, stream, time, names)
    }
    if processes[stream].life.appState != processes[stream].shownState {
      changeState(event, stream, names)
    }
    if processes[stream].findingsPassed < processes[stream].findings.count {
      drawFindings(event.sequence, stream, time, names)
    }
  }

  /// The rest: work, tasks, wakes, deadlines, resources, messages, tests, device.
  @inline(__always)
  private mutating func drawThing(
    _ event: borrowing Event,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    if let opening = event.kind.opening {
      let key = SpanKey(event.identity, opening)
      if let place = processes[stream].spans.place(of: key) {
        let open = processes[stream].spans.entries[place].value
        processes[stream].spans.remove(at: place)
        return close(open, at: time, .ended, names)
      }
      return instant(event, stream, time, names)
    }
    if let route = SliceRoute(event, names) {
      return open(event, route, stream, time, names)
    }
    switch event.kind.rawValue {
    case EventKind.resourceRelease.rawValue:
      let key = ResourceKey(releasedBy: event, names)
      if let place = processes[stream].resources.place(of: key) {
        let open = processes[stream].resources.entries[place].value
        processes[stream].resources.remove(at: place)
        return close(open, at: time, .ended, names)
      }
      instant(event, stream, time, names)
    case EventKind.memorySample.rawValue:
      guard isHit else { return }
      let footprint = Payload.MemorySample(event).footprint
      count(.footprint, Int64(clamping: footprint), stream, time)
    case EventKind.cpuSample.rawValue:
      guard isHit else { return }
      let sample = Payload.CpuSample(event)
      let used = sample.cpu.multipliedReportingOverflow(by: 100)
      let percent = used.overflow || sample.wall <= 0 ? 0 : used.partialValue / sample.wall
      count(.cpu, percent, stream, time)
    default: instant(event, stream, time, names)
    }
  }

  // MARK: Slices

  /// Begins what has an extent; `isApart` where it may not lie in what its thread is doing.
  @inline(__always)
  mutating func open(
    _ event: borrowing Event,
    _ route: SliceRoute,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names,
    isApart: Bool = false
  ) {
    let title = Title(.slice, event.kind, name(of: event, names))
    if case .group(.resources) = route {
      let key = ResourceKey(acquiredBy: event, names)
      if let known = processes[stream].resources[key] { close(known, at: time, .cut, names) }
      guard processes[stream].resources.count < LifeState.openMax else {
        return instant(event, stream, time, names)
      }
      let opened = begun(event, title, pool(stream, .resources), nil, time, names, isShown)
      processes[stream].resources.insert(opened, for: key)
      return
    }
    let key = SpanKey(event.identity, event.kind)
    if let known = processes[stream].spans[key] { close(known, at: time, .cut, names) }
    guard processes[stream].spans.count < LifeState.openMax else {
      return instant(event, stream, time, names)
    }
    let opened: ProcessPass.Open
    switch route {
    case .thread(let thread):
      let pool = pool(stream, thread: thread)
      let isLoose = processes[stream].nesting.isLoose(event.sequence)
      let isNested = !isApart && !isLoose
      opened = begun(event, title, pool, isNested ? 0 : 1, time, names, isShown)
    case .queue(let queue):
      opened = begun(event, title, pool(stream, queue: queue, names), nil, time, names, isShown)
    case .group(let group):
      opened = begun(event, title, pool(stream, group), nil, time, names, isShown)
    }
    processes[stream].spans.insert(opened, for: key)
  }

  /// Begins a slice: at `place` 0 on the pool's main lane, inside what is open there.
  ///
  /// Else it stands on one that has room, from that place on. What is not selected has its place, too,
  /// but is not written.
  @inline(__always)
  mutating func begun(
    _ event: borrowing Event,
    _ title: Title,
    _ pool: Int32,
    _ place: Int?,
    _ time: Int64,
    _ names: borrowing Names,
    _ isShown: Bool = true
  ) -> ProcessPass.Open {
    let (lane, slot): (Lane.ID, Int32) =
      place == 0 ? (main(pool), -1) : take(pool, at: time, from: place ?? 0)
    let open = ProcessPass.Open(
      lane: lane,
      pool: pool,
      slot: slot,
      title: title,
      time: time,
      isShown: isShown,
      isWritten: isShown && span.contains(time),
      event: copy event
    )
    latest[Int(lane)] = max(latest[Int(lane)], time)
    if open.isWritten { format.begin(open.slice, names) }
    return open
  }

  @inline(__always)
  mutating func close(
    _ open: ProcessPass.Open,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    // The end of a process may be stamped before the last thing that it did.
    let end = max(open.time, ending == .cut ? max(time, latest[Int(open.lane)]) : time)
    latest[Int(open.lane)] = max(latest[Int(open.lane)], end)
    if open.slot >= 0 { pools[Int(open.pool)].give(Int(open.slot), at: end) }
    if open.isWritten { format.end(open.slice, at: end, ending, names) }
  }

  // MARK: Instants and counters

  /// The event as an instant, where those of its family stand.
  mutating func instant(
    _ event: borrowing Event,
    _ stream: Int,
    _ time: Int64,
    _ names: borrowing Names
  ) {
    guard isHit, span.contains(time) else { return skip(event) }
    let lane: Lane.ID
    switch event.kind.family {
    case .callback, .work: lane = main(pool(stream, thread: event.thread))
    case .task: lane = main(pool(stream, .tasks))
    case .wake: lane = main(pool(stream, .wakes))
    case .deadline: lane = main(pool(stream, .deadlines))
    case .resource: lane = main(pool(stream, .resources))
    case .test: lane = main(pool(stream, .tests))
    case .message: lane = main(pool(stream, .messages))
    case .device: lane = devices[stream]
    default: lane = main(pool(stream, .events))
    }
    var instant = Instant(
      lane: lane,
      title: Title(.instant, event.kind, name(of: event, names)),
      time: time,
      event: copy event
    )
    let (flow, own) = (event.identity, event.stream)
    if event.kind == .messageSend { instant.begins = messages.send(flow, by: own) }
    if event.kind == .messageReceive { instant.ends = messages.receive(flow, by: own) }
    put(&instant, names)
  }

  /// Writes a selected instant, with the arrows that have both ends.
  mutating func put(_ instant: inout Instant, _ names: borrowing Names) {
    selection?.keep(&instant)
    format.instant(instant, names)
  }

  /// A message that is not shown is one of its flow all the same.
  private mutating func skip(_ event: borrowing Event) {
    guard selection != nil else { return }
    if event.kind == .messageSend { _ = messages.send(event.identity, by: event.stream) }
    if event.kind == .messageReceive { _ = messages.receive(event.identity, by: event.stream) }
  }

  @inline(__always)
  mutating func count(_ group: LaneGroup, _ value: Int64, _ stream: Int, _ time: Int64) {
    guard processes[stream].counters[group.counter] != value else { return }
    processes[stream].counters[group.counter] = value
    if span.contains(time) { format.counter(main(pool(stream, group)), value, at: time) }
  }

  /// What a counter shows; nil before it was first said.
  func counter(_ group: LaneGroup, _ stream: Int) -> Int64? {
    processes[stream].counters[group.counter]
  }

  /// What an event is about, for its title.
  @inline(__always)
  func name(of event: borrowing Event, _ names: borrowing Names) -> NameID {
    switch event.kind.rawValue {
    case EventKind.taskBegin.rawValue: names.known(Payload.TaskBegin(event).name)
    case EventKind.deadlineOpen.rawValue: names.known(Payload.DeadlineOpen(event).what)
    case EventKind.wakeBegin.rawValue: names.known(Payload.WakeBegin(event).reason)
    case EventKind.testBegin.rawValue: names.known(Payload.TestBegin(event).name)
    case EventKind.waitBegin.rawValue: names.known(Payload.WaitBegin(event).on)
    case EventKind.messageSend.rawValue: names.known(Payload.MessageSend(event).peer)
    case EventKind.messageReceive.rawValue: names.known(Payload.MessageReceive(event).peer)
    case _ where KindSet.namedByIdentity.contains(event.kind): names.known(event.identityName)
    default: names[event.site].name
    }
  }
}
