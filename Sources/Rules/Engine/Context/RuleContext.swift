// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// What a rule knows besides the event, and where it says what it finds.
///
/// It is a handle: as a value of its own it would be copied, two kilobytes of it, for each function
/// that looks at it, at each event and for each rule. The contents stand where its checker keeps
/// them (``RulesAtWork``), and last as long as that does: nobody keeps a context. `@unchecked
/// Sendable`, because one checker is used by one thread at a time.
struct RuleContext: @unchecked Sendable {
  let contents: UnsafeMutablePointer<RuleContents>

  /// Events that are not in the recording; a keyframe has the state behind them, not their course.
  struct Hole {
    /// The first time behind them.
    var end: HostTime
    /// How many they are.
    var text: Sentence
  }

  /// What rules ask of the incarnation before, besides what it left.
  struct Before {
    /// Whether the recording says that this incarnation came behind that one: of two recordings the
    /// second may have begun without files.
    var isLinked = false
    /// The objects that it, or one before it, had looked for.
    var read: Set<NameID> = []
    /// The objects, this one's too, whose file was seen to hold the very bytes of an edit.
    var plain: Set<NameID> = []
    /// The objects whose file, as far as it said, holds the bytes of its last edit.
    var asEdited: Set<NameID> = []
    /// The objects, this one's too, of which a file was removed and then written anew.
    var madeAnew: Set<NameID> = []
    /// The objects of which it was saving something when it ended.
    var saving: Set<NameID> = []
    /// The objects whose newest edit it had written to another file than theirs.
    var copied: Set<NameID> = []
    /// The newest edits that it had not saved, and who it was.
    var unsaved: [NameID: DataObject.Edit] = [:]
    var stream = StreamID(rawValue: 0)
    var label = ""
    /// The last save of each object that no launch has read, by it or one before it.
    var saved: [NameID: Saved] = [:]
    /// What the last save of an object, this one's too, has reported of the file by itself.
    var claimed: [NameID: Older.Claim] = [:]
    /// The objects, this one's too, of which the begin of a save was reported.
    var flushed: Set<NameID> = []
    /// The objects that no launch has read and that one, this one too, was told to have written over.
    var writtenOver: Set<NameID> = []
    /// The versions, by object, of which it was told, by this one too, that another app has removed them.
    var removed: [NameID: UInt64] = [:]
    /// What was given up that stood in its file, by it or one before it.
    var deleted: [NameID: Deletion] = [:]
    /// The work that was open when it ended: a sentence each, and its begin.
    var atEnd: [(words: Sentence, witness: Witness)] = []
    /// How it ended, and what it held then of things that the app defines itself.
    var end: History.Ending?
    /// Whether its end is recorded, a harness's too, and when its last event was.
    var hasEnded = false
    var lastTime = HostTime(rawValue: .min)
    var held: [ResourceKey: HeldResource] = [:]
    /// Why what it held may not be known.
    var doubtHeld: Sentence?
    /// Why its data may not be known.
    var doubt: Sentence?
  }

  /// A save of an earlier launch.
  struct Saved: Sendable {
    var version: UInt64
    var event: EventName
    var witness: Witness
  }

  /// What stood in a file was given up: up to which version, and where.
  struct Deletion: Sendable {
    var version: UInt64
    var words: Sentence
    var witness: Witness
  }

  /// A change of the app's state.
  struct StateChange: Sendable {
    var from: AppState
    var to: AppState

    /// Whether the app stops executing here.
    var suspends: Bool { to == .suspended }
  }
}

extension RuleContext {
  /// Keeps what the next incarnation is asked of this one, whose facts go now.
  mutating func takeLeave(isNewLife: Bool, isLinked: Bool, isKnown: Bool) {
    guard !isNewLife, isLinked else { return before = Before() }
    before.isLinked = true
    for object in state.data.values where object.restored != nil { before.read.insert(object.name) }
    keepSaves()
    before.asEdited = Set(state.data.values.filter(\.isAsEdited).map(\.name))
    before.copied = Set(
      state.data.values.filter { $0.dirty != nil && $0.lastCopy?.version == $0.dirty?.version }
        .map(\.name)
    )
    before.unsaved = [:]
    for object in state.data.values where object.isUnsaved(at: .kernel) {
      before.unsaved[object.name] = object.dirty
    }
    (before.stream, before.label) = (stream, label)
    (before.hasEnded, before.lastTime) = (state.process.ending != nil, place.time)
    (before.atEnd, before.end, before.doubtHeld) = (history.atEnd, history.end, doubt(.resource))
    before.held = [:]
    for entry in state.resources.entries where entry.value.resourceClass == .other {
      before.held[entry.key] = entry.value
    }
    before.saving = Set(state.data.values.filter { $0.flushing != nil }.map(\.name))
    before.doubt = isKnown ? doubt(.data) : "what the launch before has left is not known"
  }
}

