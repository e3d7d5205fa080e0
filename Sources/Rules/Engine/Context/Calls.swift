// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

extension RuleContext {
  /// The callback in which an event happens, or behind which, still in its turn of the run loop.
  ///
  /// Observers of a notification about a transition are called there, behind the delegate.
  mutating func calling(_ event: borrowing Event, _ names: borrowing Names) -> Callback? {
    var (innermost, turn): (OpenSpan?, OpenSpan?)
    let thread = event.thread
    _ = hasOpenCall { span in
      guard span.thread == thread else { return false }
      if span.kind == .callbackBegin, span.sequence >= innermost?.sequence ?? 0 { innermost = span }
      if span.kind == .turnBegin { turn = span }
      return false
    }
    if let innermost, doubtless(innermost), let open = history.callback(of: innermost.site, names) {
      return open
    }
    guard event.thread == .main, let turn, let last = history.runs.last,
      last.beginSequence > turn.sequence, unseen(.callback, since: last.begin) == nil
    else { return nil }
    return last.callback
  }

  /// Whether one of those callbacks is open, on any thread.
  mutating func isOpen(_ callbacks: [Callback], _ names: borrowing Names) -> Bool {
    var sites: [SiteID] = []
    _ = hasOpenCall { span in
      if span.kind == .callbackBegin { sites.append(span.site) }
      return false
    }
    return sites.contains { site in
      history.callback(of: site, names).map(callbacks.contains) ?? false
    }
  }

  /// Whether a callback has answered no.
  ///
  /// A runtime and the host say what was answered. An app that records its own callbacks need not,
  /// and then says 0.
  func saidNo(_ event: borrowing Event, _ names: borrowing Names) -> Bool {
    guard event.kind == .callbackEnd, Payload.CallbackEnd(event).returned == 0 else { return false }
    let site = closing?.site ?? .none
    let isHost = event.observer == .host
    return isHost || names[names[site].file].isEmpty
  }

  /// The last run of a callback that has ended.
  func lastRun(of callback: Callback) -> History.Run? {
    history.runs.last { $0.callback == callback }
  }

  /// Whether an active app has become inactive with this event, and willResignActive has returned.
  ///
  /// Some runtimes change the state behind the callback, others before it. Where the callback is not
  /// recorded, it is over when the app leaves the inactive state.
  func hasResigned(at event: borrowing Event) -> Bool {
    switch event.kind {
    case .transition:
      guard let change else { return false }
      let wasActive = history.states.last { $0.state == .active }?.time ?? HostTime(rawValue: .max)
      let resigned = lastRun(of: .willResignActive).map { $0.end >= wasActive } ?? false
      if change.from == .active, change.to == .inactive { return resigned }
      return change.from == .inactive && state.stateBefore == .active && !resigned
    case .callbackEnd:
      return callback == .willResignActive && state.appState == .inactive
        && state.stateBefore == .active
    default: return false
    }
  }

  /// When the app was last told that it is active no more, or became so; nil where it is, or never was.
  var resigned: HostTime? {
    guard let place = history.states.lastIndex(where: { $0.state == .active }),
      place + 1 < history.states.count
    else { return nil }
    let (active, left) = (history.states[place].time, history.states[place + 1].time)
    guard let run = lastRun(of: .willResignActive), run.end >= active else { return left }
    return min(run.begin, left)
  }
}

extension RuleContext {
  /// The value of a key of the app's configuration, as text; empty where it is not said.
  func config(_ key: String, _ names: borrowing Names) -> String {
    guard let key = names.find(key), let value = state.process.config[key] else { return "" }
    return names[value]
  }
}
