// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Work that is put off in willResignActive, for a user who does not come back.
extension Pairs {
  /// Called off in willEnterForeground, it goes on where that is not called: behind an interruption.
  ///
  /// That it is called off there is no mistake alone, so both are asked for, from one line: one that
  /// was called off there, and one that ran in the active app, or was left.
  static let delayed = Recall(
    attention: [
      .event(.resourceAcquire), .event(.resourceUse), .event(.resourceRelease),
      .only(in: [.active], .event(.transition)),
    ],
    memory: PutOff(),
    finds: { putOff, event, context, names in
      switch event.kind {
      case .resourceAcquire:
        let work = Payload.ResourceAcquire(event)
        guard work.class.value == .delayedWork, event.site != .none,
          context.calling(event, names) == .willResignActive
        else { return nil }
        putOff.add(work.name, work.id ?? 0, event, context)
        return nil
      case .resourceUse:
        let work = Payload.ResourceUse(event)
        if work.class.value == .delayedWork { putOff.running = (work.name, event.thread) }
        return nil
      case .resourceRelease:
        let work = Payload.ResourceRelease(event)
        guard work.class.value == .delayedWork,
          let item = putOff.remove(work.name, work.id ?? 0)
        else { return nil }
        let runs = putOff.running?.queue == work.name && putOff.running?.thread == event.thread
        putOff.running = nil
        if runs {
          guard hasReturned(since: item, context),
            let found = putOff.missed(item, ran: Place(event), context)
          else { return nil }
          return judged(found, context)
        }
        guard let callback = context.calling(event, names), callback != .willResignActive else {
          return nil
        }
        guard callback == .willEnterForeground else {
          putOff.rightly.insert(item.site)
          return .held
        }
        guard let found = putOff.called(off: item, at: Place(event), context) else { return nil }
        return judged(found, context)
      default:
        guard context.change?.from == .active else { return nil }
        let length = event.time - context.state.stateSince
        guard case .over = context.compare(length, context.profile.undo.warn) else { return nil }
        var found: PutOff.Found?
        for item in putOff.items.values.sorted(by: { $0.sequence < $1.sequence })
        where hasReturned(since: item, context) {
          found = putOff.missed(item, ran: nil, context) ?? found
        }
        guard let found else { return nil }
        return judged(found, context)
      }
    },
    says: { scene, putOff in story(scene, putOff.found) }
  )

  /// A place in the stream, and in the source.
  struct Place: Opened {
    let time: HostTime
    let sequence: UInt64
    let site: SiteID

    init(_ event: borrowing Event) {
      (time, sequence, site) = (event.time, event.sequence, event.site)
    }

    /// A moment of the stream.
    init(_ moment: (sequence: UInt64, time: HostTime)) {
      (time, sequence, site) = (moment.time, moment.sequence, .none)
    }
  }

  /// What one line puts off in willResignActive, and what became of it.
  struct PutOff: Sendable {
    struct Found: Sendable {
      /// One that willEnterForeground would have called off.
      let item: Place
      /// Where it ran; nil for one that was left.
      let ran: Place?
      /// Another one was called off here, put off there.
      let calledOff: (item: Place, at: Place)
    }

    /// What is pending, by queue and id.
    fileprivate(set) var items: [ResourceKey: Place] = [:]
    /// The work that begins on a thread, until it is pending no more.
    fileprivate var running: (queue: NameID, thread: ThreadID)?
    fileprivate var rightly: Set<SiteID> = []
    private var calledOff: [SiteID: (item: Place, at: Place)] = [:]
    private var missed: [SiteID: (item: Place, ran: Place?)] = [:]
    private var told: Set<SiteID> = []
    private(set) var found: Found?

    private static func key(_ queue: NameID, _ id: UInt64) -> ResourceKey {
      ResourceKey(queue, ResourceClass.delayedWork.rawValue, id)
    }

    fileprivate mutating func add(
      _ queue: NameID,
      _ id: UInt64,
      _ event: borrowing Event,
      _ context: borrowing RuleContext
    ) {
      if context.hasRoom(items.count, for: "item") { items[Self.key(queue, id)] = Place(event) }
    }

    fileprivate mutating func remove(_ queue: NameID, _ id: UInt64) -> Place? {
      items.removeValue(forKey: Self.key(queue, id))
    }

    fileprivate mutating func called(
      off item: Place,
      at place: Place,
      _ context: borrowing RuleContext
    ) -> Found? {
      guard context.hasRoom(calledOff.count, for: "line") else { return nil }
      if calledOff[item.site] == nil { calledOff[item.site] = (item, place) }
      return both(item.site)
    }

    fileprivate mutating func missed(
      _ item: Place,
      ran: Place?,
      _ context: borrowing RuleContext
    ) -> Found? {
      guard context.hasRoom(missed.count, for: "line") else { return nil }
      if missed[item.site] == nil { missed[item.site] = (item, ran) }
      return both(item.site)
    }

    private mutating func both(_ site: SiteID) -> Found? {
      guard let calledOff = calledOff[site], let missed = missed[site], !rightly.contains(site),
        told.insert(site).inserted
      else { return nil }
      found = Found(item: missed.item, ran: missed.ran, calledOff: calledOff)
      return found
    }
  }

  /// Whether the app is active again, by didBecomeActive alone.
  static func hasReturned(since item: Place, _ context: borrowing RuleContext) -> Bool {
    guard context.state.appState == .active, context.state.stateSince > item.time,
      let active = context.lastRun(of: .didBecomeActive), active.beginSequence > item.sequence
    else { return false }
    let entering = context.lastRun(of: .willEnterForeground)?.beginSequence ?? 0
    return entering < item.sequence
  }

  private static func judged(_ found: PutOff.Found, _ context: borrowing RuleContext) -> Finding {
    let since = min(found.item.time, found.calledOff.item.time)
    var doubt = context.unseen(.callback, since: since)
    if doubt == nil { doubt = context.unseen(.resource, since: since) }
    // What it does when it runs, and whether it asks first, is not recorded.
    return doubt.map { .unclear("a callback may be missing: \($0)") } ?? .broken(.warning)
  }

  private static func story(_ scene: Scene, _ found: PutOff.Found?) -> Story {
    guard let found else {
      return Story("work put off may not be called off", [], [scene.witness("here")])
    }
    let ends: Sentence =
      found.ran.map { "ran in the active app, \(scene.words($0.time - found.item.time)) later" }
      ?? "was still pending when the app left that state"
    return Story(
      "the work put off\(scene.at(found.item.site)) in willResignActive is called off"
        + "\(scene.at(found.calledOff.at.site)) in willEnterForeground alone, and "
        + "\(found.ran == nil ? "was left" : "ran") behind an interruption",
      [
        "After an interruption that is over, a call for instance, only didBecomeActive is called: what "
          + "had been put off \(scene.before(found.item)) \(ends)."
      ],
      [
        scene.witness("put off", found.item),
        scene.witness("called off in willEnterForeground", found.calledOff.at),
      ]
        + [found.ran.map { scene.witness("ran", $0) } ?? scene.witness("still pending")]
    )
  }
}