extension RuleContext {
  /// Keeps the last saves of what no launch has read.
  fileprivate mutating func keepSaves() {
    for object in state.data.values where !before.read.contains(object.name) {
      guard let save = object.lastSave, save.level >= .kernel,
        before.saved.count < LifeState.objectsMax || before.saved[object.name] != nil
      else { continue }
      before.saved[object.name] = Saved(
        version: save.version,
        event: EventName(writer: label, sequence: save.sequence),
        witness: Witness(
          label: "saved",
          stream: stream,
          sequence: save.sequence,
          time: save.time
        )
      )
    }
  }
}

extension DataObject {
  /// Whether the newest version stands in its file, and a look at that would show its very bytes.
  fileprivate var isAsEdited: Bool {
    guard let edit = dirty, edit.hash != 0 else { return false }
    return standing(at: .kernel)?.hash == edit.hash
  }
}

// MARK: - Times

extension RuleContext {
  /// A nominal length of time as it passes on the clock of this recording.
  func scaled(_ nominal: Int64) -> Int64 {
    WriterAttributes.scaled(nominal, by: attributes.timeScale)
  }

  /// A length of time on the recording's clock in words, at the scale of the deadlines.
  func words(_ duration: Int64, error: Int64 = 0) -> Sentence {
    "\(duration: nominal(duration), error: nominal(error))"
  }

  func nominal(_ duration: Int64) -> Int64 {
    let scale = attributes.timeScale
    guard scale != 1000 && scale != 0 else { return duration }
    return Int64(min(max(Double(duration) * 1000 / Double(scale), -9e18), 9e18))
  }

  /// A nominal limit in words.
  func limit(_ nominal: Int64) -> Sentence { "\(duration: nominal)" }

  /// By how much a difference of two times of this stream may be wrong.
  func uncertainty(_ first: HostTime, _ second: HostTime, flags: EventFlags = []) -> Int64 {
    switch attributes.evidence {
    case .sampled: return 20_000_000
    case .log:
      let unit = [1_000_000_000, 1_000_000, 1_000].first { unit in
        first.rawValue % Int64(unit) == 0 && second.rawValue % Int64(unit) == 0
      }
      return Int64(unit ?? 1)
    default: return flags.contains(.sampled) ? 20_000_000 : 0
    }
  }

  /// Whether `duration`, right to ± `error`, is more than the nominal `limit`.
  ///
  /// Where the system has killed the app for it, that is settled, whatever our clocks say. Else
  /// `doubt` says why it may have ended earlier, or stood still. A length that is too long by the
  /// time scale alone is not settled: real work takes its time at any scale.
  ///
  /// `begin` is the number of the event from which on it is counted, where that is one; `kill` says
  /// since when, and after which nominal time the system acts, where it does. Where another event than
  /// the one at hand ends it, it does not end here, and is no margin of the event.
  func compare(
    _ duration: Int64,
    _ limit: Int64,
    error: Int64 = 0,
    isKilled: Bool = false,
    isScaled: Bool = true,
    since begin: UInt64? = nil,
    kill: (since: HostTime, after: Int64)? = nil,
    endsHere: Bool = true,
    doubt: @autoclosure () -> Sentence? = nil
  ) -> Comparison {
    let full = limit
    let limit = isScaled ? scaled(limit) : limit
    if isMeasuring, endsHere {
      let surely = (isScaled && isShortened ? max(full, limit) : limit).addingSaturated(error)
      measure(
        duration,
        keptUpTo: limit.subtractingSaturated(error),
        brokenAbove: surely,
        since: begin,
        isDoubtful: doubt() != nil || unseenReason != nil,
        isKilled: isKilled,
        kill: kill.map { ($0.since, scaled($0.after)) }
      )
    }
    if isKilled { return .over }
    if duration.subtractingSaturated(error) > limit {
      if let doubt = doubt() { return .unclear(doubt) }
      guard isScaled, isShortened, duration <= full else { return .over }
      return .unclear(
        "it took \(duration: duration), and at full speed the limit is "
          + "\(duration: full): only the time scale makes \(words(duration)) of it"
      )
    }
    if duration.addingSaturated(error) <= limit { return .within }
    return .unclear("it took \(words(duration, error: error)), and the limit is \(words(limit))")
  }

