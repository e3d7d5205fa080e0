// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A callback that takes long and computes next to nothing: main waits in it, for whatever it is.
///
/// A semaphore, a lock or a sleep reports nothing itself. What main reports of its own in the callback, its
/// work with files and the network, its waits and its saves, is the matter of other rules and is taken off.
enum StandingStill {
  /// What main did in a callback, and what others did meanwhile.
  struct Memory: Sendable {
    /// When main was at work or waited, each behind the one before.
    var busy: [(begin: HostTime, end: HostTime)] = []
    /// The last work of another thread that has ended.
    var other: (span: OpenSpan, end: HostTime, sequence: UInt64)?
    /// How long main stood still in the callback that has ended, and how much it computed.
    var stood = Int64(0)
    /// Until when stretches are forgotten.
    var forgotten = HostTime(rawValue: .min)
    var cpu = Int64(0)
  }

  /// More stretches than this are not told apart: the older half is forgotten, which is said where it
  /// lies in the callback.
  fileprivate static let busyMax = 64

  static func rule(in callbacks: Set<Callback>) -> Recall<Memory> {
    Recall(
      attention: [EventKind.callbackEnd, .workEnd, .waitEnd, .dataDurable].map(Trigger.event),
      memory: Memory(),
      countsOnce: true
    ) { memory, event, context, names in
      switch event.kind {
      case .dataDurable:
        guard event.thread == .main,
          let object = context.state.data[names.known(event.identityName)],
          let flush = object.flushing, flush.thread == .main
        else { return nil }
        memory.add(flush.time, event.time)
      case .callbackEnd:
        guard let callback = context.callback, callbacks.contains(callback),
          let span = context.closing, span.thread == .main
        else { return nil }
        defer { memory.busy = [] }
        return judge(&memory, span, event, context)
      default:
        guard let span = context.closing else { return nil }
        if span.thread != .main {
          memory.other = (span, event.time, event.sequence)
        } else if span.kind == .waitBegin || span.detail != UInt64(WorkKind.other.rawValue) {
          memory.add(span.time, event.time)
        }
      }
      return nil
    } says: { scene, memory in
      story(scene, memory)
    }
  }

  private static func judge(
    _ memory: inout Memory,
    _ span: OpenSpan,
    _ event: borrowing Event,
    _ context: borrowing RuleContext
  ) -> Finding? {
    guard context.attributes.clock != .virtual, event.argumentCount > 1 else { return nil }
    memory.cpu = Payload.CallbackEnd(event).cpu ?? 0
    let busy = memory.busy.reduce(Int64(0)) { sum, part in
      sum.addingSaturated(max(0, part.end - max(part.begin, span.time)))
    }
    let length = context.running(span, until: event.time)
    memory.stood = length.subtractingSaturated(busy).subtractingSaturated(memory.cpu)
    // Of a thread that computes all the while others may take the processor away.
    guard memory.cpu <= length / 8 else { return .held }
    switch context.compare(memory.stood, context.profile.hang.severe, since: span.sequence) {
    case .within: return .held
    case .over where memory.forgotten > span.time:
      return .unclear("main was busy more than \(count: UInt64(busyMax), of: "time") in it")
    case .over:
      var doubt: Sentence?
      for family in [EventFamily.data, .work] where doubt == nil {
        doubt = context.unseen(family, since: span.time)
      }
      guard let doubt else { return .broken(.warning) }
      return .unclear("what main did in it may be missing: \(doubt)")
    case .unclear(let reason): return .unclear(reason)
    }
  }

  private static func story(_ scene: Scene, _ memory: Memory) -> Story {
    guard let span = scene.context.closing else {
      return Story("main stood still in a transition", [], [scene.witness("end")])
    }
    var details: [Sentence] = [
      "It computed for \(duration: memory.cpu) of that, and no work of its own is recorded in it: it waited, "
        + "for a semaphore, a lock or a sleep."
    ]
    var witnesses = [scene.witness("begin", span)]
    if let other = memory.other, other.end >= span.time,
      scene.event.time - other.end <= memory.stood / 4
    {
      details.append(
        "\(scene.title(other.span).capitalised)\(scene.at(other.span.site)) ended on another thread "
          + "\(duration: scene.event.time - other.end) before the callback did "
          + "(\(scene.event(other.sequence)))."
      )
      witnesses.append(scene.witness("waited for", other.span))
    }
    let hang = scene.context.profile.hang
    details.append(
      "From \(scene.limit(hang.severe)) on it is felt, and the system kills a transition at "
        + "\(scene.limit(hang.kill))."
    )
    return Story(
      "\(scene.title(span))\(scene.at(span.site)) stood still for \(scene.words(memory.stood))",
      details,
      witnesses + [scene.witness("end")]
    )
  }
}

extension StandingStill.Memory {
  /// Main was at it from `begin` to `end`; what was known to lie inside of that is a part of it.
  fileprivate mutating func add(_ begin: HostTime, _ end: HostTime) {
    // They stand in the order of their begins.
    while let last = busy.last, last.begin >= begin { busy.removeLast() }
    if busy.count == StandingStill.busyMax {
      forgotten = busy[StandingStill.busyMax / 2 - 1].end
      busy.removeFirst(StandingStill.busyMax / 2)
    }
    busy.append((max(begin, busy.last?.end ?? begin), end))
  }
}
