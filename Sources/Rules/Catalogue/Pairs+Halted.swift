// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Delayed work that willResignActive calls off, and that goes on where the user comes back alone.
extension Pairs {
  /// Put off again in willEnterForeground, it stays called off behind an interruption.
  ///
  /// That it is put off again there is no mistake alone, so both are asked for, of one line: one that
  /// was put off again there, and one that was not behind an interruption.
  static let halted = Recall(
    attention: [
      .event(.resourceAcquire), .event(.resourceRelease), .only(in: [.active], .event(.transition)),
    ],
    memory: Halted(),
    finds: { halted, event, context, names in
      switch event.kind {
      case .resourceAcquire:
        let work = Payload.ResourceAcquire(event)
        guard work.class.value == .delayedWork, event.site != .none else { return nil }
        let key = Halted.key(work.name, work.id ?? 0)
        switch context.calling(event, names) {
        case .willEnterForeground:
          return halted.begun(key, Place(event), isCrossed: true, context).map {
            judged($0, context)
          }
        case .didBecomeActive:
          let wasHalted = halted.isHalted(event.site)
          halted.rightly(event.site, context)
          _ = halted.begun(key, Place(event), isCrossed: false, context)
          return wasHalted ? .held : nil
        default:
          _ = halted.begun(key, Place(event), isCrossed: false, context)
          return nil
        }
      case .resourceRelease:
        let work = Payload.ResourceRelease(event)
        guard work.class.value == .delayedWork else { return nil }
        let isHalt = context.calling(event, names) == .willResignActive
        halted.ended(Halted.key(work.name, work.id ?? 0), isHalt ? Place(event) : nil, context)
        return nil
      default:
        guard context.change?.from == .active else { return nil }
        let length = event.time - context.state.stateSince
        guard case .over = context.compare(length, context.profile.undo.warn) else { return nil }
        let found = halted.left(context) { hasReturned(since: $0, context) }
        return found.map { judged($0, context) }
      }
    },
    says: { scene, halted in
      guard let found = halted.found else {
        return Story("work called off may not go on", [], [scene.witness("here")])
      }
      return Story(
        "the work put off\(scene.at(found.again.site)) is called off\(scene.at(found.halt.site)) in "
          + "willResignActive and put off again in willEnterForeground alone, and behind an interruption "
          + "it was not",
        [
          "After an interruption that is over, a call for instance, only didBecomeActive is called: what "
            + "had been called off \(scene.before(found.left)) did not go on."
        ],
        [
          scene.witness("called off", found.left),
          scene.witness("put off again in willEnterForeground", found.again),
        ]
      )
    }
  )

  /// What one line puts off, willResignActive calls off, and a return puts off again.
  struct Halted: Sendable {
    struct Found: Sendable {
      /// Called off, and put off again in willEnterForeground.
      let halt: Place
      let again: Place
      /// Called off, and left so behind an interruption.
      let left: Place
    }

    /// The line of what is pending, by queue and id.
    private var pending: [ResourceKey: SiteID] = [:]
    /// Where it was called off, by the line that had put it off.
    private var halts: [SiteID: Place] = [:]
    private var crossed: [SiteID: (halt: Place, again: Place)] = [:]
    private var lefts: [SiteID: Place] = [:]
    private var right: Set<SiteID> = []
    private var told: Set<SiteID> = []
    private(set) var found: Found?

    fileprivate static func key(_ queue: NameID, _ id: UInt64) -> ResourceKey {
      ResourceKey(queue, ResourceClass.delayedWork.rawValue, id)
    }

    fileprivate func isHalted(_ site: SiteID) -> Bool { halts[site] != nil }

    fileprivate mutating func rightly(_ site: SiteID, _ context: borrowing RuleContext) {
      if context.hasRoom(right.count, for: "line") { right.insert(site) }
    }

    /// Something is put off, in willEnterForeground or elsewhere.
    fileprivate mutating func begun(
      _ key: ResourceKey,
      _ place: Place,
      isCrossed: Bool,
      _ context: borrowing RuleContext
    ) -> Found? {
      if context.hasRoom(pending.count, for: "item") { pending[key] = place.site }
      guard let halt = halts.removeValue(forKey: place.site), isCrossed,
        context.hasRoom(crossed.count, for: "line")
      else { return nil }
      crossed[place.site] = (halt, place)
      return both(place.site)
    }

    /// It is pending no more: called off where a place is given.
    fileprivate mutating func ended(
      _ key: ResourceKey,
      _ halt: Place?,
      _ context: borrowing RuleContext
    ) {
      guard let site = pending.removeValue(forKey: key), let halt,
        context.hasRoom(halts.count, for: "line")
      else { return }
      halts[site] = halt
    }

    /// The app has been active since an interruption, and leaves that state.
    fileprivate mutating func left(
      _ context: borrowing RuleContext,
      _ hasReturned: (Place) -> Bool
    ) -> Found? {
      var first: Found?
      let sorted = halts.sorted { $0.value.sequence < $1.value.sequence }
      for (site, halt) in sorted where hasReturned(halt) {
        halts[site] = nil
        if context.hasRoom(lefts.count, for: "line") { lefts[site] = halt }
        let both = both(site)
        first = first ?? both
      }
      return first
    }

    private mutating func both(_ site: SiteID) -> Found? {
      guard let (halt, again) = crossed[site], let left = lefts[site], !right.contains(site),
        told.insert(site).inserted
      else { return nil }
      found = Found(halt: halt, again: again, left: left)
      return found
    }
  }

  private static func judged(_ found: Halted.Found, _ context: borrowing RuleContext) -> Finding {
    let since = min(found.halt.time, found.left.time)
    var doubt = context.unseen(.callback, since: since)
    if doubt == nil { doubt = context.unseen(.resource, since: since) }
    // Whether it was to go on at all is not recorded.
    return doubt.map { .unclear("a callback may be missing: \($0)") } ?? .broken(.warning)
  }
}
