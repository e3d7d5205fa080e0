// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Work that puts itself off again and again, and of which one more is begun at each return.
extension Resources {
  /// Callbacks that are called again and again.
  private static let repeated: [Callback] = [
    .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground,
  ]

  static let chains = Rule(
    "RS20",
    "Delayed work that repeats itself is not begun once more at each return, beside that of the returns "
      + "before.",
    source: "NSTimer invalidate: a timer that is not invalidated goes on, whoever holds it",
    severity: .warning,
    fix: "Cancel what is pending before you begin it again, or in the partner of the callback that "
      + "begins it.",
    thresholds: ["pile"],
    Recall(
      attention: [
        .event(.resourceAcquire), .event(.resourceUse), .event(.resourceRelease),
      ],
      memory: Chains(),
      countsOnce: true
    ) { chains, event, context, names in
      guard event.thread == .main, let turn = context.turnOnMain else { return nil }
      switch event.kind {
      case .resourceUse:
        if Payload.ResourceUse(event).class.value == .delayedWork { chains.runs(in: turn) }
        return nil
      case .resourceRelease:
        let resource = Payload.ResourceRelease(event)
        if resource.class.value == .delayedWork { chains.released(resource.id ?? 0, in: turn) }
        return nil
      default: break
      }
      let resource = Payload.ResourceAcquire(event)
      guard resource.class.value == .delayedWork, event.site != .none else { return nil }
      let link = Chains.Link(time: event.time, sequence: event.sequence, site: event.site)
      guard let callback = context.calling(event, names) else {
        let most = context.profile.pile
        return chains.putOff(link, id: resource.id ?? 0, in: turn, most: most)
          .map { $0 ? .broken() : .held }
      }
      if repeated.contains(callback) {
        chains.begin(
          link,
          in: callback,
          run: context.run(of: callback, event),
          id: resource.id ?? 0
        )
      }
      return nil
    } says: { scene, chains in
      guard let pile = chains.found else {
        return Story("delayed work piles up", [], [scene.witness("put off again")])
      }
      let count: Sentence = "\(count: UInt64(pile.count), of: "chain")"
      return Story(
        "the work put off\(scene.at(pile.first.site)) goes on in \(count) side by side: "
          + "\(name: pile.callback.rawValue) begins one more each time",
        [
          "The oldest of them was begun \(scene.before(pile.first)), the last one "
            + "\(scene.before(pile.last)); each puts itself off again when it has run, and none was "
            + "cancelled."
        ],
        [
          scene.witness("begun", pile.first), scene.witness("begun again", pile.last),
          scene.witness("put off again"),
        ]
      )
    }
  )

  /// Work on main that puts itself off again from the line it came from, begun in a callback.
  private struct Chains: Sendable {
    /// One time that it was put off.
    struct Link: Opened {
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
    }

    private struct Chain: Sendable {
      let callback: Callback
      /// The event that began that run of the callback.
      let run: UInt64
      let first: Link
      var last: Link
    }

    struct Pile: Sendable {
      let callback: Callback
      let first: Link
      let last: Link
      let count: Int
    }

    /// By the id of the item that is pending.
    private var chains: [UInt64: Chain] = [:]
    /// The turn in which an item has begun to run, and not been taken off yet.
    private var running: UInt64?
    /// What runs in a turn, until it puts itself off again.
    private var ran: (chain: Chain, turn: UInt64)?
    private var told: Set<SiteID> = []
    private(set) var found: Pile?

    mutating func runs(in turn: UInt64) { (running, ran) = (turn, nil) }

    mutating func released(_ id: UInt64, in turn: UInt64) {
      let chain = chains.removeValue(forKey: id)
      if running == turn { ran = chain.map { ($0, turn) } }
      running = nil
    }

    mutating func begin(_ link: Link, in callback: Callback, run: UInt64, id: UInt64) {
      guard chains.count < LifeState.openMax else { return }
      chains[id] = Chain(callback: callback, run: run, first: link, last: link)
    }

    /// Work is put off: nil where that is no chain that goes on, else whether it is one too many, of
    /// `most` side by side.
    mutating func putOff(_ link: Link, id: UInt64, in turn: UInt64, most: Int) -> Bool? {
      running = nil
      guard var chain = ran?.chain, ran?.turn == turn, chain.last.site == link.site else {
        return nil
      }
      ran = nil
      chain.last = link
      chains[id] = chain
      let like = chains.values.filter {
        $0.callback == chain.callback && $0.first.site == link.site
      }
      guard let newest = like.max(by: { $0.run < $1.run }) else { return false }
      // Those that have gone on since the newest was begun were not stopped by that.
      let live = like.filter { $0.run == newest.run || $0.last.sequence > newest.first.sequence }
      let count = Set(live.map(\.run)).count
      guard count >= most, let oldest = live.min(by: { $0.run < $1.run }),
        told.insert(link.site).inserted
      else { return false }
      found = Pile(
        callback: chain.callback,
        first: oldest.first,
        last: newest.first,
        count: count
      )
      return true
    }
  }
}

extension RuleContext {
  /// The event that began the turn of the run loop that main is in; nil outside of one.
  fileprivate var turnOnMain: UInt64? {
    state.spans.values.filter { $0.kind == .turnBegin && $0.thread == .main }.map(\.sequence).max()
  }

  /// The event that began the run of a callback in which, or behind which, an event happens.
  fileprivate func run(of callback: Callback, _ event: borrowing Event) -> UInt64 {
    let thread = event.thread
    return state.spans.values.filter { $0.kind == .callbackBegin && $0.thread == thread }
      .map(\.sequence).max() ?? lastRun(of: callback)?.beginSequence ?? 0
  }
}
