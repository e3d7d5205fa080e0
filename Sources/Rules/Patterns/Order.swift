// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Between two callbacks comes a third.
///
///     Order(first: .didBecomeActive, between: .willResignActive, last: .didEnterBackground) { … }
struct Order: Pattern {
  /// A call, or the change of state that shows it.
  struct Call: Opened {
    var sequence: UInt64
    var time: HostTime
    var site: SiteID { .none }
  }

  let first: Callback
  let between: Callback
  let last: Callback
  /// The state that shows that the first was called, where that is not recorded.
  var shownBy: AppState?
  /// Whether the order says nothing here.
  var unless: @Sendable (borrowing RuleContext, borrowing Names) -> Bool = { _, _ in false }
  /// Describes that the last was called without the one between; `first` is the call before.
  let says: @Sendable (Scene, _ first: Call) -> Story
  private(set) var open: Call?
  private(set) var closed: HostTime?
  /// How many scenes are connected: a call does not say which of them it is for.
  private(set) var scenes = 0

  var attention: [Trigger] {
    [first, between, last, .sceneWillConnect, .sceneDidDisconnect].map(Trigger.callbackBegin)
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch context.callback {
    case .sceneWillConnect: return scenes += 1
    case .sceneDidDisconnect: return scenes -= 1
    default: break
    }
    if context.callback == between {
      open = nil
      closed = event.time
      return
    }
    if context.callback == last { judge(event, &context, names) }
    if context.callback == first { open = Call(sequence: event.sequence, time: event.time) }
  }

  private func judge(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var open = open
    let since = context.state.stateSince
    if open == nil, context.state.appState == shownBy, closed.map({ $0 < since }) ?? true {
      open = Call(sequence: context.state.stateSequence, time: since)
    }
    guard let open else { return context.held() }
    // Another scene may have become active, or gone; one that connected unseen, too.
    let isScene = names[names[event.site].name].hasPrefix("scene")
    if isScene, scenes > 1 { return }
    if unless(context, names) { return }
    let begin = isScene ? HostTime(rawValue: .min) : open.time
    let doubt: Sentence? = context.unseen(.callback, since: begin)
      .map { "the call may be missing: \($0)" }
    context.say(.broken(unless: doubt), event, names) { says($0, open) }
  }
}
