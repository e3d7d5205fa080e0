// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

extension CauseGraph {
  /// What led to an event without being to blame: the callback that it is in, the transition that
  /// the callback is of, the wake or the launch.
  func origin(of place: EventPlace) -> CauseChain.Step? {
    let event = timeline.event(at: place)
    let state = player.state(of: place.stream, after: place.index)
    func step(_ relation: CauseRelation, _ sequence: UInt64?) -> CauseChain.Step? {
      guard let cause = sequence.flatMap({ self.place($0, in: place.stream) }),
        cause.index < place.index
      else { return nil }
      return CauseChain.Step(place: cause, relation: relation)
    }
    switch event.kind {
    case .processStart, .resume, .processExit: return nil
    case .wakeBegin: return receivedJustBefore(place)
    case .wakeCompletion: return wokenFor(place, state.wakes[event.identity]?.sequence)
    case .messageReceive: return sent(place)
    case .messageSend:
      if let came = cameIn(place) { return came }
    case .transition:
      let cause = Payload.Transition(event).cause
      guard cause == .empty else { return order(cause, before: place) }
      return state.stateBefore == .unknown ? nil : step(.followed, state.stateSequence)
    case .suspend, .purge: return step(.followed, state.stateSequence)
    case .notificationDelivered: return posted(event.identityName, before: place)
    default: break
    }
    if let span = state.openSpans(on: event.thread).last { return step(.inside, span.sequence) }
    if let came = receivedJustBefore(place) { return came }
    guard event.kind == .callbackBegin,
      let callback = Callback(named: names[names[event.site].name])
    else { return nil }
    switch callback {
    case .didBecomeActive where state.appState == .active,
      .didEnterBackground where state.appState == .background,
      .willEnterForeground where state.appState == .background || state.appState == .inactive:
      return step(.followed, state.stateSequence)
    case .didFinishLaunching, .willFinishLaunching, .main, .applicationMain:
      return step(.followed, 0)
    case .expirationHandler:
      let late = state.tasks.values.filter { $0.expired != nil }.max { $0.sequence < $1.sequence }
      return step(.followed, late?.sequence)
    case .didReceiveRemoteNotification, .performFetch, .handleEventsForBackgroundURLSession,
      .backgroundTaskLaunch, .didUpdateLocations, .bluetoothEvent, .didReceivePush:
      return step(.followed, state.wakes.values.map(\.sequence).max())
    default: return nil
    }
  }

  /// The message that its process was woken for: the first that it received behind the begin of the wake,
  /// else that begin.
  private func wokenFor(_ answer: EventPlace, _ wake: UInt64?) -> CauseChain.Step? {
    guard let begin = wake.flatMap({ self.place($0, in: answer.stream) }) else { return nil }
    var came: EventPlace?
    scan(answer.stream, begin.index + 1..<answer.index, KindSet([.messageReceive])) {
      if came == nil { came = $1 }
    }
    return came.map { CauseChain.Step(place: $0, relation: .cameIn) }
      ?? CauseChain.Step(place: begin, relation: .followed)
  }

  /// What happened to the device a moment before, by the name that a transition gives as its cause.
  private func order(_ cause: NameID, before place: EventPlace) -> CauseChain.Step? {
    var last: EventPlace?
    scan(place.stream, max(0, place.index - Self.ordersMax)..<place.index, KindSet([.device])) {
      if $0.identityName == cause { last = $1 }
    }
    return last.map { CauseChain.Step(place: $0, relation: .followed) }
  }

  /// An order is carried out within as many events.
  private static let ordersMax = 64

  /// The last change of a type that was announced before it came to the app.
  private func posted(_ type: NameID, before place: EventPlace) -> CauseChain.Step? {
    var last: EventPlace?
    scan(place.stream, 0..<place.index, KindSet([.notificationPosted])) {
      if $0.identityName == type { last = $1 }
    }
    return last.map { CauseChain.Step(place: $0, relation: .posted) }
  }
}
