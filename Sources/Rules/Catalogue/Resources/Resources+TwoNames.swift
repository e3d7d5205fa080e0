// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// One lock that is reported twice: by its path, by the observing library that has seen the call, and by the
// name that the app itself gives it.
extension Resources {
  typealias HeldLock = FlatTable<ResourceKey, HeldResource>.Entry

  /// The locks with each that has two names once: by the app's own, unless only the library knows that it is
  /// a shared one.
  static func withoutTwins(
    _ held: [HeldLock],
    _ context: borrowing RuleContext,
    _ names: borrowing Names
  ) -> [HeldLock] {
    let twins = twins(held, context)
    guard !twins.isEmpty else { return held }
    let gone = twins.map { own, seen in
      names[held[own].value.attribute] != "shared" && names[held[seen].value.attribute] == "shared"
        ? own : seen
    }
    return held.indices.filter { !gone.contains($0) }.map { held[$0] }
  }

  /// The other name of a lock that has two.
  static func otherName(of lock: HeldResource, _ scene: Scene) -> NameID? {
    let held = scene.state.resources.entries.filter {
      $0.value.resourceClass == .lock && scene.names[$0.value.attribute] != "private"
    }
    for (own, seen) in twins(held, scene.context) {
      if held[own].value.sequence == lock.sequence { return held[seen].value.name }
      if held[seen].value.sequence == lock.sequence { return held[own].value.name }
    }
    return nil
  }

  /// Pairs of what an app reports and what was seen of the same thread at the same time, by their places.
  private static func twins(
    _ held: [HeldLock],
    _ context: borrowing RuleContext
  ) -> [(own: Int, seen: Int)] {
    let history = context.history
    var seen = held.indices.filter { history.isObserved(held[$0].value) }
    guard !seen.isEmpty else { return [] }
    let own = held.indices.filter {
      !history.isObserved(held[$0].value) && !history.isOnlySeen(held[$0].value)
    }.sorted { held[$0].value.sequence < held[$1].value.sequence }
    let apart = context.surely(context.profile.hang.hang)
    var pairs: [(own: Int, seen: Int)] = []
    for place in own {
      let lock = held[place].value
      // It is told behind the call, or before it.
      let near = seen.filter {
        let other = held[$0].value
        return other.thread == lock.thread && abs(other.time - lock.time) <= apart
      }
      let nearest = near.min {
        abs(held[$0].value.time - lock.time) < abs(held[$1].value.time - lock.time)
      }
      guard let nearest else { continue }
      seen.removeAll { $0 == nearest }
      pairs.append((place, nearest))
    }
    return pairs
  }
}
