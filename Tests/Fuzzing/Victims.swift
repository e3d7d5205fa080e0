// SPDX-License-Identifier: Apache-2.0
import LifetraceReports
import LifetraceJSON
internal import LifetraceDebugger
import Glibc
internal import LifetraceScenario
internal import LifetraceAppProtocol
internal import LifetraceDeviceLog
import LifetraceInterop
internal import LifetraceJudging
internal import LifetraceLifecycle
internal import LifetraceReplay
internal import LifetraceRules
internal import LifetraceTimeline
internal import LifetraceTrace
internal import LifetraceTraceFile
import Support

/// The readers, each fed as the tool feeds it.
///
/// A crash is the finding; what they return is an invariant that broke.
enum Victims {
  // MARK: Traces

  static func trace(_ input: [UInt8]) -> String? {
    let path = Scratch.path("input")
    try? TestFile.write(input, to: path)
    defer { unlink(path) }
    guard let reader = try? TraceReader(path: path, namesBytesMin: 1 << 20) else { return nil }
    _ = reader.problems.map(\.description)
    let problem = fold(reader) ?? check(reader)
    if let problem { return problem }
    replay(FileSource(reader))
    // The text that stands for what was dropped comes on top.
    return reader.names.bytes <= reader.names.bytesMax + 1_000 ? nil : "names take too much"
  }

  /// Decodes every chunk, and folds from its keyframe.
  private static func fold(_ reader: TraceReader) -> String? {
    for stream in reader.streams {
      for chunk in stream.chunks {
        guard let decoded = try? reader.decode(chunk) else { continue }
        if decoded.events.count != chunk.eventCount {
          return "a chunk has other events than it says"
        }
        var state =
          (try? LifeState(decoding: decoded.keyframe, names: &reader.names)) ?? LifeState()
        for event in decoded.events { state.apply(event, names: reader.names) }
        _ = state.encode(names: reader.names)
      }
    }
    return nil
  }

  private static func check(_ reader: TraceReader) -> String? {
    guard let recording = try? JoinedTraces([reader]) else { return nil }
    _ = CheckFacts(recording, by: Judgement(), named: "input").text()
    return nil
  }

  private static let commands = [
    "violations all", "step 3", "next state", "state", "tasks", "dirty", "queue", "deadlines",
    "resources",
    "list", "ps all", "why", "last", "goto 50%", "back 2", "find a", "reverse-find b", "info trace",
    "info event", "info writers", "goto 100%", "why state", "prev", "undo", "spans", "when",
  ]

  private static func replay(_ source: any EventSource) {
    let timeline = Timeline(source)
    var options = DebuggerOptions(title: "input")
    options.isBatch = true
    options.readsInit = false
    let console = Debugger(Player(timeline), options: options, sink: { _ in })
    guard console.run() == 0 else { return }
    console.runAll(commands)
  }

  // MARK: Parts of traces

  static let columnsPrefixBytes = 34

  /// What the header of a chunk says of its columns: the number of rows, a bit for each kind.
  static func columnsPrefix(rows: Int, kinds: KindSet) -> [UInt8] {
    var prefix = [UInt8](repeating: 0, count: columnsPrefixBytes)
    prefix[0] = UInt8(rows & 0xFF)
    prefix[1] = UInt8(rows >> 8)
    for kind in 0...255 where kinds.contains(EventKind(rawValue: UInt8(kind))) {
      prefix[2 + kind / 8] |= 1 << UInt8(kind % 8)
    }
    return prefix
  }

  static func columns(_ input: [UInt8]) -> String? {
    var names = Names()
    var header = ChunkHeader(
      writer: WriterID(high: 1, low: 1),
      attributes: WriterAttributes(app: "a"),
      firstSequence: 0
    )
    guard input.count > columnsPrefixBytes else { return nil }
    header.firstTime = HostTime(rawValue: .min)
    header.lastTime = HostTime(rawValue: .max)
    header.eventCount = min(max(1, Int(input[0]) | Int(input[1]) << 8), Chunk.rowsMax)
    header.kinds = KindSet(
      (0...255).filter { input[2 + Int($0) / 8] & 1 << ($0 % 8) != 0 }.map(
        EventKind.init(rawValue:)
      )
    )
    guard
      let payload = try? ChunkPayload(
        header: header,
        payload: Array(input.dropFirst(columnsPrefixBytes)),
        names: &names
      ),
      let events = try? payload.decode()
    else { return nil }
    if events.count != header.eventCount { return "\(events.count) events of \(header.eventCount)" }
    var state = LifeState()
    for event in events { state.apply(event, names: names) }
    return nil
  }

