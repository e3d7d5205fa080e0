// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension RuleContext {
  /// What the rules ask about the event, worked out once; and what it is to them.
  mutating func prepare(_ event: borrowing Event, _ names: borrowing Names) -> Slot {
    change = nil
    closing = nil
    callback = nil
    place = (event.sequence, event.time)
    switch event.kind.rawValue {
    case EventKind.callbackBegin.rawValue:
      return called(at: event.site, event, names)
    case EventKind.callbackEnd.rawValue:
      closing = state.openSpan(event.identity, .callbackBegin)
      let own = event.site
      return called(at: closing?.site ?? own, event, names)
    case EventKind.turnEnd.rawValue:
      closing = state.openSpan(event.identity, .turnBegin)
      main.turned(event.time)
    case EventKind.workBegin.rawValue:
      main.began(event)
      let work = Payload.WorkBegin(event)
      if let slot = Slot(work: work.kind.rawValue, isEnd: false) { return slot }
    case EventKind.workEnd.rawValue:
      closing = state.openSpan(event.identity, .workBegin)
      if let work = closing, let slot = Slot(work: work.detail, isEnd: true) {
        return slot
      }
    case EventKind.waitEnd.rawValue:
      closing = state.openSpan(event.identity, .waitBegin)
    case EventKind.transition.rawValue, EventKind.suspend.rawValue, EventKind.resume.rawValue,
      EventKind.purge.rawValue, EventKind.processExit.rawValue, EventKind.processStart.rawValue:
      prepare(change: event, names)
    case EventKind.taskEnd.rawValue, EventKind.wakeCompletion.rawValue,
      EventKind.deadlineClose.rawValue:
      if hasFacts { readUnseenWork(names) }
    case EventKind.deadlineOpen.rawValue:
      history.opened(deadline: event.identity, at: event.site)
    case EventKind.resourceAcquire.rawValue:
      history.acquired(event)
    case EventKind.log.rawValue:
      history.lastWords.printed(event)
    case EventKind.processConfig.rawValue:
      note(config: event, names)
    default: break
    }
    return Slot(event.kind)
  }

  private mutating func called(
    at site: SiteID,
    _ event: borrowing Event,
    _ names: borrowing Names
  ) -> Slot {
    guard let code = history.code(of: site, names) else { return Slot(event.kind) }
    callback = History.callbacks[code]
    return Slot(callback: code, isEnd: event.kind == .callbackEnd)
  }

  private mutating func prepare(change event: borrowing Event, _ names: borrowing Names) {
    let from = state.appState
    if let to = state.destination(of: event), to != from {
      change = StateChange(from: from, to: to)
      if event.kind == .transition { history.enters(to, event) }
    }
    if event.kind == .processStart {
      let reason = names[Payload.ProcessStart(event).reason]
      history.started(event, isAhead: reason == "prewarm")
    }
    if hasFacts { readUnseenWork(names) }
  }

  /// Keeps what rules ask later, when they have judged the event.
  mutating func remember(_ event: borrowing Event, _ names: borrowing Names) {
    switch event.kind.rawValue {
    case EventKind.device.rawValue: history.noticed(event, names)
    case EventKind.callbackBegin.rawValue, EventKind.turnBegin.rawValue,
      EventKind.workBegin.rawValue, EventKind.waitBegin.rawValue:
      if state.spans.count >= LifeState.openMax { noteOverflow(event, names) }
    case EventKind.wakeBegin.rawValue, EventKind.deadlineOpen.rawValue,
      EventKind.resourceAcquire.rawValue, EventKind.dataDirty.rawValue,
      EventKind.dataFlushing.rawValue, EventKind.dataDurable.rawValue,
      EventKind.dataRestored.rawValue, EventKind.dataFailed.rawValue,
      EventKind.dataDiscarded.rawValue, EventKind.dataUnchanged.rawValue,
      EventKind.dataCopied.rawValue, EventKind.dataRead.rawValue:
      noteOverflow(event, names)
    case EventKind.notificationPosted.rawValue:
      noteOverflow(event, names)
      foldWaiting(event, names)
    case EventKind.notificationDelivered.rawValue,
      EventKind.notificationDropped.rawValue, EventKind.touch.rawValue:
      foldWaiting(event, names)
    case EventKind.callbackEnd.rawValue:
      guard let callback = callback else { return }
      history.returned(from: callback, closing, event)
      if callback == .didFinishLaunching, history.launch?.isIntoBackground == true {
        history.launched()
      }
    case EventKind.workEnd.rawValue:
      if let span = closing { main.ended(span) }
    case EventKind.taskBegin.rawValue:
      if Payload.TaskBegin(event).isRefused { history.refused(event) }
      noteOverflow(event, names)
    case EventKind.taskEnd.rawValue:
      // Where its begin is missing, it has covered work all the same.
      let task = state.tasks[event.identity]
      if let task { history.ended(event, task, in: state.innermostWork(on: event.thread)) }
      if task != nil ? isLastAssertion : doubt(.task) != nil { history.released(event, task) }
    case EventKind.wakeCompletion.rawValue:
      let isKnown = state.wakes[event.identity] != nil
      if isKnown ? isLastAssertion : doubt(.wake) != nil { history.released(event, nil) }
    case EventKind.resourceRelease.rawValue:
      let key = ResourceKey(releasedBy: event, names)
      history.released(state.resources[key], at: event.time, names)
    case EventKind.deadlineClose.rawValue:
      if state.deadlines[event.identity] != nil {
        history.closed(deadline: event.identity)
      }
    case EventKind.purge.rawValue, EventKind.processExit.rawValue:
      if state.process.ending == nil {
        history.launched()
        let cause = names[event.endingCause]
        guard !HarnessEnd.isOne(cause) else { break }
        let scene = Scene(event: copy event, context: self, names: copy names)
        if !state.data.isEmpty { history.atEnd = scene.openWork }
        history.end = History.Ending(
          kind: EndKind(
            cause: cause,
            code: event.kind == .purge ? 0 : Payload.ProcessExit(event).code,
            isImported: attributes.evidence == .log
          ),
          cause: cause,
          state: state.appState,
          doubt: doubt(.state),
          clause: "\(scene.endClause)",
          time: event.time,
          sequence: event.sequence
        )
      }
    default: break
    }
    guard let change = change else { return }
    foldWaiting(event, names)
    if event.kind == .transition || change.suspends { history.launches(change.from, change.to) }
    history.entered(change.to, event.time, event.sequence)
  }
}
