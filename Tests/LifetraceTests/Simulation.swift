// SPDX-License-Identifier: Apache-2.0
import CLifetrace
import Lifetrace
import LifetraceTrace

/// A simulated thread: what runs in ``run(_:)`` emits into ``events``, on a clock that counts.
final class Simulation {
  private(set) var events: [lt_record] = []
  var kinds: [EventKind] { events.map { EventKind(rawValue: $0.kind) } }
  private var now: UInt64 = 0
  private var sink: OpaquePointer?

  init() {
    // The sink is destroyed in deinit, so the simulation outlives it.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sink = lt_sink_create(
      { context, event in
        guard let context, let event else { return }
        let simulation = Unmanaged<Simulation>.fromOpaque(context).takeUnretainedValue()
        simulation.events.append(event.pointee)
      },
      { context in
        guard let context else { return 0 }
        let simulation = Unmanaged<Simulation>.fromOpaque(context).takeUnretainedValue()
        simulation.now += 1
        return simulation.now
      },
      context
    )
  }

  deinit { lt_sink_destroy(sink) }

  @discardableResult
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = lt_sink_enter(sink)
    defer { lt_sink_leave(before) }
    return try body()
  }
}

extension Lifetrace.Site {
  init(of event: lt_record) {
    self = .none
    id = event.site
  }
}

extension Lifetrace.Name {
  init(number: UInt64) {
    self = .none
    id = UInt32(number)
  }
}
