// SPDX-License-Identifier: Apache-2.0
public import LifetraceTrace

/// The facts of one incarnation of one app, folded from its stream.
///
///     var state = LifeState()
///     for event in chunk.events { state.apply(event, names: names) }
///     state.appState                          // .suspended
///     state.unsaved(at: .kernel)              // what a purge here would lose
///
/// It holds open things and unsaved data, since when and by which thread; never budgets or
/// verdicts, which come from the profile when the trace is read. Each ledger knows since when it is
/// complete: a lost work span never makes the data ledger doubtful. The same value is the keyframe
/// of a chunk.
public struct LifeState: Sendable, Equatable {
  /// The version of the fold: a keyframe of another version is not used, but for the one that counts
  /// locks.
  public static var foldVersion: UInt8 { Chunk.keyframeVersion }
  /// More open things of one kind than this are not kept, and their ledger says so.
  ///
  /// Some 10 MB of spans, where a trace has as many; else nothing. A server that answers 10,000
  /// requests at once has 10,000 spans open, so it is far above that.
  public static var openMax: Int { 100_000 }
  /// A lock that is held more often than this counts as held no more often.
  public static var holdsMax: UInt32 { 1 << 16 }
  /// More data objects than this are not kept, and the ledger says so; some 20 MB of them.
  public static var objectsMax: Int { 32_768 }

  /// The state of the app.
  public internal(set) var appState = AppState.unknown
  /// Since when it is in that state.
  public internal(set) var stateSince = HostTime(rawValue: .min)
  /// The event that brought it there.
  public internal(set) var stateSequence: UInt64 = 0
  /// The state before the last change.
  public internal(set) var stateBefore = AppState.unknown
  /// What the trace says caused it.
  public internal(set) var stateCause = NameID.empty

  /// The process: launch, configuration, end.
  public internal(set) var process = ProcessFacts()
  /// For how long the process has been suspended in all, up to ``stateSince``.
  public internal(set) var suspendedTotal: Int64 = 0
  /// When it was last suspended, if ever.
  public internal(set) var lastSuspended: HostTime?
  /// When it last began to run after a suspension, if ever.
  public internal(set) var lastResumed: HostTime?
  /// When the app was last in the foreground, if it is not now.
  public internal(set) var leftForeground: HostTime?

  /// The objects that the app keeps, saved or not.
  public internal(set) var data = FlatTable<NameID, DataObject>()
  /// Background tasks granted and not ended, by id.
  public internal(set) var tasks = FlatTable<UInt64, OpenTask>()
  /// Notifications posted and not delivered.
  public internal(set) var notifications = FlatTable<NotificationKey, PendingNotification>()
  /// Callbacks, turns, work and waits that have begun and not ended.
  public internal(set) var spans = FlatTable<SpanKey, OpenSpan>()
  /// Wakes whose completion handler was not called, by id.
  public internal(set) var wakes = FlatTable<UInt64, OpenWake>()
  /// Time budgets that run, by id.
  public internal(set) var deadlines = FlatTable<UInt64, OpenDeadline>()
  /// Locks, files, timers and so on that are held; of a lock what its longest holder has.
  public internal(set) var resources = FlatTable<ResourceKey, HeldResource>()
  /// What other threads have of locks that several hold at once.
  public internal(set) var sharedHolds = FlatTable<HolderKey, HeldResource>()

  /// The last memory footprint seen, in bytes.
  public internal(set) var footprint: UInt64 = 0
  /// When that was, if ever.
  public internal(set) var footprintTime: HostTime?
  /// Whether the device is locked, if known.
  public internal(set) var isDeviceLocked: Bool?

  /// Since when each ledger is complete.
  public internal(set) var completeness = CompletenessTable()
  /// The greatest time folded.
  public internal(set) var lastTime = HostTime(rawValue: .min)
  /// The number the next event should have; nil before the first.
  public internal(set) var nextSequence: UInt64?

  /// A state in which nothing is known.
  public init() {}

  /// What is known of the process itself.
  public struct ProcessFacts: Sendable, Equatable {
    /// Configuration keys are no more than this.
    public static var configMax: Int { 256 }

    /// When it started, if that was seen.
    public var started: HostTime?
    /// Why it was launched.
    public var reason = NameID.empty
    /// The id of the app.
    public var app = NameID.empty
    /// The version of the app.
    public var version = NameID.empty
    /// Configuration by key: plist keys, modes, linked SDK, scenes.
    public var config = FlatTable<NameID, NameID>()
    /// How it ended, if it has.
    public var ending: Ending?
    /// When its time in the background began anew, if it has in this stay: at a wake.
    public var renewed: BackgroundStart?
    /// When it was woken for a processing task in this stay, if it was.
    public var processing: BackgroundStart?
  }

