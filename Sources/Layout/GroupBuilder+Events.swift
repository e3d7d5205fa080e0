// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

// What each event adds to the lanes.

extension GroupBuilder {
  /// What an event ends: looked up in the state before it.
  mutating func before(
    _ event: borrowing Event,
    _ state: borrowing LifeState,
    _ names: borrowing Names,
    _ occupancy: inout Occupancy
  ) {
    switch event.kind {
    case .callbackEnd, .turnEnd, .workEnd, .waitEnd:
      guard let kind = event.kind.begin, let span = state.openSpan(event.identity, kind) else {
        return
      }
      close(span, names, state, &occupancy)
    case .taskEnd: if let task = state.tasks[event.identity] { close(task) }
    case .wakeCompletion: if let wake = state.wakes[event.identity] { close(wake) }
    case .deadlineClose: if let deadline = state.deadlines[event.identity] { close(deadline) }
    case .resourceRelease:
      let key = ResourceKey(releasedBy: event, names)
      if let held = state.hold(of: key, endedOn: event.thread) { close(held) }
    case .purge, .processExit:
      guard state.process.ending == nil else { return }
      closeAll(copy state, at: now, &occupancy)
      let cause = names[event.endingCause]
      if !HarnessEnd.isOne(cause) { lose(state, at: .surviving(cause), event.sequence) }
    default: break
    }
  }

  /// What has happened, on the lane where one looks for it.
  mutating func after(
    _ event: borrowing Event,
    _ state: borrowing LifeState,
    _ names: borrowing Names,
    _ flows: inout FlowFinder
  ) {
    let sequence = event.sequence
    let object = event.identityName
    switch event.kind {
    case .processStart: mark(.state, .empty, .launched, sequence)
    case .purge: mark(.state, .empty, .purged, sequence)
    case .processExit: mark(.state, .empty, .ended, sequence)
    case .loss: mark(.state, .empty, .eventsLost, sequence, count: Payload.Loss(event).count)
    case .dataDirty: mark(.object, object, .edit, sequence)
    case .dataDurable, .dataUnchanged: mark(.object, object, .saved, sequence)
    case .dataFailed: mark(.object, object, .failed, sequence)
    case .dataDiscarded: mark(.object, object, .discarded, sequence)
    case .dataRestored: mark(.object, object, .restored, sequence)
    case .resourceAcquire:
      guard Payload.ResourceAcquire(event).class.value == .pendingSave else { return }
      mark(.object, object, .deferred, sequence)
    case .taskExpire: mark(.task, .empty, .expired, sequence)
    case .wakeBegin: mark(.task, .empty, .wake, sequence)
    case .notificationPosted: mark(.queue, .empty, .posted, sequence)
    case .notificationDelivered: mark(.queue, .empty, .delivered, sequence)
    case .notificationDropped: mark(.queue, .empty, .dropped, sequence)
    case .messageSend:
      flows.send(event, at: place(event))
      onThread(event, .sent)
    case .messageReceive:
      flows.receive(event, at: place(event))
      onThread(event, .received)
    case .device: mark(.state, .empty, .device, sequence)
    case .touch: onThread(event, .touch)
    case .testBegin, .testEnd: mark(.state, .empty, .test, sequence)
    case .mark: onThread(event, .named)
    case .log: onThread(event, .log)
    default: break
    }
  }

  private func place(_ event: borrowing Event) -> Layout.Place {
    Layout.Place(stream: stream, sequence: event.sequence, time: now)
  }

  private mutating func onThread(_ event: borrowing Event, _ kind: Instant.Kind) {
    let lane: Lane.Kind = event.thread == .main ? .main : .thread
    mark(lane, NameID(rawValue: event.thread.rawValue), kind, event.sequence)
  }

  // MARK: Data

