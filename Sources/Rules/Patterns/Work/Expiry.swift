// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What runs out is ended by the handler that is called for it, before that returns.
///
///     Expiry { scene, expiry, isSure in Story("the expiration handler … had not ended it", …) }
///
/// The handler is the callback that begins on the same thread right behind the expiry.
struct Expiry: Pattern {
  /// A task whose time is up.
  struct Expired: Sendable {
    let task: OpenTask
    let id: UInt64
    let time: HostTime
    let sequence: UInt64
  }

  /// More handlers at once are not followed.
  private static let handlersMax = 64
  let says: @Sendable (Scene, Expired, _ isSure: Bool) -> Story
  private(set) var latest: (expired: Expired, thread: ThreadID)?
  private(set) var handlers: [(callback: UInt64, expired: Expired)] = []

  init(says: @escaping @Sendable (Scene, Expired, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] {
    [.event(.taskExpire), .callbackBegin(.expirationHandler), .callbackEnd(.expirationHandler)]
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .taskExpire:
      latest = nil
      guard let task = context.state.tasks[event.identity] else { return }
      let expired = Expired(
        task: task,
        id: event.identity,
        time: event.time,
        sequence: event.sequence
      )
      latest = (expired, event.thread)
    case .callbackBegin:
      guard let (expired, thread) = latest, thread == event.thread,
        context.hasRoom(handlers.count, of: Self.handlersMax, for: "handler")
      else { return }
      latest = nil
      handlers.append((event.identity, expired))
    default:
      let callback = event.identity
      guard let place = handlers.firstIndex(where: { $0.callback == callback }) else { return }
      let expired = handlers.remove(at: place).expired
      let open = context.state.tasks[expired.id]
      guard open?.sequence == expired.task.sequence else { return context.held() }
      let doubt: Sentence? =
        context.unseen(.task, since: expired.time).map { "its end may be missing: \($0)" }
      context.say(.broken(unless: doubt), event, names) { says($0, expired, doubt == nil) }
    }
  }
}
