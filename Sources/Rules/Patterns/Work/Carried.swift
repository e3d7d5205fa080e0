// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A background task is for one piece of work, not for as long as the app is used.
///
///     Carried { scene, carried, isSure in Story("… was carried through the foreground", …) }
///
/// One that is open when the app leaves the foreground for the second time has been held through a
/// whole visit of the user.
struct Carried: Pattern {
  /// A task that is held over visits.
  struct Task: Sendable {
    let id: UInt64
    let task: OpenTask
    /// How often the app has left the foreground with it.
    var departures = 1
  }

  let says: @Sendable (Scene, Task, _ isSure: Bool) -> Story
  /// By the id of the task.
  private(set) var carried: [UInt64: Task] = [:]

  init(says: @escaping @Sendable (Scene, Task, _ isSure: Bool) -> Story) { self.says = says }

  var attention: [Trigger] { [.event(.taskEnd), .event(.transition)] }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard event.kind == .transition else {
      guard carried.removeValue(forKey: event.identity) != nil else { return }
      return context.held()
    }
    guard let change = context.change, change.to == .background,
      change.from == .inactive || change.from == .active
    else { return }
    for open in context.state.tasks.entries {
      let id = open.key
      guard var known = carried[id], known.task.sequence == open.value.sequence else {
        if context.hasRoom(carried.count, of: LifeState.openMax, for: "task") {
          carried[id] = Task(id: id, task: open.value)
        }
        continue
      }
      known.departures += 1
      carried[id] = known
      guard known.departures == 2 else { continue }
      judge(known, event, &context, names)
    }
  }

  private func judge(
    _ carried: Task,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let clock = context.state.ageClock(of: carried.task, until: event.time, context.profile)
    switch context.compare(clock.held, clock.limit, since: carried.task.sequence) {
    // Half a minute may fall on any number of visits.
    case .within: return
    case .unclear(let reason):
      context.say(.unclear(reason), event, names) { says($0, carried, false) }
    case .over:
      let doubt: Sentence? =
        context.doubt(.task, since: carried.task.time).map { "its end may be missing: \($0)" }
      context.say(.broken(unless: doubt), event, names) { says($0, carried, doubt == nil) }
    }
  }
}
