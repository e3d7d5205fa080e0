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
        if Payload.ResourceUse(event).class.value == .delayedWork { chains.items.runs(in: turn) }
        return nil
      case .resourceRelease:
        let resource = Payload.ResourceRelease(event)
        if resource.class.value == .delayedWork {
          chains.items.released(resource.id ?? 0, in: turn)
        }
        return nil
      default: break
      }
      let resource = Payload.ResourceAcquire(event)
      guard resource.class.value == .delayedWork, event.site != .none else { return nil }
      let link = Pairs.Place(event)
      guard let callback = context.calling(event, names) else {
        let most = context.profile.pile
        return chains.putOff(link, id: resource.id ?? 0, in: turn, most: most, context)
          .map { $0 ? .broken() : .held }
      }
      if repeated.contains(callback) {
        chains.begin(
          link,
          in: callback,
          run: context.run(of: callback, event),
          id: resource.id ?? 0,
          context
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
    struct Chain: Sendable {
      let callback: Callback
      /// The event that began that run of the callback.
      let run: UInt64
      let first: Pairs.Place
      var last: Pairs.Place
    }

    struct Pile: Sendable {
      let callback: Callback
      let first: Pairs.Place
      let last: Pairs.Place
      let count: Int
    }

    var items = DelayedItems<Chain>()
    private var told: Set<SiteID> = []
    private(set) var found: Pile?

    mutating func begin(
      _ link: Pairs.Place,
      in callback: Callback,
      run: UInt64,
      id: UInt64,
      _ context: borrowing RuleContext
    ) {
      items.putOff(Chain(callback: callback, run: run, first: link, last: link), id, context)
    }

    /// Work is put off: nil where that is no chain that goes on, else whether it is one too many, of
    /// `most` side by side.
    mutating func putOff(
      _ link: Pairs.Place,
      id: UInt64,
      in turn: UInt64,
      most: Int,
      _ context: borrowing RuleContext
    ) -> Bool? {
      guard var chain = items.ran(in: turn, unless: { $0.last.site != link.site }) else {
        return nil
      }
      chain.last = link
      items.putOff(chain, id, context)
      let like = items.pending.values.filter {
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

/// Items of delayed work on main, each with what is known of it, and which of them runs in a turn of the
/// run loop: what puts itself off again goes on under another id.
struct DelayedItems<Known: Sendable>: Sendable {
  /// By the id of the item.
  private(set) var pending: [UInt64: Known] = [:]
  /// The turn in which an item has begun to run, and not been taken off yet.
  private var running: UInt64?
  /// What runs in a turn, until it puts itself off again.
  private var ran: (known: Known, turn: UInt64)?

  /// Something is put off; beyond the limit it is not followed, which is said.
  mutating func putOff(_ known: Known, _ id: UInt64, _ context: borrowing RuleContext) {
    if context.hasRoom(pending.count, for: "item") { pending[id] = known }
  }

  /// An item begins to run.
  mutating func runs(in turn: UInt64) { (running, ran) = (turn, nil) }

  /// An item is pending no more: it runs, or is called off.
  mutating func released(_ id: UInt64, in turn: UInt64) {
    let known = pending.removeValue(forKey: id)
    if running == turn { ran = known.map { ($0, turn) } }
    running = nil
  }

  /// What has begun to run in the turn, told once; it stays where it is no match.
  mutating func ran(in turn: UInt64, unless isOther: (Known) -> Bool) -> Known? {
    running = nil
    guard let ran, ran.turn == turn, !isOther(ran.known) else { return nil }
    self.ran = nil
    return ran.known
  }

  /// Changes what is known of each that is pending.
  mutating func update(_ change: (inout Known) -> Void) {
    pending = pending.mapValues { known in
      var known = known
      change(&known)
      return known
    }
  }
}

extension RuleContext {
  /// The event that began the turn of the run loop that main is in; nil outside of one.
  var turnOnMain: UInt64? {
    var turn: UInt64?
    _ = hasOpenTurn { span in
      if span.thread == .main { turn = max(turn ?? 0, span.sequence) }
      return false
    }
    return turn
  }

  /// The event that began the run of a callback in which, or behind which, an event happens.
  fileprivate func run(of callback: Callback, _ event: borrowing Event) -> UInt64 {
    let thread = event.thread
    var run: UInt64?
    _ = hasOpenCall { span in
      if span.kind == .callbackBegin, span.thread == thread { run = max(run ?? 0, span.sequence) }
      return false
    }
    return run ?? lastRun(of: callback)?.beginSequence ?? 0
  }
}
