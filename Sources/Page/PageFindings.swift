// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceJudging
import LifetraceLifecycle
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// What a page says of each violation: the verdict, the chain from its cause, what went before and after.
struct PageFindings {
  /// A page tells the stories of no more violations; the rest is listed by place.
  static let toldMax = 200
  /// And lists no more than this; the rest is counted.
  static let listedMax = 5_000

  let player: Player
  let findings: Findings
  let judgement: Judgement
  /// By number, the violation under which one stands as a note.
  private let heads: [Int: Int]

  /// How many are notes under others, which are not counted.
  var noteCount: Int { heads.count }

  /// The violations that are listed: the gravest first, and of those the first.
  var gravestFirst: [Finding] {
    findings.violations.prefix(Self.listedMax).sorted {
      ($1.severity, $0.number) < ($0.severity, $1.number)
    }
  }

  /// The violation that the page opens at: of the gravest one that lost data, else one of a process that
  /// the system or a crash ended, else the first.
  var first: Finding? {
    guard let gravest = findings.gravest else { return nil }
    let grave = findings.violations.prefix(Self.listedMax).filter {
      $0.severity == gravest.severity && heads[$0.number] == nil
    }
    let harms = grave.map { (harm(of: $0), $0) }
    return harms.max { ($0.0, $1.1.number) < ($1.0, $0.1.number) }?.1 ?? gravest
  }

  /// What a violation did: 2 where data is gone, 1 where the app was ended against its will, else 0.
  private func harm(of finding: Finding) -> Int {
    guard let place = player.timeline.place(of: finding.stream, sequence: finding.sequence) else {
      return 0
    }
    let event = player.timeline.event(at: place)
    let isEnd = event.kind == .purge || event.kind == .processExit
    let isLost =
      finding.rule.hasPrefix("DS") && !finding.object.isEmpty
      && (isEnd || event.kind == .dataRestored)
    return isLost ? 2 : isEnd && !isMeant(event) ? 1 : 0
  }

  /// Whether the user, the app itself or the recording has ended it.
  private func isMeant(_ end: Event) -> Bool {
    let cause = player.names[end.endingCause]
    let isAsked: Set<TerminationCause?> = [.user, .exit, .exitsOnSuspend]
    return HarnessEnd.isOne(cause) || isAsked.contains(TerminationCause(rawValue: cause))
  }

  /// The events that the told stories point to.
  private(set) var places: [EventPlace] = []

  init(_ player: Player, _ findings: Findings, _ judgement: Judgement) {
    (self.player, self.findings, self.judgement) = (player, findings, judgement)
    let listed = findings.violations.prefix(Self.listedMax).compactMap { finding in
      finding.kept.map { (verdict: $0, number: finding.number) }
    }
    let standing = Standing(of: listed.map(\.verdict), by: judgement.table.infos)
    let numbers = Dictionary(
      listed.map { ($0.verdict, $0.number) },
      uniquingKeysWith: { first, _ in first }
    )
    heads = Dictionary(
      uniqueKeysWithValues: listed.compactMap { verdict, number in
        standing.head(of: verdict).flatMap { numbers[$0] }.map { (number, $0) }
      }
    )
  }

  /// In order of place, the gravest finding room first; what is not told has its place alone.
  mutating func json(_ room: inout PageRoom) throws(SearchInterrupted) -> JSON {
    let listed = findings.violations.prefix(Self.listedMax)
    let places = room.fit(listed.map { .object(place(of: $0)) }, share: 0.25, "violation")
    var stories: [Int: [(String, JSON)]] = [:]
    var untold = 0
    var most = room.left / 2
    for finding in gravestFirst.prefix(Self.toldMax) where finding.number <= places.count {
      let story = try story(of: finding)
      let bytes = PageText.bytes(of: .object(story))
      if room.take(bytes, most: most) {
        stories[finding.number] = story
        most -= bytes
      } else {
        untold += 1
      }
    }
    room.leaveOut(untold, "explanation")
    return .array(
      zip(listed, places).map { finding, _ in
        .object(place(of: finding) + (stories[finding.number] ?? []))
      }
    )
  }

  private func place(of finding: Finding) -> [(String, JSON)] {
    [
      ("n", JSON(finding.number)), ("rule", .string(finding.rule)),
      ("severity", .string(finding.severity.rawValue)),
      ("life", JSON(Int(finding.stream.rawValue))), ("seq", JSON(finding.sequence)),
      ("time", finding.time.map { .int($0.rawValue) } ?? .null),
      ("object", .string(Printable.line(finding.object))),
    ] + (heads[finding.number].map { [("under", JSON($0))] } ?? [])
  }

  private mutating func story(of finding: Finding) throws(SearchInterrupted) -> [(String, JSON)] {
    let verdict = try player.verdict(of: finding, by: judgement)
    let explanation = try player.why(verdict)
    let chain = player.causes(of: verdict)
    let event = player.timeline.place(of: finding.stream, sequence: finding.sequence)
    places += explanation.steps.compactMap(\.place) + [event].compactMap { $0 }
    var members: [(String, JSON)] = [
      ("title", .string(verdict.title.capitalised.line)),
      ("details", .array(explanation.remarks.map { .string(sentence($0)) })),
      ("advice", .string(sentence(explanation.advice))),
      ("steps", .array(explanation.steps.map { step($0, cause: chain?.cause ?? event) })),
    ]
    if let culprit = culprit(of: verdict, chain) { members.append(("culprit", culprit)) }
    guard let event else { return members }
    members.append(("before", .array(state(of: event.stream, after: event.index))))
    members.append(("after", .array(state(of: event.stream, after: event.index + 1))))
    return members
  }

