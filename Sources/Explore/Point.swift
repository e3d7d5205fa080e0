// SPDX-License-Identifier: Apache-2.0
package import LifetraceLifecycle
package import LifetraceScenario
package import LifetraceTrace
import LifetraceTimeline
import LifetraceWords

/// A moment of a life: right behind one of its events.
package struct Point: Sendable {
  /// Which start of a process of the scenario it is in, from 0.
  package var start: Int
  /// How that process is called: `notes#1` is the first of its app.
  package var label: String
  /// The stream of that process in the undisturbed play.
  package var stream: Int
  /// The event's number in that stream.
  package var sequence: UInt64
  /// The same as a launch step says it.
  package var event: EventCondition?
  package var count: UInt64
  /// The same by what the event is, and which of these it is: it stays true where others change.
  package var named: (event: EventCondition, count: UInt64)
  /// The step that was played then: its number in the flat scenario, from 0.
  package var step: Int
  /// The situation behind the event.
  package var key: CoverageKey
  /// The event in words, with its place in the source if it has one.
  package var text: String
  package var source: String
  /// Where it is, as a sentence goes on: `right behind …`, `between rename 1 and rename 2 of notes.json`.
  package var phrase: String
  /// The call of an observed program that it is at.
  package var call: FileCall?
  /// When, in nanoseconds since the first event of all.
  package var time: Int64

  /// How a launch step has the process end here.
  package func end(_ act: ScriptedEnd.Act) -> ScriptedEnd {
    ScriptedEnd(act, after: event, count: count)
  }

  /// Whether the act can happen in that state.
  ///
  /// The user throws apps out of the switcher, where none is active; and only what runs can crash.
  package func permits(_ act: ScriptedEnd.Act) -> Bool {
    switch act {
    case .purge, .reboot: true
    case .kill: [.inactive, .background, .suspended].contains(key.state)
    case .crash: key.state != .suspended
    }
  }
}

extension StagedLife {
  /// All points, process by process, in order.
  package func points() -> [Point] {
    var out: [Point] = []
    let begin = writers.compactMap { $0.events.first?.time.rawValue }.min() ?? 0
    var states: [Int: LifeState] = [:]
    let labels = labels
    for (start, stream) in streamOfStart.enumerated() {
      guard let stream else { continue }
      let app = report.starts[start].app
      let label = labels[stream] ?? "?"
      var state = LifeState()
      if let before = states[app] { state.beginIncarnation(after: before, names: names) }
      var own: UInt64 = 0
      var outside: [EventKind: UInt64] = [:]
      var counts: [EventCondition: UInt64] = [:]
      for event in writers[stream].events {
        state.apply(event, names: names)
        guard state.process.ending == nil else { break }
        var condition: EventCondition?
        var count: UInt64
        let call = FileCall(event, names)
        if event.isOfTheProcess {
          own += 1
          count = own
          if call != nil { condition = self.condition(of: event) }
        } else if ScriptedEnd.outside.contains(event.kind), state.appState == .suspended {
          outside[event.kind, default: 0] += 1
          count = outside[event.kind] ?? 1
          condition = EventCondition(after: event.kind.info?.name ?? "", name: nil)
        } else {
          continue
        }
        let means = condition ?? self.condition(of: event)
        counts[means, default: 0] += 1
        if call != nil { count = counts[means] ?? 1 }
        // What is seen of one call comes all at once: between its events there is no moment.
        guard event.observer != .observe || call != nil else { continue }
        let text = EventText.sentence(event, names).description
        out.append(
          Point(
            start: start,
            label: label,
            stream: stream,
            sequence: event.sequence,
            event: condition,
            count: count,
            named: (means, condition == nil ? counts[means] ?? 1 : count),
            step: step(at: event.time),
            key: CoverageKey(state, names),
            text: text,
            source: EventText.source(event.site, names),
            phrase: "right behind \(text)",
            call: call,
            time: event.time.rawValue - begin
          )
        )
      }
      states[app] = folded(stream, after: states[app])
    }
    return out.withSavesNamed()
  }

  /// By stream, as a recording of it has them.
  var labels: [Int: String] {
    let lives = AppLife.stitch(
      writers.enumerated().map { (id: $0.element.id, attributes: $0.element.attributes) }
    )
    return Dictionary(
      lives.flatMap(\.incarnations).map { ($0.index, $0.label) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// What a launch step can say of the event: its kind, and the name of its object or place.
  private func condition(of event: Event) -> EventCondition {
    let info = event.kind.info
    let isNamed =
      [EventFamily.data, .resource, .notification].contains(event.kind.family)
      && info?.isNameIdentity == true
    let name = isNamed ? names[event.identityName] : names[names[event.site].name]
    var condition = EventCondition(kind: event.kind)
    condition.name = name.isEmpty ? nil : name
    return condition
  }

  /// The step that was being played, by its number from 0.
  func step(at time: HostTime) -> Int {
    let behind = report.begins.partitioningIndex { $0.time > time.rawValue }
    return behind > 0 ? report.begins[behind - 1].number ?? 0 : 0
  }

  /// The state at the end of a stream.
  package func folded(_ stream: Int, after before: LifeState?) -> LifeState {
    var state = LifeState()
    if let before { state.beginIncarnation(after: before, names: names) }
    for event in writers[stream].events { state.apply(event, names: names) }
    return state
  }
}

extension Event {
  /// Whether it has come out of the process itself, in either world: from the SDK, or from the library
  /// that observes it.
  package var isOfTheProcess: Bool {
    (observer == .own || observer == .observe) && kind != .processStart
  }
}
