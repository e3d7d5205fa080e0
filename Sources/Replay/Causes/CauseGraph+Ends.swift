// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace

extension CauseGraph {
  /// The end of a process leads to what it ended for: what ran, what was held, what was not done.
  func ending(_ scene: CauseScene) -> [CauseLink] {
    guard scene.event.kind == .processExit else { return [] }
    let exit = Payload.ProcessExit(scene.event)
    let cause = names[exit.cause]
    let isImported = timeline.streams[Int(scene.stream.rawValue)].attributes.evidence == .log
    switch EndKind(cause: cause, code: exit.code, isImported: isImported) {
    case .crash: return crash(scene)
    case .ordinary where cause == TerminationCause.exit.rawValue: return crash(scene)
    case .kill(TerminationCode.watchdog): return onMain(scene, isInnermost: false)
    case .kill(TerminationCode.backgroundTask): return oldestTask(scene)
    case .kill(TerminationCode.urlSession), .kill(TerminationCode.fetch),
      .kill(TerminationCode.badCall):
      return oldest(.open, scene.state.wakes.values.map(\.sequence), scene)
    case .kill(TerminationCode.deadLock): return locks(scene)
    default: return []
    }
  }

  /// A crash, or an exit, leads to the first line of the app on the stack that was printed, else to
  /// what main was in.
  private func crash(_ scene: CauseScene) -> [CauseLink] {
    var frame: EventPlace?
    let first = max(0, scene.index - Self.stackEventsMax)
    scan(scene.stream, first..<scene.index, KindSet([.log])) { event, place in
      guard frame == nil, event.observer == .recorder, event.site != .none,
        Payload.Log(event).level.value == .fault, names[names[event.site].file].isEmpty == false
      else { return }
      frame = place
    }
    if let frame { return [CauseLink(relation: .crash, cause: CauseNode(place: frame))] }
    return onMain(scene, isInnermost: true)
  }

  /// The stack of a crash is among the last events of its process.
  private static let stackEventsMax = 256

  /// What main was in; without anything, the launch if there is one under way.
  private func onMain(_ scene: CauseScene, isInnermost: Bool) -> [CauseLink] {
    let spans = scene.state.openSpans(on: .main).filter { !isAsynchronous($0, scene.stream) }
    if let span = isInnermost ? spans.last : spans.first {
      return [link(.ranThen, span.sequence, scene, until: isInnermost ? nil : scene.index)]
        .compactMap { $0 }
    }
    guard !isInnermost else { return [] }
    return launchBegin(scene.state, scene.stream).map {
      launched(from: $0, scene)
    } ?? []
  }

  private func isAsynchronous(_ span: OpenSpan, _ stream: StreamID) -> Bool {
    guard span.kind == .workBegin, let place = place(span.sequence, in: stream) else {
      return false
    }
    return timeline.event(at: place).isAsynchronousWork
  }

  private func oldestTask(_ scene: CauseScene) -> [CauseLink] {
    let tasks = Array(scene.state.tasks.values)
    let expired = tasks.filter { $0.expired != nil }
    return oldest(.open, (expired.isEmpty ? tasks : expired).map(\.sequence), scene)
  }

  /// The locks that the app itself reported, else those that the system saw, else what ran.
  private func locks(_ scene: CauseScene) -> [CauseLink] {
    let locks = scene.state.resources.values.filter { $0.resourceClass == .lock }.map(\.sequence)
    let own = locks.filter { sequence in
      place(sequence, in: scene.stream).map { timeline.event(at: $0).observer == .own } ?? false
    }
    if !locks.isEmpty { return oldest(.held, own.isEmpty ? locks : own, scene) }
    let work = scene.state.spans.values.filter { $0.kind == .workBegin }.map(\.sequence)
    return oldest(.open, work, scene)
  }

  private func oldest(
    _ relation: CauseRelation,
    _ sequences: [UInt64],
    _ scene: CauseScene
  ) -> [CauseLink] {
    [link(relation, sequences.min(), scene, until: scene.index)].compactMap { $0 }
  }

  // MARK: The launch

  /// A launch that took too long leads to the longest part of it, else to its begin.
  func launch(_ scene: CauseScene) -> [CauseLink] {
    guard Payload.Transition(scene.event).to.value == .active,
      let begin = launchBegin(scene.state, scene.stream)
    else { return [] }
    let attributes = timeline.streams[Int(scene.stream.rawValue)].attributes
    let limit = attributes.scaled(player.profile(of: scene.stream).launch.warn)
    guard scene.event.time - timeline.event(at: begin).time > limit else { return [] }
    return launched(from: begin, scene)
  }

  private func launched(from begin: EventPlace, _ scene: CauseScene) -> [CauseLink] {
    let parts = longestPart(
      begin.index + 1..<scene.index,
      of: .main,
      from: timeline.event(at: begin).time,
      to: scene.event.time,
      scene
    )
    guard parts.isEmpty else { return parts }
    return [CauseLink(relation: .launch, cause: CauseNode(place: begin))]
  }

  /// Where the launch that is under way began: with the process, or, started ahead of the user, with
  /// its first state; nil where none is under way.
  func launchBegin(_ state: LifeState, _ stream: StreamID) -> EventPlace? {
    guard let first = place(0, in: stream),
      state.appState == .inactive || state.appState == .notRunning,
      state.appState == .notRunning || state.stateBefore == .notRunning
    else { return nil }
    let start = timeline.event(at: first)
    guard start.kind == .processStart else { return nil }
    guard names[Payload.ProcessStart(start).reason] == "prewarm" else { return first }
    return state.appState == .inactive ? place(state.stateSequence, in: stream) : nil
  }

  // MARK: What stood open

  /// What the app left undone when it stopped there: each counts for the finding that is about it.
  func standing(_ scene: CauseScene) -> [CauseLink] {
    let state = scene.state
    let level = level(at: scene.node.place)
    var links: [CauseLink?] = []
    func add(_ relation: CauseRelation, _ sequence: UInt64?) {
      links.append(link(relation, sequence, scene, until: scene.index, isHint: true))
    }
    for object in state.unsaved(at: level).prefix(Self.openMax) {
      add(.edit, (object.firstUnsaved ?? object.dirty)?.sequence)
      if object.firstUnsaved != nil { add(.edit, object.dirty?.sequence) }
    }
    for object in state.data.values.prefix(Self.openMax) where !object.openFlushes.isEmpty {
      add(.saveBegan, object.flushing?.sequence)
    }
    for span in state.spans.values.prefix(Self.openMax) { add(.open, span.sequence) }
    for task in state.tasks.values.prefix(Self.openMax) { add(.open, task.sequence) }
    for wake in state.wakes.values.prefix(Self.openMax) { add(.open, wake.sequence) }
    for deadline in state.deadlines.values.prefix(Self.openMax) { add(.open, deadline.sequence) }
    for thing in state.resources.values.prefix(Self.openMax) { add(.held, thing.sequence) }
    return links.compactMap { $0 }
  }
}
