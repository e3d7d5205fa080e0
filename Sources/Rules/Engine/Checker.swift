// SPDX-License-Identifier: Apache-2.0
public import LifetraceLifecycle
public import LifetraceTrace
import LifetraceWords

/// Judges app lives: streams in, verdicts out.
///
///     var checker = Checker(profile: .ios13)
///     checker.begin(stream: id, attributes: attributes, state: LifeState())
///     for event in events { checker.apply(event, names: names) }
///     checker.finishStream(names: names)
///     for verdict in checker.finish() where verdict.outcome == .violated { … }
///
/// Streams of one app life go in one after the other, in order of their start. An event goes only
/// to the rules that named its kind. Memory does not grow with the trace: open things are bounded,
/// and so are the verdicts kept.
public struct Checker: Sendable {
  private var rules: RulesAtWork
  private var override: Profile?
  /// The rules of a project, which stand behind all others.
  private var own: [OwnRule] = []
  let enabled: [Int]
  /// Those are all of the catalogue's, and there are no others.
  private(set) var isWholeCatalogue = false
  /// How many events are known to be missing in the streams that were finished.
  public private(set) var lost: UInt64 = 0
  /// Whether no chunk of the current stream was met yet.
  private var isFirstChunk = true
  /// Whether what precedes the next chunk is missing, or was never recorded.
  private var isBroken = true
  /// Whether what the incarnation before has left is known without the first chunk's facts.
  private var isStartKnown = true
  /// The rules of the current stream.
  private var dispatch = Dispatch.none
  /// By role of the process.
  var dispatches: [ProcessRole: Dispatch] = [:]

  /// A checker that takes its thresholds from `profile`, whatever a recording says.
  public init(profile: Profile, rules selection: RuleSelection = .all) {
    self.init(rules: selection)
    override = profile
  }

  /// A checker that takes its thresholds from the profile each recording names, else from the standard one.
  public init(rules selection: RuleSelection = .all) { self.init(selection, of: .builtIn) }

  /// A checker of some of `rules`, by `profile` where one is named.
  package init(_ selection: RuleSelection, of rules: RuleSet, profile: Profile? = nil) {
    let table = rules.rules
    self.init(table, enabled: table.indices.filter { selection.contains(table[$0].info.id) })
    own = rules.own
    isWholeCatalogue = own.isEmpty && enabled.count == table.count
    override = profile
  }

  /// A checker of some rules of a table; verdicts name rules by their indexes in it.
  init(_ table: [Rule], enabled: [Int]) {
    rules = RulesAtWork(RuleContents(profile: .standard, table: table))
    self.enabled = enabled
  }

  var context: RuleContext { rules.context }

  /// What the rules know, to be changed: no copy of this checker knows it.
  mutating func ownContext() -> RuleContext {
    rules.own()
    return rules.context
  }

  /// The facts folded so far from the current stream.
  public var state: LifeState { context.state }

  /// Whether a process took part that rules can be about.
  public private(set) var hasJudged = false

  /// By app: whether it has declared data that it keeps, as far as that is known.
  private var appsWithData: [String: Bool] = [:]

  /// The apps that have declared no data, of whose losses nothing can be said.
  public var appsWithoutData: [String] { appsWithData.filter { !$0.value }.keys.sorted() }

  /// Whether some process that is no app has data: a program that is observed, for one.
  private var hasOthersData = false

  /// Whether some process has declared data.
  public var hasData: Bool { hasOthersData || appsWithData.values.contains(true) }

  /// How fast time ran for those.
  public private(set) var timeScales = TimeScales()

  /// A stream begins; `state` holds what the incarnation before it left.
  ///
  /// Where the facts of its first chunk are better evidence, `isKnown` is false.
  public mutating func begin(
    stream: StreamID,
    attributes: WriterAttributes,
    state: LifeState = LifeState(),
    isKnown: Bool = true,
    incarnation: Int = 1,
    label: String = ""
  ) {
    var context = ownContext()
    context.takeLeave(
      isNewLife: incarnation == 1,
      isLinked: attributes.previous != nil,
      isKnown: isKnown
    )
    context.state = state
    context.attributes = attributes
    context.profile = override ?? Profile.named(attributes.profile) ?? .standard
    context.stream = stream
    context.incarnation = incarnation
    context.label = label.isEmpty ? attributes.app : label
    context.history = History()
    context.main = MainThread()
    context.contents.pointee.open = OpenSpans()
    context.waiting = WaitingChanges()
    context.hole = nil
    context.unseenWork = nil
    context.uninterruptedWork = nil
    context.hasFacts = false
    context.contents.pointee.full = FullTables()
    isStartKnown = isKnown
    isFirstChunk = true
    isBroken = true
    context.tallies.select(app: attributes.app, isNewLife: incarnation == 1)
    if attributes.role.isJudged { hasJudged = true }
    timeScales.add(attributes)
    dispatch = dispatches[attributes.role] ?? dispatchOfRules(for: attributes.role)
    dispatches[attributes.role] = dispatch
    rules.begin(dispatch.all)
  }

