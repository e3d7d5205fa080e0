// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// Work that puts itself off again and again: a timer in all but its name.
extension Resources {
  /// One that stood pending at two suspensions, and ran in between, is stopped by nothing: at the first
  /// it may have been what the user had begun a moment before.
  private static let suspensionsMin = 2

  /// Delayed work that repeats itself, and that nothing calls off when the app becomes inactive.
  static let periodic = Recall(
    attention: [
      .event(.resourceAcquire), .event(.resourceUse), .event(.resourceRelease), .event(.suspend),
      .event(.transition),
    ],
    memory: Periodic(),
    countsOnce: true,
    finds: { periodic, event, context, names in
      if context.change?.suspends == true { return periodic.sleeps(context) }
      guard event.thread == .main, let turn = context.turnOnMain else { return nil }
      switch event.kind {
      case .resourceUse:
        if Payload.ResourceUse(event).class.value == .delayedWork { periodic.items.runs(in: turn) }
      case .resourceRelease:
        let work = Payload.ResourceRelease(event)
        if work.class.value == .delayedWork { periodic.items.released(work.id ?? 0, in: turn) }
      case .resourceAcquire:
        let work = Payload.ResourceAcquire(event)
        guard work.class.value == .delayedWork, event.site != .none,
          names[work.attribute ?? .empty] != "critical"
        else { return nil }
        let callback = context.calling(event, names)
        periodic.putOff(
          Pairs.Place(event),
          id: work.id ?? 0,
          in: turn,
          isOnTheWayOut: callback == .willResignActive || callback == .didEnterBackground,
          context
        )
      default: break
      }
      return nil
    },
    says: { scene, periodic in
      guard let chain = periodic.found, let before = chain.sleep else {
        return Story("delayed work goes on", [], [scene.here("suspended")])
      }
      return Story(
        "the work put off\(scene.at(chain.last.site)) puts itself off again and again, and nothing called "
          + "it off when the app became inactive",
        [
          "It was begun \(scene.before(chain.first)), has run \(count: chain.runs, of: "time"), and was "
            + "pending at two suspensions: each return runs at once what was due."
        ],
        [
          scene.witness("begun", chain.first), scene.witness("suspended", before),
          scene.witness("put off again", chain.last), scene.here("suspended again"),
        ]
      )
    }
  )

  /// The chains of work on main that puts itself off again from the line it came from.
  struct Periodic: Sendable {
    struct Chain: Sendable {
      let first: Pairs.Place
      var last: Pairs.Place
      /// Begun on the way out, for the time in the background: that is not meant.
      let isForBackground: Bool
      /// How often it has run, and had by the last suspension at which it was pending.
      var runs: UInt64 = 0
      var runsThen: UInt64 = 0
      /// At how many suspensions it was pending, and the last of them.
      var suspensions = 0
      var sleep: Pairs.Place?
    }

    fileprivate var items = DelayedItems<Chain>()
    private var told: Set<SiteID> = []
    private var hasRepeated = false
    private(set) var found: Chain?

    fileprivate mutating func putOff(
      _ place: Pairs.Place,
      id: UInt64,
      in turn: UInt64,
      isOnTheWayOut: Bool,
      _ context: borrowing RuleContext
    ) {
      if var chain = items.ran(in: turn, unless: { $0.last.site != place.site }) {
        hasRepeated = true
        chain.last = place
        chain.runs += 1
        items.putOff(chain, id, context)
      } else {
        let chain = Chain(first: place, last: place, isForBackground: isOnTheWayOut)
        items.putOff(chain, id, context)
      }
    }

    /// The app is suspended: what is pending, and has run since it was so before, runs on.
    fileprivate mutating func sleeps(_ context: borrowing RuleContext) -> Finding? {
      guard let resigned = context.resigned, hasRepeated else { return nil }
      let place = context.place
      let told = self.told
      var newest: (chain: Chain, before: Pairs.Place?)?
      items.update { chain in
        guard !chain.isForBackground, chain.first.time < resigned, chain.runs > chain.runsThen
        else { return }
        let before = chain.sleep
        chain.runsThen = chain.runs
        chain.suspensions += 1
        chain.sleep = Pairs.Place(place)
        guard chain.suspensions >= Resources.suspensionsMin, !told.contains(chain.last.site),
          newest.map({ $0.chain.last.sequence < chain.last.sequence }) ?? true
        else { return }
        newest = (chain, before)
      }
      guard let newest else { return .held }
      var chain = newest.chain
      self.told.insert(chain.last.site)
      chain.sleep = newest.before
      found = chain
      // What was begun on the way out is not meant: it must be known where it was begun.
      let begun = context.unseen(.callback, since: HostTime(rawValue: .min)).map {
        "the callback that begins it may be missing: \($0)" as Sentence
      }
      return .broken(
        unless: context.doubt(.resource, since: chain.first.time)
          .map { "its end may be missing: \($0)" } ?? begun
      )
    }
  }
}
