// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
package import LifetraceTrace

extension CauseGraph {
  private static let spanKinds = KindSet([
    .callbackBegin, .callbackEnd, .turnBegin, .turnEnd, .workBegin, .workEnd, .waitBegin, .waitEnd,
  ])

  /// An end leads to its begin.
  func endOfSpan(_ scene: CauseScene) -> [CauseLink] {
    let begin = scene.event.kind.begin
    return began(begin.flatMap { scene.state.openSpan(scene.event.identity, $0)?.sequence }, scene)
  }

  /// What took long leads to the part of it that took at least half of that.
  func partOfSpan(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until else { return [] }
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until)).time
    return longestPart(
      scene.index + 1..<until,
      of: scene.event.thread,
      from: scene.event.time,
      to: end,
      scene
    )
  }

  /// The longest of what ran on a thread between two of its times, if it took at least half of that.
  func longestPart(
    _ range: Range<Int>,
    of thread: ThreadID,
    from begin: HostTime,
    to end: HostTime,
    _ scene: CauseScene
  ) -> [CauseLink] {
    guard !range.isEmpty else { return [] }
    var outer: (key: SpanKey, time: HostTime, place: EventPlace)?
    var longest: (length: Int64, node: CauseNode)?
    func close(_ time: HostTime, at index: Int) {
      guard let span = outer else { return }
      outer = nil
      let length = time - span.time
      if length > longest?.length ?? 0 {
        longest = (length, CauseNode(place: span.place, until: index))
      }
    }
    scan(scene.stream, range, Self.spanKinds) { event, place in
      if let kind = event.kind.begin {
        if outer?.key == SpanKey(event.identity, kind) { close(event.time, at: place.index) }
      } else if outer == nil, event.thread == thread, !event.isAsynchronousWork {
        outer = (SpanKey(event.identity, event.kind), event.time, place)
      }
    }
    close(end, at: range.upperBound)
    guard let longest, longest.length >= (end - begin) / 2 else { return [] }
    return [CauseLink(relation: .longestPart, cause: longest.node)]
  }

  /// Work that was to go on in the background leads to the end of the last task that was begun for it.
  func lostCover(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until, scene.event.thread != .main else { return [] }
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until))
    let state = player.state(of: scene.stream, after: until)
    guard end.kind == .suspend || !state.isForeground else { return [] }
    var last: EventPlace?
    scan(scene.stream, scene.index + 1..<until, KindSet([.taskEnd])) { event, place in
      if isTaskEnd(event, at: place, for: (scene.event.sequence, scene.event.thread)) {
        last = place
      }
    }
    guard let last, state.tasks.isEmpty else { return [] }
    return [CauseLink(relation: .taskEnded, cause: CauseNode(place: last))]
  }

  /// Whether an end of a background task is that of the one that was begun for what began with `work`.
  func isTaskEnd(
    _ event: Event,
    at place: EventPlace,
    for work: (sequence: UInt64, thread: ThreadID)
  ) -> Bool {
    let state = player.state(of: place.stream, after: place.index)
    let item = state.innermostWork(on: event.thread)
    return state.tasks[event.identity]?
      .isFor(work.sequence, on: work.thread, endedOn: event.thread, in: item) ?? false
  }

  /// The answer to a wake leads to the wake, unless the answer itself is what is wrong with it.
  func completion(_ scene: CauseScene) -> [CauseLink] {
    guard let wake = scene.state.wakes[scene.event.identity],
      let begin = place(wake.sequence, in: scene.stream)
    else { return [] }
    let reason = names[wake.reason]
    let attributes = timeline.streams[Int(scene.stream.rawValue)].attributes
    let limit = attributes.scaled(player.profile(of: scene.stream).limit(ofWake: reason).warn)
    if reason == "voip", scene.event.kind == .wakeCompletion, scene.event.time - wake.time <= limit
    {
      var isReported = false
      scan(scene.stream, begin.index + 1..<scene.index, KindSet([.wakeReported])) { event, _ in
        if event.identity == scene.event.identity { isReported = true }
      }
      guard isReported else { return [] }
    }
    return began(wake.sequence, scene)
  }

  /// A wake that was not answered leads to what kept main from answering for at least half of the time,
  /// and to its expiration handler, where the rule points to that: it has not answered it either.
  func hungHandler(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until else { return [] }
    let end = timeline.event(at: EventPlace(stream: scene.stream, index: until)).time
    let range = scene.index + 1..<until
    var handler: CauseLink?
    scan(scene.stream, range, KindSet([.callbackBegin])) { event, place in
      guard Callback(named: names[names[event.site].name]) == .expirationHandler else { return }
      let node = CauseNode(place: place, until: until)
      handler = CauseLink(relation: .ranThen, cause: node, isHint: true)
    }
    return longestPart(range, of: .main, from: scene.event.time, to: end, scene)
      + [handler].compactMap { $0 }
  }

  /// A task that was not ended leads to its expiration handler, where that was still running.
  func hungExpiration(_ scene: CauseScene) -> [CauseLink] {
    guard let until = scene.node.until else { return [] }
    let handler = player.state(of: scene.stream, after: until).openSpans(on: .main).first {
      $0.kind == .callbackBegin && $0.sequence > scene.event.sequence
        && Callback(named: names[names[$0.site].name]) == .expirationHandler
    }
    return [link(.ranThen, handler?.sequence, scene, until: until)].compactMap { $0 }
  }
}

extension EventKind {
  /// The kind that begins what an event of this kind ends; nil for others.
  package var begin: EventKind? {
    switch self {
    case .callbackEnd: .callbackBegin
    case .turnEnd: .turnBegin
    case .workEnd: .workBegin
    case .waitEnd: .waitBegin
    default: nil
    }
  }
}

extension Event {
  /// Whether it begins work that lets its thread do other things.
  var isAsynchronousWork: Bool { kind == .workBegin && Payload.WorkBegin(self).async == true }
}

extension Player {
  /// The profile that a stream names.
  func profile(of stream: StreamID) -> Profile {
    Profile.named(timeline.streams[Int(stream.rawValue)].attributes.profile) ?? .standard
  }
}
