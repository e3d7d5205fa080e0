// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

// What a timer has missed while the app could not run.
extension Resources {
  static let madeUp = Rule(
    "RS25",
    "The ticks that a timer has missed are not made up for one by one at the return.",
    source:
      "Foundation, Timer: when scheduled firing times have passed, it fires only once for that time "
      + "period",
    severity: .warning,
    fix: "Do once at the return what is due, and reckon with the time that has passed.",
    thresholds: ["pile"],
    Recall(
      attention: [
        EventKind.resourceUse, .callbackEnd, .turnEnd, .transition,
      ].map(Trigger.event),
      memory: Ticks(),
      countsOnce: true
    ) { ticks, event, context, names in
      switch event.kind {
      case .transition:
        if context.change?.to == .active { ticks.becameActive() }
        return nil
      case .resourceUse:
        let timer = Payload.ResourceUse(event)
        guard timer.class.value == .timer, event.thread == .main,
          let extent = context.state.openSpans(on: .main).first(where: { $0.kind != .waitBegin })
        else { return nil }
        let tick = (time: event.time, sequence: event.sequence, site: event.site)
        if ticks.again(timer.name, tick, in: extent.sequence) { return nil }
        let callback = context.calling(event, names)
        let isReturn =
          callback.map { $0 == .didBecomeActive || $0 == .willEnterForeground } ?? false
        guard isReturn ? context.history.hasBecomeActive : ticks.isBack else { return nil }
        ticks.first(timer.name, tick, in: extent, isReturn ? callback : nil, context)
        return nil
      default:
        guard let extent = context.closing?.sequence,
          let found = ticks.ends(extent, copy context)
        else { return nil }
        guard let found else { return .held }
        let doubt = context.unseen(.callback, since: found.begun)
        return .broken(unless: doubt.map { "the end of a turn may be missing: \($0)" })
      }
    } says: { scene, ticks in
      guard let found = ticks.found else {
        return Story("a timer ticked too often", [], [scene.witness("here")])
      }
      let place: Sentence = found.callback.map { "in \($0.rawValue)" } ?? "in one turn"
      return Story(
        "the timer \(name: scene.names[found.timer]) ticked \(count: UInt64(found.count), of: "time")"
          + "\(scene.at(found.site)) \(place), for the time in which the app did not run",
        [
          "The first tick came \(scene.before(found)), the last \(scene.before(found.last.time, found.last.sequence)): "
            + "a timer that the system runs ticks once for all that it has missed."
        ],
        [
          scene.witness("first tick", found),
          scene.witness("last tick", found.last.sequence, found.last.time, found.site),
          scene.witness("end"),
        ]
      )
    }
  )

  /// How often each timer is used in one callback or turn of the main run loop, behind a return.
  private struct Ticks: Sendable {
    typealias Tick = (time: HostTime, sequence: UInt64, site: SiteID)

    struct Pile: Opened {
      let timer: NameID
      let extent: UInt64
      /// When that began.
      let begun: HostTime
      /// The callback of the return; nil for another turn.
      let callback: Callback?
      let time: HostTime
      let sequence: UInt64
      let site: SiteID
      var last: (time: HostTime, sequence: UInt64)
      var count = 1
    }

    private var open: [Pile] = []
    /// The timers that have ticked since the app became active.
    private var ticked: Set<NameID> = []
    private var activations = 0
    private(set) var found: Pile?

    /// Whether the app has been active before, and is so again.
    var isBack: Bool { activations > 1 }

    mutating func becameActive() {
      activations += 1
      ticked.removeAll()
    }

    /// Whether it is one more tick of a pile.
    mutating func again(_ timer: NameID, _ tick: Tick, in extent: UInt64) -> Bool {
      guard let place = open.firstIndex(where: { $0.timer == timer && $0.extent == extent }) else {
        return false
      }
      open[place].count += 1
      open[place].last = (tick.time, tick.sequence)
      return true
    }

    /// The first tick in a callback of the return, or in the first turn behind it.
    mutating func first(
      _ timer: NameID,
      _ tick: Tick,
      in extent: OpenSpan,
      _ callback: Callback?,
      _ context: borrowing RuleContext
    ) {
      guard callback != nil || !ticked.contains(timer), context.hasRoom(open.count, for: "timer"),
        context.hasRoom(ticked.count, for: "timer")
      else { return }
      ticked.insert(timer)
      open.append(
        Pile(
          timer: timer,
          extent: extent.sequence,
          begun: extent.time,
          callback: callback,
          time: tick.time,
          sequence: tick.sequence,
          site: tick.site,
          last: (tick.time, tick.sequence)
        )
      )
    }

    /// The callback or turn is over: nil where no timer has ticked in it, else the pile that did so
    /// too often, if one has.
    mutating func ends(_ extent: UInt64, _ context: RuleContext) -> Pile?? {
      let piles = open.filter { $0.extent == extent }
      guard !piles.isEmpty else { return nil }
      open.removeAll { $0.extent == extent }
      // Several timers of one name may tick once each.
      found = piles.first { pile in
        let timers = context.state.resources.values.count {
          $0.resourceClass == .timer && $0.name == pile.timer
        }
        return pile.count >= context.profile.pile * max(1, timers)
      }
      return .some(found)
    }
  }
}