  /// The next event of the stream.
  public mutating func apply(_ event: borrowing Event, names: borrowing Names) {
    rules.own()
    withUnsafePointer(to: event) { judge($0, names) }
  }

  /// The next events of the stream: faster than one by one, as it is asked only once whether another
  /// checker knows what this one does.
  package mutating func apply(_ events: Span<Event>, names: borrowing Names) {
    rules.own()
    events.withUnsafeBufferPointer { events in
      for index in events.indices { judge(events.baseAddress.unsafelyUnwrapped + index, names) }
    }
  }

  /// Lets the rules look at an event, and folds it; nobody else refers to what they know.
  @inline(__always)
  private func judge(_ place: UnsafePointer<Event>, _ names: borrowing Names) {
    var context = rules.context
    if place.pointee.sequence != context.state.nextSequence { context.state.meet(place.pointee) }
    let slot = context.prepare(place.pointee, names)
    for number in dispatch.places(of: slot, in: context.state.appState) {
      rules.apply(dispatch.rule(at: number), place, names)
    }
    context.remember(place.pointee, names)
    context.state.apply(place.pointee, names: names)
    context.noteBegin(place.pointee)
  }

  /// The next chunk of the stream can be read; its events follow, through ``apply(_:names:)``.
  ///
  /// Where events are missing before it, or a recording of the last minutes begins with it, its
  /// keyframe is asked for with `facts`: those facts are certain again, whatever was missed.
  public mutating func enter(_ chunk: ChunkSummary, facts: () -> LifeState?) {
    var context = ownContext()
    let expected = context.state.nextSequence ?? 0
    if isBroken || chunk.firstSequence > expected, chunk.firstSequence > 0,
      chunk.keyframe == .full, let state = facts()
    {
      let unseen = chunk.firstSequence - min(isFirstChunk ? 0 : expected, chunk.firstSequence)
      // Where chunks could not be read, the numbers of this one show the gap.
      let missing = isFirstChunk ? chunk.missingBefore : unseen - min(unseen, chunk.letGoBefore)
      lost &+= missing &+ context.state.completeness[.unknown].lost
      context.state = state
      context.contents.pointee.open = OpenSpans()
      context.hasFacts = true
      forget(unseen, missing: missing, until: chunk.firstTime)
    } else if isFirstChunk, !isStartKnown, chunk.keyframe == .full, let state = facts() {
      context.state = state
      context.contents.pointee.open = OpenSpans()
      context.hasFacts = true
    }
    isFirstChunk = false
    // The numbers do not say how many events a repair's mark stands for.
    isBroken = chunk.isStandIn
    // Else they stand in the chunk as events; a stand-in has but one, for what it stands for.
    if chunk.isStandIn || !chunk.kinds.contains(.loss) { dropped(before: chunk) }
  }

  /// The facts are known again; the rules' memory of the way there is not.
  private mutating func forget(_ unseen: UInt64, missing: UInt64, until time: HostTime) {
    let text: Sentence =
      missing > 0
      ? "\(count: missing, of: "event") missing before"
      : "\(count: unseen, of: "event") let go before"
    var context = ownContext()
    context.hole = RuleContext.Hole(end: time, text: text)
    context.history = History()
    context.main = MainThread()
    context.waiting = WaitingChanges()
    rules.begin(dispatch.all)
  }

  /// The next chunk of the stream cannot be read: its events are missing.
  public mutating func skip(_ chunk: ChunkSummary, isLast: Bool) {
    isFirstChunk = false
    isBroken = true
    dropped(before: chunk)
    // Before a chunk that can be read, the numbers of that one show the gap.
    guard isLast else { return }
    var context = ownContext()
    let from = max(context.state.nextSequence ?? 0, chunk.firstSequence)
    let count = chunk.endSequence > from ? chunk.endSequence - from : 0
    context.state.lose(.all, count: count, since: chunk.firstTime)
  }

  /// Events that never reached the file, by the chunk's header.
  private mutating func dropped(before chunk: ChunkSummary) {
    var context = ownContext()
    for loss in chunk.losses where !(chunk.isStandIn && loss.family == .unknown) {
      context.state.lose(FamilySet(loss.family), count: loss.count, since: chunk.firstTime)
    }
  }

