// SPDX-License-Identifier: Apache-2.0
package import LifetraceRules
package import LifetraceTimeline
package import LifetraceTrace
package import LifetraceWords

/// Why something is as it is: sentences, each with the event that shows it.
package struct Explanation: Sendable {
  /// What is explained, in one sentence.
  package var title: Sentence
  /// The chain, in order of time.
  package var steps: [Step] = []
  /// The event of the chain that is to blame, of a verdict.
  package var cause: EventPlace?
  /// What follows from it, a sentence each.
  package var remarks: [Sentence] = []
  /// What to do about it; may be empty.
  package var advice: Sentence = ""

  /// One link of the chain.
  package struct Step: Sendable {
    /// Its part in the story: `edit`, `suspended`; may be empty.
    package var label: String
    /// The event's number, or nil where it is missing.
    package var event: Int?
    /// The place of the step, if it has one.
    package var place: EventPlace?
  }

  /// Starts with the sentence that says what is explained.
  package init(_ title: Sentence) { self.title = title }
}

extension Player {
  /// The longest chain that an explanation of a state shows.
  static let chainMax = 12

  /// Explains a verdict: the chain of events from the cause to where it became so, what had led to
  /// the cause, and what else its rule points to.
  package func why(_ verdict: Verdict) throws(SearchInterrupted) -> Explanation {
    var explanation = Explanation(verdict.title)
    let chain = causes(of: verdict)
    let beside = try notifications(before: verdict)
    explanation.steps = steps(of: verdict, chain, beside)
    explanation.cause = chain?.cause
    explanation.remarks = verdict.details
    let time = breakdown(of: verdict)
    if let time {
      explanation.remarks += [sentence(time, of: verdict), silence(in: time, of: verdict)]
        .compactMap(\.self)
      explanation.remarks += meanwhile(in: time, of: verdict)
    }
    if let work = workOfWake(verdict) { explanation.add(work, self) }
    if isInterrupted() { throw SearchInterrupted() }
    if case .undecidable(let reason) = verdict.outcome { explanation.remarks.append(reason) }
    explanation.advice = verdict.advice
    if let time, time.thread == .main, let on = time.mostlyWaitingFor {
      let space = verdict.advice.parts.isEmpty ? "" : " "
      explanation.advice +=
        isDeadlocked(in: time, of: verdict)
        ? "\(space)\(Deadlock.advice)"
        : "\(space)Most of that time was waiting for \(name: names[on]): do not wait for it on main."
    }
    return explanation
  }

  /// Each event once, in order; what the rule calls it goes before what the graph does.
  private func steps(of verdict: Verdict, _ chain: CauseChain?, _ beside: [Explanation.Step])
    -> [Explanation.Step]
  {
    var (labels, places): ([EventPlace: String], [EventPlace]) = ([:], [])
    func add(_ place: EventPlace, _ label: String) {
      if labels[place] == nil { places.append(place) }
      if labels[place, default: ""].isEmpty { labels[place] = label }
    }
    var missing: [Explanation.Step] = []
    for witness in verdict.witnesses {
      if let place = heldPlace(of: witness.stream, sequence: witness.sequence) {
        add(place, witness.label)
      } else {
        missing.append(Explanation.Step(label: witness.label, event: nil, place: nil))
      }
    }
    for step in (chain?.origins ?? []) + (chain?.steps ?? []) {
      add(step.place, step.relation?.rawValue ?? "here")
    }
    for step in beside { if let place = step.place { add(place, step.label) } }
    let steps = places.map { place in
      let label = labels[place] ?? ""
      return step(place, place == chain?.cause ? "\(label): the cause" : label)
    }
    return missing + steps.sorted { ($0.event ?? 0) < ($1.event ?? 0) }
  }

  /// Explains the state of a stream: the transitions and callbacks that led here.
  package func whyState(of stream: StreamID) throws(SearchInterrupted) -> Explanation {
    guard cursor(of: stream) > 0 else {
      return Explanation("\(name: labels[stream]) has not begun here: there is nothing to explain.")
    }
    let state = self.state(of: stream)
    let isApp = timeline.streams[Int(stream.rawValue)].attributes.role == .app
    let word = Wording.state(state.appState)
    let place = state.placeInLife
    var explanation = Explanation("\(name: labels[stream]) is \(word).")
    let since = timeline.alignment.traceTime(place.since, of: stream)
    if !isApp {
      explanation.title =
        "\(name: labels[stream]) is no app: it \(state.process.ending == nil ? "runs" : "has ended")."
    } else if state.appState == .unknown {
      explanation.title = "The state of \(name: labels[stream]) is unknown."
      explanation.remarks.append(
        "No state event was seen before this place, or some were lost; any state is possible."
      )
    } else {
      explanation.title =
        "\(name: labels[stream]) is \(word) since \(Wording.time(since)); before, it was "
        + "\(Wording.state(place.before))."
    }
    var filter = EventFilter(
      kinds: KindSet([
        .processStart, .transition, .suspend, .resume, .purge, .processExit, .callbackBegin,
        .callbackEnd, .wakeBegin, .device, .taskBegin, .taskEnd, .taskExpire,
      ])
    ) { _, _ in true }
    filter.streams = [stream]
    var from = here
    while explanation.steps.count < Self.chainMax,
      let place = try find(filter, .backward, from: from)
    {
      explanation.steps.append(step(place))
      from = timeline.position(after: place)
      timeline.stepBackward(&from)
    }
    explanation.steps.reverse()
    if isApp, !state.completeness[.state].isWhole {
      explanation.remarks.append(
        state.completeness[.state].lost > 0
          ? "State events are missing: the chain may have gaps."
          : "The recording does not reach back to the start of the process: there was more before."
      )
    }
    return explanation
  }

  /// The place of an event that the recording has: a stand-in for one that is damaged has none.
  package func heldPlace(of stream: StreamID, sequence: UInt64) -> EventPlace? {
    guard let place = timeline.place(of: stream, sequence: sequence),
      timeline.event(at: place).kind != .loss
    else { return nil }
    return place
  }

  func step(_ place: EventPlace, _ label: String = "") -> Explanation.Step {
    Explanation.Step(label: label, event: timeline.number(of: place), place: place)
  }
}
