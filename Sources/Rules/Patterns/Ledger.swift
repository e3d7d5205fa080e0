// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Things of one sort that begin and end, and where those stand that are open.
///
///     Extent(ledger: .tasks, …)           // each background task ends in time
///     Pairing(ledger: .tasks, …)          // each is ended
struct Ledger<Thing: Opened>: Sendable {
  /// The family whose events report an end: lost ones may hide one.
  let family: EventFamily
  /// What may be missing then, in words.
  var missing: Sentence = "its end"
  /// The events that may end one.
  let ends: [Trigger]
  /// What such an event ends; nil where it ends nothing that was seen to begin.
  let ended: @Sendable (borrowing Event, borrowing RuleContext, borrowing Names) -> Thing?
  /// The open things, in the order in which they are judged.
  let open: @Sendable (inout RuleContext, borrowing Names) -> [Thing]
}

extension Ledger where Thing == OpenSpan {
  /// The runs of a callback.
  static func callback(_ callback: Callback) -> Ledger { .callbacks([callback]) }

  /// The runs of some callbacks.
  static func callbacks(_ callbacks: [Callback]) -> Ledger {
    Ledger(
      family: .callback,
      ends: callbacks.map(Trigger.callbackEnd),
      ended: { _, context, _ in context.closing },
      open: { context, names in
        var found: [OpenSpan] = []
        _ = context.hasOpenCall { span in
          guard span.kind == .callbackBegin,
            let called = context.history.callback(of: span.site, names), callbacks.contains(called)
          else { return false }
          found.append(span)
          return false
        }
        return found
      }
    )
  }
}

extension Ledger where Thing == OpenTask {
  /// The ledger of background tasks.
  static var tasks: Ledger {
    Ledger(
      family: .task,
      ends: [.event(.taskEnd)],
      ended: { event, context, _ in context.state.tasks[event.identity] },
      open: { context, _ in Array(context.state.tasks.values) }
    )
  }
}

extension Ledger where Thing == OpenWake {
  /// The wakes whose completion handler the app is to call.
  static var wakes: Ledger {
    Ledger(
      family: .wake,
      missing: "the completion",
      ends: [.event(.wakeCompletion)],
      ended: { event, context, names in
        guard let wake = context.state.wakes[event.identity] else { return nil }
        return Profile.hasCompletion(wake: names[wake.reason]) ? wake : nil
      },
      open: { context, names in
        var found: [OpenWake] = []
        for wake in context.state.wakes.values {
          if Profile.hasCompletion(wake: names[wake.reason]) { found.append(wake) }
        }
        return found
      }
    )
  }
}

extension Ledger where Thing == OwnDeadline {
  /// The deadlines that the app sets itself, in the order in which it set them.
  static var deadlines: Ledger {
    Ledger(
      family: .deadline,
      ends: [.event(.deadlineClose)],
      ended: { event, context, _ in
        context.state.deadlines[event.identity].map {
          OwnDeadline($0, context.history.deadlineSite(event.identity))
        }
      },
      open: { context, _ in
        context.state.deadlines.entries
          .map { OwnDeadline($0.value, context.history.deadlineSite($0.key)) }
          .sorted { $0.sequence < $1.sequence }
      }
    )
  }
}

/// A deadline of the app's own, with the place in the source where it was set.
struct OwnDeadline: Opened {
  let what: NameID
  let budget: Int64
  let countsCPU: Bool
  let time: HostTime
  let sequence: UInt64
  let site: SiteID

  init(_ deadline: OpenDeadline, _ site: SiteID) {
    (what, budget, countsCPU) = (deadline.what, deadline.budget, deadline.countsCPU)
    (time, sequence, self.site) = (deadline.time, deadline.sequence, site)
  }
}

extension Ledger where Thing == Launch {
  /// The launch of the process: there is one at most.
  ///
  /// It ends on the screen; one into the background, where it has finished launching.
  static var launches: Ledger {
    Ledger(
      family: .state,
      ends: [.event(.transition), .callbackEnd(.didFinishLaunching)],
      ended: { event, context, _ in
        guard let launch = context.history.launch else { return nil }
        let isEnd =
          launch.isIntoBackground
          ? event.kind == .callbackEnd : context.change?.to == .active
        return isEnd ? launch : nil
      },
      open: { context, names in
        guard let launch = context.history.launch else { return [] }
        guard launch.isIntoBackground else {
          return context.state.appState == .inactive ? [launch] : []
        }
        // An app whose callbacks are not recorded may be ready long ago.
        let launching = Ledger<OpenSpan>.callbacks([.willFinishLaunching, .didFinishLaunching])
        return launching.open(&context, names).isEmpty ? [] : [launch]
      }
    )
  }
}

extension Ledger where Thing == OpenWake {
  /// The wakes by Bluetooth, which an app may complete though it need not.
  static var bluetoothWakes: Ledger {
    Ledger(
      family: .wake,
      missing: "the completion",
      ends: [.event(.wakeCompletion)],
      ended: { event, context, names in
        guard let wake = context.state.wakes[event.identity] else { return nil }
        return names[wake.reason] == "bluetooth" ? wake : nil
      },
      open: { _, _ in [] }
    )
  }
}
