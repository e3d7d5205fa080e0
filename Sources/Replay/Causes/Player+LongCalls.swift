// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
package import LifetraceTrace
package import LifetraceWords

/// A call that kept main from everything else for longer than can be felt.
package struct LongCall: Sendable {
  /// The event that began it.
  package let sequence: UInt64
  /// The callback.
  package let callback: String
  /// Where in the source it began; nil where that is not recorded.
  package let source: SourcePlace?
  /// What its time went into.
  package let sentence: Sentence
}

/// A change of the system that came to an app, of a type that nobody there has ever observed.
package struct UnheardChange: Sendable {
  /// The type, as it is recorded.
  package let type: String
  /// How often it came.
  package internal(set) var count: UInt64
  /// The first event that brought it.
  package let sequence: UInt64
}

extension Player {
  /// The callbacks of a stream that took longest on main, the longest first, those that are felt only.
  ///
  /// None of them needs to be wrong: no limit of the system may stand against it. It looks at the
  /// callbacks of the last ``CauseGraph/eventsMax`` events.
  package func longestCalls(of stream: StreamID, max: Int) -> [LongCall] {
    let graph = CauseGraph(player: self)
    let felt = timeline.streams[Int(stream.rawValue)].attributes
      .scaled(profile(of: stream).hang.hang)
    var outer: (identity: UInt64, time: HostTime, place: EventPlace)?
    var long: [(length: Int64, begin: EventPlace, end: EventPlace)] = []
    let count = timeline.streams[Int(stream.rawValue)].count
    graph.scan(stream, 0..<count, KindSet([.callbackBegin, .callbackEnd])) { event, place in
      if event.kind == .callbackBegin {
        if outer == nil, event.thread == .main { outer = (event.identity, event.time, place) }
      } else if let begun = outer, begun.identity == event.identity {
        outer = nil
        let length = event.time - begun.time
        guard length > felt else { return }
        long.append((length, begun.place, place))
        long.sort { ($0.length, $1.begin.index) > ($1.length, $0.begin.index) }
        if long.count > max { long.removeLast() }
      }
    }
    return long.compactMap { _, begin, end in
      guard end.index - begin.index <= CauseGraph.eventsMax else { return nil }
      let (event, parts) = (timeline.event(at: begin), graph.breakdown(from: begin, to: end))
      return LongCall(
        sequence: event.sequence,
        callback: names[names[event.site].name],
        source: SourcePlace(event.site, names),
        sentence: parts.sentence(names) { "\(duration: nominal($0, of: stream))" }
      )
    }
  }

  /// The changes of the system that came to an app, of types that nobody there has handled, in order.
  ///
  /// An app needs to observe only what it keeps something of, and that is known to itself alone.
  package func unheardChanges(in stream: StreamID) -> [UnheardChange] {
    var (came, heard): ([UnheardChange], Set<String>) = ([], [])
    let count = timeline.streams[Int(stream.rawValue)].count
    let kinds = KindSet([.notificationDelivered, .notificationHandled])
    CauseGraph(player: self).scan(stream, 0..<count, kinds) { event, _ in
      let type = NotificationClass.shortName(names[event.identityName])
      if event.kind == .notificationHandled {
        heard.insert(type)
      } else if let known = came.firstIndex(where: { $0.type == type }) {
        came[known].count += 1
      } else {
        came.append(UnheardChange(type: type, count: 1, sequence: event.sequence))
      }
    }
    return came.filter { !heard.contains($0.type) }
  }
}