  /// From when on time in the background is counted.
  public struct BackgroundStart: Sendable, Hashable {
    /// When the count began, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// For how long the process had been suspended in all by then.
    public var suspendedBefore = Int64(0)
  }

  /// How a process ended.
  public struct Ending: Sendable, Hashable {
    /// `purge`, `exit`, `signal`, `watchdog`, `reboot`, `user` and so on.
    public var cause = NameID.empty
    /// A termination code, an exit status or a signal, by cause.
    public var code = UInt64(0)
    /// The evidence of the end, by name.
    public var evidence = NameID.empty
    /// When the process ended, on the clock of the host.
    public var time = HostTime(rawValue: 0)
    /// The sequence number of the first event that reported it.
    public var sequence = UInt64(0)
    /// The state it ended in.
    public var state = AppState.unknown
  }
}

// MARK: - Questions

extension LifeState {
  /// The objects whose newest version `level` would not have kept, in order of their oldest unsaved edit.
  public func unsaved(at level: DurabilityLevel = .kernel) -> [DataObject] {
    data.values.filter { $0.isUnsaved(at: level) }.sorted {
      ($0.firstUnsaved ?? $0.dirty).map(\.sequence) ?? 0
        < ($1.firstUnsaved ?? $1.dirty).map(\.sequence) ?? 0
    }
  }

  /// What its end survives, or would here: a purge.
  package func endLevel(_ names: borrowing Names) -> DurabilityLevel {
    process.ending.map { .surviving(names[$0.cause]) } ?? .kernel
  }

  /// Whether the process ended in a way in which data that was not saved is lost; false while it lives,
  /// and where the recording itself ended it.
  package func losesAtEnd(_ names: borrowing Names) -> Bool {
    guard let ending = process.ending else { return false }
    return !HarnessEnd.isOne(names[ending.cause])
  }

  /// Since when the app is in its state, what caused it, and which one it was in before.
  ///
  /// A process that reported no state has none from its start to its end; it counts as not running
  /// from its end on, not from its start.
  public var placeInLife: (since: HostTime, cause: NameID, before: AppState) {
    guard let ending = process.ending, appState == .notRunning, stateSince < ending.time else {
      return (stateSince, stateCause, stateBefore)
    }
    return (ending.time, ending.cause, ending.state)
  }

  /// The size of all unsaved objects at `level`; saturates.
  public func unsavedBytes(at level: DurabilityLevel = .kernel) -> UInt64 {
    data.values.reduce(0) { total, object in
      guard object.isUnsaved(at: level), let edit = object.dirty else { return total }
      let (sum, overflow) = total.addingReportingOverflow(edit.bytes)
      return overflow ? .max : sum
    }
  }

  /// The extent of `kind` with that identity, if it is open.
  @inlinable
  public func openSpan(_ identity: UInt64, _ kind: EventKind) -> OpenSpan? {
    spans[SpanKey(identity, kind)]
  }

  /// What has begun on `thread` and not ended, outermost first.
  public func openSpans(on thread: ThreadID) -> [OpenSpan] {
    spans.values.filter { $0.thread == thread }.sorted { $0.sequence < $1.sequence }
  }

  /// The piece of work that began last on a thread and is open there, if any is.
  public func innermostWork(on thread: ThreadID) -> OpenSpan? {
    spans.values.filter { $0.thread == thread && $0.kind == .workBegin }
      .max { $0.sequence < $1.sequence }
  }

  /// Whether the app is on screen.
  public var isForeground: Bool { appState == .inactive || appState == .active }

  /// For how long the process was suspended up to `time`, in all.
  public func suspended(upTo time: HostTime) -> Int64 {
    guard appState == .suspended, time > stateSince else { return suspendedTotal }
    return suspendedTotal.addingSaturated(time - stateSince)
  }

  /// How long the process ran since `begin`, suspensions taken out.
  public func running(since begin: HostTime, suspendedBefore: Int64, until end: HostTime) -> Int64 {
    let asleep = suspended(upTo: end).subtractingSaturated(suspendedBefore)
    return max(0, (end - begin).subtractingSaturated(max(0, asleep)))
  }
}

extension Int64 {
  /// The sum, stopping at the ends of the range: operands may come from a hostile file.
  package func addingSaturated(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, stopping at the ends of the range.
  package func subtractingSaturated(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
