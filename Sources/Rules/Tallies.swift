// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace

/// What the rules have said so far; bounded, whatever the trace does.
struct Tallies: Sendable {
  /// More verdicts of one outcome than this are counted, not kept, for each rule and app.
  static let keptMax = 100

  /// What one rule has said about one app.
  struct Tally: Sendable {
    var held = 0
    var violated = 0
    var undecidable = 0
    var kept: [Verdict] = []
  }

  let rules: Int
  /// By app, then by rule.
  private(set) var apps: [(app: String, tallies: [Tally])] = []
  private var currentApp = 0
  /// Data lost in earlier incarnations, by app, until the next launch has told what it found.
  private var losses: [[Loss]] = []

  /// A version that was lost, and the verdict that says so.
  struct Loss: Sendable {
    var object: NameID
    var version: UInt64
    /// The newest version that had reached the kernel, which a reboot need not have dropped.
    var inKernel: UInt64
    /// The version of which a save was under way, 0 for none.
    var flushing: UInt64
    var stream: StreamID
    fileprivate var rule: Int
    fileprivate var place: Int
  }

  init(rules: Int) { self.rules = rules }

  mutating func select(app: String) {
    if let known = apps.firstIndex(where: { $0.app == app }) {
      currentApp = known
    } else {
      currentApp = apps.count
      apps.append((app, [Tally](repeating: Tally(), count: rules)))
      losses.append([])
    }
  }

  mutating func held(_ rule: Int) { apps[currentApp].tallies[rule].held += 1 }

  /// Whether another verdict would be kept; the tally counts it either way.
  mutating func makesRoom(_ rule: Int, isViolation: Bool) -> Bool {
    let tally = apps[currentApp].tallies[rule]
    if isViolation {
      apps[currentApp].tallies[rule].violated += 1
      return tally.violated < Self.keptMax
    }
    apps[currentApp].tallies[rule].undecidable += 1
    return tally.undecidable < Self.keptMax
  }

  /// Keeps a verdict; its place among those of the rule.
  mutating func keep(_ rule: Int, _ verdict: Verdict) -> Int {
    apps[currentApp].tallies[rule].kept.append(verdict)
    return apps[currentApp].tallies[rule].kept.count - 1
  }

  /// The violation kept at `place` says that `version` was lost; the next launch may add what it found.
  mutating func lost(
    _ object: NameID,
    version: UInt64,
    inKernel: UInt64,
    flushing: UInt64,
    _ stream: StreamID,
    rule: Int,
    place: Int
  ) {
    losses[currentApp].append(
      Loss(
        object: object,
        version: version,
        inKernel: inKernel,
        flushing: flushing,
        stream: stream,
        rule: rule,
        place: place
      )
    )
  }

  /// The losses of other incarnations of this app of which no launch has told yet.
  mutating func takeLosses(before stream: StreamID) -> [Loss] {
    let earlier = losses[currentApp].filter { $0.stream != stream }
    losses[currentApp].removeAll { $0.stream != stream }
    return earlier
  }

  /// Adds to a verdict what became known after it.
  mutating func amend(_ loss: Loss, _ detail: String, _ witness: Witness?) {
    apps[currentApp].tallies[loss.rule].kept[loss.place].details.append(detail)
    if let witness {
      apps[currentApp].tallies[loss.rule].kept[loss.place].witnesses.append(witness)
    }
  }
}

extension RuleContext {
  /// The rule had an occasion to be broken, and was kept.
  mutating func held() { tallies.held(current) }

  /// The rule is broken at `event`; `story` is asked only if there is room to keep it.
  mutating func violated(
    at sequence: UInt64,
    _ time: HostTime,
    severity: Severity? = nil,
    _ story: (RuleContext) -> Story
  ) {
    _ = placeOfViolation(at: sequence, time, severity: severity, story)
  }

  /// The rule is broken at `event`, or, where `doubt` says what may be missing, that is not sure.
  mutating func violated(
    at event: borrowing Event,
    unless doubt: String?,
    _ title: String,
    _ witnesses: [Witness]
  ) {
    let story = Story(title: title, witnesses: witnesses)
    guard let doubt else { return violated(at: event.sequence, event.time) { _ in story } }
    undecidable(doubt, at: event.sequence, event.time) { _ in story }
  }

  /// The rule is broken: the place of the verdict, or nil for one that is only counted.
  mutating func placeOfViolation(
    at sequence: UInt64,
    _ time: HostTime,
    severity: Severity? = nil,
    _ story: (RuleContext) -> Story
  ) -> Int? {
    guard tallies.makesRoom(current, isViolation: true) else { return nil }
    return keep(.violated, at: sequence, time, severity: severity, story(self))
  }

  /// The evidence does not suffice at `event`, for `reason`.
  mutating func undecidable(
    _ reason: String,
    at sequence: UInt64,
    _ time: HostTime,
    _ story: (RuleContext) -> Story
  ) {
    guard tallies.makesRoom(current, isViolation: false) else { return }
    _ = keep(.undecidable(reason), at: sequence, time, severity: nil, story(self))
  }

  /// What a verdict tells.
  struct Story {
    /// The name with which the title begins, if it does: as the recording spells it.
    var subject = ""
    var title: String
    var details: [String] = []
    var witnesses: [Witness] = []
    var advice: String?
  }

  private mutating func keep(
    _ outcome: Verdict.Outcome,
    at sequence: UInt64,
    _ time: HostTime,
    severity: Severity?,
    _ story: Story
  ) -> Int {
    let info = RuleTable.rules[current].info
    return tallies.keep(
      current,
      Verdict(
        rule: info.id,
        severity: severity ?? info.severity,
        outcome: outcome,
        stream: stream,
        app: attributes.app,
        incarnation: incarnation,
        sequence: sequence,
        time: time,
        witnesses: story.witnesses.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) },
        subject: story.subject,
        title: story.title,
        details: story.details,
        advice: story.advice ?? info.fix,
        occasions: 1
      )
    )
  }
}
