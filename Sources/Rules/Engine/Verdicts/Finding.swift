// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What a rule finds on an occasion.
enum Finding: Sendable {
  /// The rule was kept.
  case held
  /// It is broken; without a grade, as gravely as the rule says.
  case broken(Severity? = nil)
  /// The evidence does not suffice, for a reason; without one, for that of the story.
  case unclear(Sentence? = nil)

  var isHeld: Bool { if case .held = self { true } else { false } }
  var isBroken: Bool { if case .broken = self { true } else { false } }

  /// Broken, or, where `doubt` says what may be missing, not sure.
  static func broken(unless doubt: Sentence?, _ grade: Severity? = nil) -> Finding {
    doubt.map { .unclear($0) } ?? .broken(grade)
  }
}

/// The contents of a verdict.
struct Story: Sendable {
  var title: Sentence
  var details: [Sentence]
  var witnesses: [Witness]
  var advice: Sentence?
  /// Why it is not clear, where the finding does not say so.
  var reason: Sentence?

  init(
    _ title: Sentence,
    _ details: [Sentence] = [],
    _ witnesses: [Witness],
    advice: Sentence? = nil,
    because reason: Sentence? = nil
  ) {
    self.title = title
    self.details = details
    self.witnesses = witnesses
    self.advice = advice
    self.reason = reason
  }
}

extension RuleContext {
  /// Says what the rule that is looking finds at `event`, or about what stands at `place`.
  ///
  /// The story is asked for only if it is kept. Returns the place of a breach that is kept among
  /// the rule's verdicts; nil for one that is only counted, and for anything else.
  @discardableResult
  mutating func say(
    _ finding: Finding,
    at place: (sequence: UInt64, time: HostTime)? = nil,
    object: NameID = .empty,
    _ event: borrowing Event,
    _ names: borrowing Names,
    _ story: (Scene) -> Story
  ) -> Int? {
    var (severity, reason): (Severity?, Sentence?)
    switch finding {
    case .held:
      held()
      return nil
    case .unclear(let why): reason = why ?? ""
    case .broken(let grade): (severity, reason) = (grade, unseenReason)
    }
    var (sequence, time) = (event.sequence, event.time)
    if let place { (sequence, time) = place }
    if reason == nil { tallies.breached(current, stream, at: sequence) }
    let place = verdictPlace(sequence, object, severity, isViolation: reason == nil)
    guard tallies.makesRoom(current, place) else { return nil }
    let told = story(Scene(event: copy event, context: self, names: copy names))
    guard let reason else { return keep(.violated, place, time, told) }
    _ = keep(.undecidable(told.reason ?? reason), place, time, told)
    return nil
  }

  /// The rule had an occasion to be broken, and was kept.
  ///
  /// Where the system was held up that is not sure: it might have come to the app earlier.
  mutating func held() {
    guard let uninterruptedReason else { return tallies.held(current) }
    let (sequence, time) = place
    let place = verdictPlace(sequence, .empty, nil, isViolation: false)
    guard tallies.makesRoom(current, place) else { return }
    let story = Story(
      "kept as it was played, and not surely otherwise",
      [Sentence(table[current].info.statement)],
      [Witness(label: "here", stream: stream, sequence: sequence, time: time)]
    )
    _ = keep(.undecidable(uninterruptedReason), place, time, story)
  }

  private func verdictPlace(
    _ sequence: UInt64,
    _ object: NameID,
    _ severity: Severity?,
    isViolation: Bool
  ) -> VerdictPlace {
    VerdictPlace(
      sequence: sequence,
      stream: stream,
      object: object,
      rule: UInt8(current),
      severity: severity ?? table[current].info.severity,
      isViolation: isViolation
    )
  }

  private mutating func keep(
    _ outcome: Verdict.Outcome,
    _ place: VerdictPlace,
    _ time: HostTime,
    _ story: Story
  ) -> Int {
    let info = table[current].info
    return tallies.keep(
      current,
      Verdict(
        rule: info.id,
        severity: place.severity,
        outcome: outcome,
        stream: stream,
        app: attributes.app,
        incarnation: incarnation,
        sequence: place.sequence,
        time: time,
        witnesses: story.witnesses.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) },
        title: story.title,
        details: story.details,
        advice: story.advice ?? Sentence(info.fix),
        occasions: 1
      )
    )
  }
}