  private func sentence(_ sentence: Sentence) -> String {
    let text = sentence.line
    return text.isEmpty || text.hasSuffix(".") ? text : text + "."
  }

  private func step(_ step: Explanation.Step, cause: EventPlace?) -> JSON {
    guard let place = step.place else {
      return .object([("label", .string(step.label)), ("missing", .bool(true))])
    }
    let event = player.timeline.event(at: place)
    let source = SourcePlace(event.site, player.names).map { Printable.line("\($0)") } ?? ""
    let label = step.label.replacing(": the cause", with: "")
    return .object([
      ("label", .string(label)), ("life", JSON(Int(place.stream.rawValue))),
      ("seq", JSON(event.sequence)),
      ("time", .int(player.timeline.time(of: event).rawValue)),
      ("text", .string(EventText.sentence(player.named(event, at: place), player.names).line)),
      ("source", .string(source)), ("cause", .bool(place == cause)),
    ])
  }

  /// The line of source that is to blame, as far as the recording names one, and how long before, at
  /// the scale of the rest of the story.
  private func culprit(of verdict: Verdict, _ chain: CauseChain?) -> JSON? {
    guard let place = player.culprit(chain, of: verdict) else { return nil }
    let event = player.timeline.event(at: place)
    let source = SourcePlace(event.site, player.names).map { Printable.line("\($0)") } ?? ""
    return .object([
      ("source", .string(source)), ("life", JSON(Int(place.stream.rawValue))),
      ("seq", JSON(event.sequence)),
      ("time", .int(player.timeline.time(of: event).rawValue)),
      ("before", .string(player.before(place, verdict).line)),
      ("text", .string(EventText.sentence(event, player.names).capitalised.line)),
    ])
  }

  // MARK: Before and after

  /// What is held in a state, a phrase each.
  private func state(of stream: StreamID, after cursor: Int) -> [JSON] {
    let state = player.state(of: stream, after: cursor)
    let names = player.names
    var phrases: [String] = []
    let isApp = player.timeline.streams[Int(stream.rawValue)].attributes.role == .app
    phrases.append(
      isApp && state.appState != .unknown
        ? Wording.state(state.appState) : state.process.ending == nil ? "running" : "ended"
    )
    let level = state.endLevel(names)
    for (object, edit) in oldestUnsaved(in: state, level) {
      let isLost = state.losesAtEnd(names)
      let fate = isLost ? object.survival(at: level) == nil ? "lost" : "may be lost" : "unsaved"
      phrases.append("\(names[object.name]): \(Quantity.bytes(edit.bytes)) \(fate)")
    }
    for task in state.tasks.values.prefix(Self.phrasesMax) {
      phrases.append("task \"\(names[task.name])\" held")
    }
    for span in state.openSpans(on: .main).prefix(Self.phrasesMax) {
      phrases.append("main \(words(of: span, names))")
    }
    for held in state.resources.values.prefix(Self.phrasesMax) {
      switch held.resourceClass {
      case .pendingSave, .delayedWork: continue
      case .other: phrases.append("\(names[held.name]) held")
      default: phrases.append("\(held.resourceClass) \(names[held.name]) held")
      }
    }
    if state.notifications.count > 0, state.process.ending == nil {
      let least = state.isFull(.notifications) ? "at least " : ""
      let count = Quantity.count(state.notifications.count, "notification")
      phrases.append("\(least)\(count) waiting")
    }
    return phrases.map { .string(Printable.line($0)) }
  }

  private static let phrasesMax = 4

  /// The objects that have been unsaved for the longest time, with their newest edit: of ten thousand
  /// a few are told.
  private func oldestUnsaved(
    in state: LifeState,
    _ level: DurabilityLevel
  ) -> [(object: DataObject, edit: DataObject.Edit)] {
    var oldest: [(object: DataObject, edit: DataObject.Edit, since: UInt64)] = []
    for object in state.data.values {
      guard object.isUnsaved(at: level), let edit = object.dirty else { continue }
      let since = (object.firstUnsaved ?? edit).sequence
      if oldest.count == Self.phrasesMax, since > oldest[Self.phrasesMax - 1].since { continue }
      let place = oldest.firstIndex { $0.since > since } ?? oldest.count
      oldest.insert((object, edit, since), at: place)
      if oldest.count > Self.phrasesMax { oldest.removeLast() }
    }
    return oldest.map { ($0.object, $0.edit) }
  }

  private func words(of span: OpenSpan, _ names: Names) -> String {
    let name = names[names[span.site].name]
    switch span.kind {
    case .turnBegin: return "in a turn of the run loop"
    case .waitBegin: return "waits for \(names[NameID(word: span.detail)])"
    default: return "in \(name.isEmpty ? EventText.kind(span.kind, names) : name)"
    }
  }

  /// What the rules say in general that were broken.
  var rules: JSON {
    let broken = Set(findings.violations.prefix(Self.listedMax).map(\.rule))
    return .object(
      judgement.table.infos.filter { broken.contains($0.id) }.map { info in
        (
          info.id,
          JSON.object([
            ("statement", .string(info.statement)), ("source", .string(info.source)),
          ])
        )
      }
    )
  }
}
