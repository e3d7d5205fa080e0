// SPDX-License-Identifier: Apache-2.0
import LifetraceJudging
import LifetraceLifecycle
import LifetraceTimeline
import LifetraceTrace

/// One walk over a recording, from which every format of an export is written.
///
///     var pass = ExportPass(PerfettoFormat(), job)
///     try pass.run { written in try write(written) }
///
/// It makes of the events what can be drawn: slices of what has an extent, instants of what has none,
/// arrows between those that belong together, counters of what piles up. Each event is one of these,
/// once; what begins is written where it begins. Memory follows what is open at the same time, not
/// the length of the recording. What threads do is looked at once before, for what does not nest.
package struct ExportPass<Format: ExportFormat & ~Copyable>: ~Copyable {
  /// The bytes after which what was written is handed over.
  static var drainBytes: Int { 1 << 16 }

  let timeline: Timeline
  let findings: Findings?
  let facts: ExportFacts
  /// The times that are exported; what reaches into them is whole.
  let span: ClosedRange<Int64>
  private let damage: () -> [(file: String, problem: String)]
  /// What finds the events that are exported; nil for all.
  private let filter: EventFilter?
  /// The events of the picture; nil for all.
  var selection: Selection?
  var format: Format
  var processes: [ProcessPass] = []
  var pools: [LanePool] = []
  /// By lane: the time of the last thing on it.
  var latest: [Int64] = []
  var messages: MessageFlows
  /// The selected events that were exported so far.
  private(set) var count = 0
  private let streams: Set<StreamID>
  /// By stream: the pool of its app's lane, and its device's lane.
  var apps: [Int32] = []
  var devices: [Lane.ID] = []
  /// By stream: the incarnation before it.
  let predecessors: [Int?]

  /// Will write `job` in that format.
  package init(_ format: consuming Format, _ job: ExportJob) {
    self.format = format
    timeline = job.timeline
    findings = job.findings
    facts = job.facts
    span = job.span
    damage = job.damage
    streams = job.facts.streams
    filter = job.filter
    if Format.wantsPicture, let filter { selection = Selection(filter, timeline) }
    messages = MessageFlows(timeline, Format.wantsPicture ? facts.streams : [])
    let known = Dictionary(
      facts.writers.enumerated().map { ($1.id, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    predecessors = facts.writers.map { $0.attributes.previous.flatMap { known[$0] } }
    for stream in timeline.streams {
      let isWanted = Format.wantsPicture && streams.contains(stream.id)
      var process = ProcessPass(
        stream.id,
        clock: timeline.alignment.clocks[Int(stream.id.rawValue)],
        nesting: Nesting(isWanted ? timeline : nil, stream: Int(stream.id.rawValue))
      )
      process.isOver = !streams.contains(stream.id)
      processes.append(process)
    }
    sortFindings()
  }

  /// Whether the event at hand is selected.
  @inline(__always)
  var isHit: Bool { selection?.isHit ?? true }

  /// Whether the slice that it begins is.
  @inline(__always)
  var isShown: Bool { selection?.isShown ?? true }

  /// Writes everything; `write` is handed some kilobytes at a time, and `progress` the events behind.
  package mutating func run(
    progress: (Int) -> Void = { _ in },
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    format.begin(facts)
    if Format.wantsPicture { declareProcesses() }
    if let filter, !Format.wantsPicture {
      try take(filter, write)
    } else {
      try takeAll(progress: progress, write)
    }
    if Format.wantsPicture {
      for stream in processes.indices where !processes[stream].isOver { finish(stream) }
    }
    // Some of it is only met on the way.
    for (file, problem) in damage() { format.damage(file, problem) }
    format.finish()
    try format.drain(write)
  }

  /// Writes the events alone that `filter` finds; chunks without any are passed over.
  private mutating func take(
    _ filter: EventFilter,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var hits = Hits(of: filter, in: timeline)
    while let place = try hits.next() {
      let stream = Int(place.stream.rawValue)
      let rows = timeline.rows(of: stream, holding: place.index)
      guard !rows.isDamaged else { continue }
      let event = rows[place.index]
      let time = processes[stream].clock.trace(event.time).rawValue
      guard span.contains(time) else { continue }
      format.event(event, at: time, timeline.names)
      count += 1
      if format.pending >= Self.drainBytes { try format.drain(write) }
    }
  }

  private mutating func takeAll(
    progress: (Int) -> Void,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var runs = EventRuns(of: timeline, streams: streams)
    var done = 0
    while let run = runs.next() {
      take(run)
      done += run.indices.count
      if format.pending >= Self.drainBytes {
        try format.drain(write)
        progress(done)
      }
    }
  }

  private mutating func take(_ run: EventRuns.Run) {
    // Once a run: nothing is decoded until the next one.
    let names = timeline.names
    let events = run.rows.events
    let stream = Int(run.rows.stream.rawValue)
    if run.rows.isDamaged {
      // They stand for events that could not be read, and say nothing but that.
      for index in run.indices { processes[stream].life.apply(events[index], names: names) }
    } else if Format.wantsPicture {
      if !processes[stream].hasBegun { begin(stream, run.rows, names) }
      for index in run.indices {
        selection?.look(at: run.rows.firstIndex + index, of: stream)
        draw(events[index], stream, names)
        if selection != nil, isHit {
          let time = processes[stream].clock.trace(events[index].time)
          if span.contains(time.rawValue) { count += 1 }
        }
      }
    }
    if Format.wantsEvents, !run.rows.isDamaged {
      let clock = processes[stream].clock
      for index in run.indices {
        selection?.look(at: run.rows.firstIndex + index, of: stream)
        let time = clock.trace(events[index].time).rawValue
        if isHit, span.contains(time) { format.event(events[index], at: time, names) }
      }
    }
    if run.rows.firstIndex + run.indices.upperBound == timeline.streams[stream].count,
      Format.wantsPicture
    {
      finish(stream)
    }
  }

  private mutating func sortFindings() {
    guard let findings, Format.wantsPicture else { return }
    for list in [findings.violations, findings.undecidable] {
      for (index, finding) in list.enumerated() {
        let number = finding.isViolation ? Int32(index) : ~Int32(index)
        processes[Int(finding.stream.rawValue)].findings.append((finding.sequence, number))
      }
    }
    for stream in processes.indices {
      processes[stream].findings.sort { ($0.sequence, $0.number) < ($1.sequence, $1.number) }
    }
  }

  /// The finding with a number of ``ProcessPass/findings``.
  func finding(_ number: Int32) -> Finding? {
    number >= 0 ? findings?.violations[Int(number)] : findings?.undecidable[Int(~number)]
  }
}
