// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// What an export knows of one process on its way through the recording.
struct ProcessPass {
  /// A slice that was begun and has not ended.
  struct Open: Equatable, BitwiseCopyable {
    var lane: Lane.ID
    /// Its place in ``ExportPass/pools``, and there; -1 on a lane that it shares with what it lies in.
    var pool: Int32
    var slot: Int32
    var title: Title
    var time: Int64
    /// Whether it is selected, or stands in every picture.
    var isShown: Bool
    /// Whether the format has been told: not yet, where it begins before the span that is exported.
    var isWritten: Bool
    var event: Event

    static func == (left: Open, right: Open) -> Bool {
      left.event.sequence == right.event.sequence && left.title == right.title
    }

    var slice: Slice { Slice(lane: lane, title: title, time: time, event: event) }
  }

  /// Objects beyond these share a lane.
  static let objectLanesMax = 64

  let stream: StreamID
  /// Added to a time of its clock to get one on the axis of the recording.
  let clock: StreamClock
  let nesting: Nesting
  var life = LifeState()
  /// Whether its first event has passed.
  var hasBegun = false
  /// Whether its last event has passed, or it was not asked for.
  var isOver = false
  /// Whether what happens lies in the span that is exported.
  var isInSpan = false

  /// Callbacks, turns, work, waits, tasks, wakes, deadlines and tests by kind and identity.
  var spans = FlatTable<SpanKey, Open>()
  var resources = FlatTable<ResourceKey, Open>()
  var unsaved = FlatTable<NameID, Open>()
  var state: Open?
  /// The state whose slice is open, or has none.
  var shownState = AppState.unknown
  /// The process as a whole, in the lane of its app.
  var whole: Open?

  /// The lane of the process.
  var lane: Lane.ID = 0
  /// By group, the place of its pool; -1 before it is used.
  var groups = [Int32](repeating: -1, count: LaneGroup.allCases.count)
  var threads: [ThreadID: Int32] = [:]
  /// The thread of the last event, and its pool.
  var lastThread = (thread: ThreadID.main, pool: Int32(-1))
  var queues: [NameID: Int32] = [:]
  var objects: [NameID: Int32] = [:]
  var otherObjects = Int32(-1)

  /// The values of the counters, by place; nil for what is not known yet.
  ///
  /// Nothing waits at first.
  var counters: [Int64?] = [0, 0, nil, nil]
  var unsavedBytes: UInt64 = 0

  /// The violations and doubts about its events, in order of their numbers; and how many have passed.
  var findings: [(sequence: UInt64, number: Int32)] = []
  var findingsPassed = 0

  init(_ stream: StreamID, clock: StreamClock, nesting: Nesting) {
    self.stream = stream
    self.clock = clock
    self.nesting = nesting
  }

  /// All that is open, what was begun last first.
  var open: [Open] {
    var all = Array(spans.values) + Array(resources.values) + Array(unsaved.values)
    if let state { all.append(state) }
    if let whole { all.append(whole) }
    return all.sorted { $0.event.sequence > $1.event.sequence }
  }

  /// The format has been told of all that was open before `time`.
  mutating func markWritten(before time: Int64) {
    func mark(_ open: inout Open) {
      if open.isShown, open.time < time { open.isWritten = true }
    }
    for place in 0..<spans.count { spans.update(at: place) { mark(&$0) } }
    for place in 0..<resources.count { resources.update(at: place) { mark(&$0) } }
    for place in 0..<unsaved.count { unsaved.update(at: place) { mark(&$0) } }
    if let known = state, known.time < time { state?.isWritten = true }
    if let known = whole, known.time < time { whole?.isWritten = true }
  }

  /// Forgets all that is open.
  mutating func close() {
    spans.removeAll()
    resources.removeAll()
    unsaved.removeAll()
    state = nil
    whole = nil
  }
}
