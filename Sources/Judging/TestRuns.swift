// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTimeline
package import LifetraceTrace
package import LifetraceTraceFile

/// The tests of a recording, and which of them an event belongs to.
///
///     let tests = TestRuns(recording)
///     tests.owner(of: verdict.stream, at: verdict.time)      // .test("NotesTests saves()")
///
/// A process that was started for a test says so in its environment, and all that it does belongs
/// to that test. Any other process belongs to the tests that were under way when it began, and the
/// process that runs tests to those that are under way at the moment: to the one, where there is
/// but one; else nobody knows to which of them.
package struct TestRuns: Sendable {
  /// A test that a harness has marked.
  package struct Run: Sendable {
    /// Suite and name.
    package let name: String
    /// `passed` or `failed`, nil where its end is not in the recording.
    package var outcome: String?
    /// The process that runs it.
    let stream: StreamID
    /// On the axis of the recording.
    let begin: TraceTime
    var end: TraceTime?
  }

  /// Whom an event belongs to.
  package enum Owner: Hashable, Sendable {
    case test(String)
    /// Several were under way, and nothing says which.
    case several([String])
    /// No test was.
    case none
  }

  /// The key of `process.config` whose value names the test that a process was started for.
  package static let key = "test"

  /// In the order of their begins.
  package private(set) var runs: [Run] = []
  /// By stream: the test that the process was started for.
  private var named: [String?]
  /// By stream: whether the process runs tests itself.
  private var isRunner: [Bool]
  /// By stream: when it began.
  private var begins: [TraceTime]
  private let alignment: Alignment

  /// Those of `recording`, of which only chunks with marks of tests are read.
  package init(_ recording: JoinedTraces) {
    let streams = recording.streams
    alignment = Alignment(JoinedSource(recording))
    named = streams.map { _ in nil }
    isRunner = streams.map { _ in false }
    begins = streams.map { _ in TraceTime(rawValue: 0) }
    for (index, stream) in streams.enumerated() {
      begins[index] = alignment.traceTime(stream.firstTime, of: stream.id)
      read(recording, index)
    }
    runs.sort { $0.begin < $1.begin }
  }

  /// The tests that processes were started for without a mark of their own, in order of name.
  package var unmarked: [String] {
    Set(named.compactMap { $0 }).subtracting(runs.map(\.name)).sorted()
  }

  /// To which test something belongs that `stream` did, or suffered, at `time`.
  package func owner(of stream: StreamID, at time: HostTime) -> Owner {
    let index = Int(stream.rawValue)
    guard named.indices.contains(index) else { return .none }
    if let name = named[index] { return .test(name) }
    let moment = isRunner[index] ? alignment.traceTime(time, of: stream) : begins[index]
    let open = runs.filter { run in
      run.begin <= moment && run.end.map { moment <= $0 } ?? true
        && (!isRunner[index] || run.stream == stream)
    }
    let names = Set(open.map(\.name)).sorted()
    return names.count > 1 ? .several(names) : names.first.map { .test($0) } ?? .none
  }

  private mutating func read(_ recording: JoinedTraces, _ index: Int) {
    let stream = recording.streams[index]
    var open: [UInt64: Int] = [:]
    for (number, chunk) in stream.chunks.enumerated() {
      let kinds = chunk.summary.kinds
      guard
        kinds.contains(.testBegin) || kinds.contains(.testEnd) || kinds.contains(.processConfig),
        let opened = recording.open(number, of: index)
      else { continue }
      var found: [Event] = []
      _ = recording.scan(opened) { events in
        for place in events.indices {
          let kind = events[place].kind
          if kind == .testBegin || kind == .testEnd || kind == .processConfig {
            found.append(events[place])
          }
        }
        return true
      }
      for event in found { take(event, of: index, stream.id, recording.names, &open) }
    }
  }

  private mutating func take(
    _ event: Event,
    of index: Int,
    _ stream: StreamID,
    _ names: Names,
    _ open: inout [UInt64: Int]
  ) {
    switch event.kind {
    case .testBegin:
      let test = Payload.TestBegin(event)
      let words = [names[test.suite], names[test.name]].filter { !$0.isEmpty }
      open[test.id] = runs.count
      isRunner[index] = true
      runs.append(
        Run(
          name: words.joined(separator: " "),
          stream: stream,
          begin: alignment.traceTime(event.time, of: stream)
        )
      )
    case .testEnd:
      let end = Payload.TestEnd(event)
      guard let run = open.removeValue(forKey: end.id) else { return }
      runs[run].outcome = names[end.outcome]
      runs[run].end = alignment.traceTime(event.time, of: stream)
    default:
      let config = Payload.ProcessConfig(event)
      if names[config.key] == Self.key { named[index] = names[config.value] }
    }
  }
}