  /// Whether real work stands in a recording whose deadlines are shorter than on the device.
  var isShortened: Bool {
    attributes.timeScale != 0 && attributes.timeScale < 1000 && attributes.clock != .virtual
  }

  /// How long it was between two times at full speed: a time scale shortens what the system lets pass
  /// while the app does not execute, and not what the app does.
  func atFullSpeed(since begin: HostTime, until end: HostTime) -> Int64 {
    var asleep: Int64 = 0
    if let started = state.process.started, started > begin { asleep = started - begin }
    var slept: HostTime?
    for entry in history.states {
      if let since = slept { asleep += max(0, entry.time - max(since, begin)) }
      slept = entry.state == .suspended ? entry.time : nil
    }
    if let since = slept { asleep += max(0, end - max(since, begin)) }
    return nominal(asleep).addingSaturated(end - begin - asleep)
  }

  /// From where on something is surely as long as the nominal `limit`, on the clock of this recording.
  func surely(_ limit: Int64) -> Int64 { isShortened ? limit : scaled(limit) }

  /// Whether `event` is the end of a process that the watchdog killed with this code.
  func isKill(_ event: borrowing Event, code: UInt64, _ names: borrowing Names) -> Bool {
    guard event.kind == .processExit else { return false }
    let exit = Payload.ProcessExit(event)
    return exit.code == code && names[exit.cause] == TerminationCause.watchdog.rawValue
  }

  enum Comparison {
    case within
    case over
    /// The clock is not good enough: why.
    case unclear(Sentence)
  }

  /// The clock of a background task outside the foreground; see ``LifeState``.
  func backgroundClock(of task: OpenTask, until end: HostTime) -> TaskClock? {
    state.backgroundClock(of: task, until: end, profile, scaled: scaled)
  }

  /// Whether the end of an extent would be known if it had happened.
  func doubtless(_ span: OpenSpan) -> Bool { doubt(span.kind.family, since: span.time) == nil }

  /// Whether the stream says anything about data, or what it said may be among what was lost.
  var hasData: Bool {
    !state.data.isEmpty || state.completeness[.data].lost > 0
      || state.completeness[.unknown].lost > 0
  }

  /// The save that an event completes; nil where none of that version is under way.
  func saved(by event: borrowing Event, _ names: borrowing Names) -> DataObject.Flush? {
    let save = Payload.DataDurable(event)
    guard let level = save.level.value, level >= .kernel,
      let flush = state.data[names.known(save.object)]?.flushing, flush.version == save.version
    else { return nil }
    return flush
  }

  /// How long an extent ran, suspensions taken out.
  func running(_ span: OpenSpan, until end: HostTime) -> Int64 {
    state.running(since: span.time, suspendedBefore: span.suspendedBefore, until: end)
  }
}

// MARK: - Evidence

extension RuleContext {
  /// Why events missing from `family`'s ledger may have happened since `time`; nil when complete.
  func doubt(_ family: EventFamily, since time: HostTime) -> Sentence? {
    state.doubt(family, since: time)?.words
  }

  /// The same of things that are not in the ledger: where that had no room, they may be open all the
  /// same.
  func doubtAbsence(_ family: EventFamily, since time: HostTime) -> Sentence? {
    doubt(family, since: time) ?? (state.completeness[family].isFull ? doubt(family) : nil)
  }

  /// Why the ledger of `family` may lack something; nil when it is whole.
  func doubt(_ family: EventFamily) -> Sentence? { state.doubt(family)?.words }

  /// Why nothing can be said that depends on the state, where that is not known.
  var unknownState: Sentence { "the state is unknown: \(doubt(.state) ?? "nothing tells it")" }

  /// Why something may have happened since `time` that leaves no trace in the facts: a call that
  /// ended, a turn that passed.
  func unseen(_ family: EventFamily, since time: HostTime) -> Sentence? {
    if let doubt = doubtAbsence(family, since: time) { return doubt }
    guard let hole, time < hole.end else { return nil }
    return hole.text
  }
}