  /// What an event has made of the object that it is about; `old` is what was known of it before.
  mutating func noteData(_ event: borrowing Event, _ old: DataObject?, _ new: DataObject?) {
    guard let new else { return }
    let kind = event.kind
    if kind == .dataDurable || kind == .dataFailed, let flush = old?.flushing {
      bar(.object, new.name, from: time(flush.time), to: now, flush.sequence, .empty, .saving)
    }
    guard new.isUnsaved(at: .kernel) else { return closeUnsaved(new.name) }
    let sequence = event.sequence
    if unsaved[new.name] == nil { unsaved[new.name] = (now, sequence) }
  }

  private mutating func closeUnsaved(_ object: NameID) {
    guard let since = unsaved.removeValue(forKey: object) else { return }
    bar(.object, object, from: since.begin, to: now, since.sequence, .empty, .unsaved)
  }

  private mutating func lose(
    _ state: borrowing LifeState,
    at level: DurabilityLevel,
    _ sequence: UInt64
  ) {
    for object in state.data.values where object.isUnsaved(at: level) {
      let isCertain =
        object.survival(at: level) == nil
        && state.doubt(.data, since: object.dirty?.time ?? HostTime(rawValue: .min)) == nil
      mark(.object, object.name, isCertain ? .lost : .maybeLost, sequence)
    }
  }

  // MARK: Ends

  /// Whatever is open ends here, or is cut off by the end of the span.
  mutating func closeAll(_ state: LifeState, at end: Int64, _ occupancy: inout Occupancy) {
    let before = now
    now = end
    let names = player.names
    var closed = 0
    for span in state.spans.values where goesOn(&closed) { close(span, names, state, &occupancy) }
    for task in state.tasks.values where goesOn(&closed) { close(task) }
    for wake in state.wakes.values where goesOn(&closed) { close(wake) }
    for deadline in state.deadlines.values where goesOn(&closed) { close(deadline) }
    for held in state.everyHold where goesOn(&closed) { close(held) }
    for object in state.data.values where goesOn(&closed) {
      closeUnsaved(object.name)
      guard let flush = object.flushing else { continue }
      bar(.object, object.name, from: time(flush.time), to: now, flush.sequence, .empty, .saving)
    }
    now = before
  }

  /// Counts one more; whether nobody has interrupted, asked each few hundred.
  private mutating func goesOn(_ count: inout Int) -> Bool {
    count += 1
    if count & 0xff == 0, player.isInterrupted() { isStopped = true }
    return !isStopped
  }

  private mutating func close(
    _ span: OpenSpan,
    _ names: borrowing Names,
    _ state: borrowing LifeState,
    _ occupancy: inout Occupancy
  ) {
    let look: Bar.Look =
      switch span.kind {
      case .callbackBegin: .callback
      case .turnBegin: .turn
      case .waitBegin: .wait
      default: .work
      }
    let name = span.kind == .waitBegin ? NameID(word: span.detail) : names[span.site].name
    let isMain = span.thread == .main
    let begin = time(span.time)
    bar(
      isMain ? .main : .thread,
      NameID(rawValue: span.thread.rawValue),
      from: begin,
      to: now,
      span.sequence,
      name,
      look
    )
    // A hang is no gap; a stay in the sleep of the app is.
    if isMain, span.suspendedBefore == state.suspendedTotal, state.appState != .suspended {
      occupancy.add(from: begin, to: now)
    }
  }

  private mutating func close(_ task: OpenTask) {
    bar(.task, .empty, from: time(task.time), to: now, task.sequence, task.name, .task)
  }

  private mutating func close(_ wake: OpenWake) {
    bar(.task, .empty, from: time(wake.time), to: now, wake.sequence, wake.reason, .wake)
  }

  private mutating func close(_ deadline: OpenDeadline) {
    let begin = time(deadline.time)
    bar(.task, .empty, from: begin, to: now, deadline.sequence, deadline.what, .deadline)
  }

  private mutating func close(_ held: HeldResource) {
    switch held.resourceClass {
    // Neither is held: they stand for what is to come.
    case .pendingSave, .delayedWork: return
    default:
      bar(.held, .empty, from: time(held.time), to: now, held.sequence, held.name, .held)
    }
  }
}