  /// The recording of the current stream ends here.
  public mutating func finishStream(names: borrowing Names) {
    var context = ownContext()
    let sum = lost.addingReportingOverflow(context.state.completeness.lost)
    lost = sum.overflow ? .max : sum.partialValue
    if context.attributes.role == .app {
      let known = appsWithData[context.attributes.app] ?? false
      appsWithData[context.attributes.app] = known || context.hasData
    } else if context.attributes.role.isJudged, !context.state.data.isEmpty {
      hasOthersData = true
    }
    if context.hasFacts { context.readUnseenWork(names) }
    context.change = nil
    context.closing = nil
    context.callback = nil
    let last = Event(
      .end,
      at: context.state.lastTime,
      sequence: max(1, context.state.nextSequence ?? 0) - 1
    )
    for rule in dispatch.all {
      rules.finish(rule, last, names)
    }
    context.tellFullTables(to: dispatch, last, names)
    context.tellLosses(names)
  }

  /// Everything that was found: a verdict an occasion for breaches and doubts, one a rule and app for the rest.
  ///
  /// Ordered by severity, then rule, then time.
  public func finish() -> [Verdict] { findings + summaries }

  /// Adds what a checker of the same rules has found in the lives behind those of this one.
  package mutating func add(_ later: Checker) {
    let sum = lost.addingReportingOverflow(later.lost)
    lost = sum.overflow ? .max : sum.partialValue
    hasJudged = hasJudged || later.hasJudged
    appsWithData.merge(later.appsWithData) { $0 || $1 }
    hasOthersData = hasOthersData || later.hasOthersData
    timeScales.add(later.timeScales)
    var context = ownContext()
    context.tallies.add(later.context.tallies)
  }

  /// What is said of each rule that it knows, by index.
  package var infos: [RuleInfo] { context.table.map(\.info) }

  /// The rules of a project that it judges, with their indexes.
  var ownRules: [(index: Int, rule: OwnRule)] {
    let first = context.table.count - own.count
    return own.indices.filter { enabled.contains(first + $0) }.map { (first + $0, own[$0]) }
  }

  /// Which events a rule of a project has met, in all apps.
  func sightings(ofRule index: Int) -> Sightings {
    context.tallies.apps.reduce(into: Sightings()) { $0.add($1.tallies[index].sightings) }
  }

  /// How often each rule was broken, undecidable and kept, by app; also beyond the verdicts kept.
  public var counts: [(app: String, rule: String, violated: Int, undecidable: Int, held: Int)] {
    grades.map { ($0.app, $0.rule, $0.violated.total, $0.undecidable, $0.held) }
  }

  /// How often a rule was broken, by severity, undecidable and kept in the lives of an app.
  package typealias Grading = (
    app: String, rule: String, violated: Grades, undecidable: Int, held: Int
  )

  /// The same as ``counts``, by severity.
  package var grades: [Grading] {
    let ids = infos.map(\.id)
    return context.tallies.apps.flatMap { app, tallies in
      enabled.map {
        let tally = tallies[$0]
        return (app, ids[$0], tally.violated, tally.undecidable, tally.held)
      }
    }
  }
}

// MARK: - Every verdict

extension Checker {
  /// Changes what is counted; no copy of this checker counts so.
  mutating func withTallies(_ change: (inout Tallies) -> Void) {
    var context = ownContext()
    change(&context.tallies)
  }

  /// Lets it look through so many open spans at each event; nothing it says depends on that.
  package mutating func lookThrough(openSpans count: Int) {
    ownContext().contents.pointee.crowdMin = count
  }

  /// As many verdicts of an app, a rule, an outcome and a severity are kept in words.
  package static var keptMax: Int { Tallies.keptMax }

  /// Lets it note the place of every verdict, for ``takePlaces()``.
  package mutating func collectPlaces() {
    withTallies { $0.places = VerdictPlaces() }
  }

  /// The places of the verdicts given since the last time, in the order in which they were given.
  package mutating func takePlaces() -> [PlacedVerdict] {
    var context = ownContext()
    return context.tallies.places?.take() ?? []
  }

  /// A verdict whose place said that it is kept, with what has been added to it since.
  package func verdict(_ key: VerdictKey) -> Verdict { context.tallies[key] }

  /// A checker of one rule that keeps those violations, or doubts, on `stream` in words whose
  /// numbers, counted from 0 there, are in `numbers`, and no others.
  package static func retelling(
    _ rule: Int,
    _ numbers: Range<Int>,
    isViolation: Bool,
    of stream: StreamID,
    in rules: RuleSet,
    profile: Profile?
  ) -> Checker {
    var checker = Checker(rules.rules, enabled: [rule])
    checker.override = profile
    var context = checker.ownContext()
    context.tallies.keeping = .some(numbers, isViolation: isViolation, of: stream)
    return checker
  }

  /// How many verdicts such a checker has met, kept or not.
  package var retold: Int { context.tallies.retold }

  /// Whether a launch that is still to come may report what was lost.
  package var awaitsLaunch: Bool { context.tallies.awaitsLaunch }
}
