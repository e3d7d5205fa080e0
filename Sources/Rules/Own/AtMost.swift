// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A project's rule: something happens no more often than so many times in a stretch of time.
///
///     at-most: {event: data.flushing && object =~ `*.json`, count: 3, per: 1s, same: identity}
///
/// Each such event is an occasion; a stretch with too many of them is one breach, at the first that
/// is too many.
struct AtMost: Pattern {
  /// The last events of one key, as many as are allowed, in a ring.
  fileprivate struct Recent: Sendable {
    var events: [OwnEvent] = []
    var oldest = 0
    var isExceeded = false
    var isDoubtful = false
  }

  /// More events than this are not remembered, of all keys.
  private static let eventsMax = 65_536
  private let tie: EventTie
  private let count: Int
  /// Nominal nanoseconds; nil for a process.
  private let span: Int64?
  private var deeds: Watcher
  private var recent: [OwnKey: Recent] = [:]

  init(_ event: EventSelector, count: Int, per span: Int64?, _ tie: EventTie) {
    (self.count, self.span, self.tie) = (count, span, tie)
    deeds = Watcher(event, 0)
  }

  private var keysMax: Int { max(1, Self.eventsMax / count) }

  var attention: [Trigger] { deeds.selector.attention }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard deeds.match(event, &context, names) == .yes,
      let key = OwnKey(event, tie, context, names),
      recent[key] != nil || context.hasRoom(recent.count, of: keysMax, for: "subject")
    else { return }
    let met = OwnEvent(event, context, names)
    let first = recent[key, default: Recent()].add(met, count: count)
    guard let first else { return held(key, event, &context, names) }
    var finding = Finding.broken()
    if let span {
      let length = event.time - first.time
      let error = context.uncertainty(first.time, event.time, flags: event.flags)
      if length.subtractingSaturated(error) >= context.scaled(span) {
        recent[key]?.isExceeded = false
        return held(key, event, &context, names)
      }
      if length.addingSaturated(error) >= context.scaled(span) {
        finding = .unclear("times are right to ± \(context.words(error)) only")
      }
    }
    guard recent[key]?.isExceeded == false else { return }
    recent[key]?.isExceeded = true
    let (selector, count, span) = (deeds.selector, count, span)
    context.say(finding, event, names) { scene in
      let time: Sentence = span.map { "within \(scene.limit($0))" } ?? "in this process"
      let times = count == 1 ? "once" : "\(count) times"
      return Story(
        "\(scene.title(met, selector)) happened more than \(times) \(time)",
        [
          scene.context.ownRule,
          "The first of these \(count + 1) was \(scene.before(first))\(scene.at(first.site)).",
        ],
        [scene.witness("first", first), scene.witness("one too many")]
      )
    }
  }

  /// As often as it may be, as far as nothing is missing.
  private mutating func held(
    _ key: OwnKey,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    var since = HostTime(rawValue: .min)
    if let span {
      let start = event.time.rawValue.subtractingSaturated(context.scaled(span))
      since = HostTime(rawValue: start)
    }
    guard let doubt = context.unseen(deeds.selector, since: since) else {
      recent[key]?.isDoubtful = false
      return context.held()
    }
    guard recent[key]?.isDoubtful == false else { return }
    recent[key]?.isDoubtful = true
    let selector = deeds.selector
    context.say(.unclear(doubt), event, names) { scene in
      let met = OwnEvent(scene.event, scene.context, scene.names)
      return Story(
        "\(scene.title(met, selector)) may have happened too often",
        [scene.context.ownRule],
        [scene.witness("here")]
      )
    }
  }
}

extension AtMost.Recent {
  /// Adds an event; the one that many before it, or nil where there were not as many.
  fileprivate mutating func add(_ event: OwnEvent, count: Int) -> OwnEvent? {
    guard events.count == count else {
      events.append(event)
      return nil
    }
    let first = events[oldest]
    events[oldest] = event
    oldest = (oldest + 1) % count
    return first
  }
}