  static func keyframe(_ input: [UInt8]) -> String? {
    var names = Names()
    guard let state = try? LifeState(decoding: input, names: &names) else { return nil }
    let again = state.encode(names: names)
    let kept = (names.strings.count, names.sites.count)
    var own = Names()
    _ = try? LifeState(decoding: again, names: &own)
    if kept != (own.strings.count, own.sites.count) {
      return "names or sites are kept that the state does not use"
    }
    guard let second = try? LifeState(decoding: again, names: &names) else {
      return "a state that was read cannot be read again"
    }
    return second.encode(names: names) == again
      ? nil : "a state changes when it is written and read"
  }

  // MARK: Texts

  static func console(_ input: [UInt8]) -> String? {
    guard let log = try? LogImport(bytes: input, name: "input.log") else { return nil }
    _ = log.summary.description
    for stream in log.streams {
      if let problem = illegal(stream) { return problem }
    }
    return write { writer throws(TraceFileError) in try log.write(to: writer) }
  }

  /// The import promises states that follow each other.
  private static func illegal(_ stream: LogImport.Stream) -> String? {
    var state = AppState.unknown
    for event in stream.events {
      let next: AppState
      switch event.kind {
      case .processStart:
        if state == .unknown { state = .notRunning }
        continue
      case .transition: next = AppState(rawValue: UInt8(clamping: event[1])) ?? .unknown
      case .suspend: next = .suspended
      case .resume: next = .background
      case .purge, .processExit:
        state = .notRunning
        continue
      default: continue
      }
      guard state.canBecome(next) else { return "\(state) became \(next)" }
      state = next
    }
    return nil
  }

  static func story(_ input: [UInt8]) -> String? {
    guard let story = try? Story.parse(String(decoding: input, as: UTF8.self)) else { return nil }
    replay(story.source)
    return write { writer throws(TraceFileError) in try story.write(to: writer) }
  }

  /// What was made must be a whole trace.
  private static func write(
    _ body: (TraceWriter) throws(TraceFileError) -> Void
  ) -> String? {
    let path = Scratch.path("output")
    unlink(path)
    defer { unlink(path) }
    do {
      let writer = try TraceWriter(path: path, options: .create)
      try body(writer)
    } catch {
      return nil
    }
    guard let reader = try? TraceReader(path: path) else { return nil }
    for stream in reader.streams {
      for chunk in stream.chunks where (try? reader.decode(chunk)) == nil {
        return "a chunk that was written cannot be read"
      }
    }
    return nil
  }

  static func scenario(_ input: [UInt8]) -> String? {
    _ = try? Scenario(parsing: String(decoding: input, as: UTF8.self), file: "input.yml")
    return nil
  }

  /// A rule that was read is judged too: one that no life can break is still asked.
  static func configuration(_ input: [UInt8]) -> String? {
    let text = String(decoding: input, as: UTF8.self)
    guard let read = try? Configuration(parsing: text) else { return nil }
    let rules = RuleSet(own: read.rules)
    _ = rules.infos.map(\.statement)
    guard !read.rules.isEmpty, let story = ownStory else { return nil }
    _ = Judgement(of: rules).checker(of: story.source).finish().map(\.description)
    return nil
  }

  private static let ownStory = Golden.text("Traces/own-rules/within-broken.txt").flatMap {
    try? Story.parse($0)
  }

  static func wire(_ input: [UInt8]) -> String? {
    var buffer = LineBuffer()
    buffer.append(input)
    while let line = try? buffer.next() { read(line) }
    read(input[...])
    return nil
  }

  private static func read(_ line: ArraySlice<UInt8>) {
    guard let json = try? JSON(parsing: line) else { return }
    _ = HostLine(line: json)
    _ = SystemEvent(line: json)
  }
}
