// SPDX-License-Identifier: Apache-2.0
internal import Drain
import Glibc
internal import LifetraceDeviceLog
import LifetraceInterop
internal import LifetraceLifecycle
internal import LifetraceScenario
internal import Support
internal import LifetraceTrace
internal import LifetraceTraceFile

/// Well-formed inputs, for the mutations to begin with.
///
/// Each is small, so that more of them are read in the same time and a change is more likely to matter.
enum Corpus {
  static func inputs(_ target: Fuzz.Target) -> [[UInt8]] {
    switch target {
    case .trace: stories.compactMap(trace)
    case .columns: stories.compactMap(trace).flatMap(payloads)
    case .keyframe: stories.compactMap(keyframe)
    case .console: logs.map { Array($0.utf8) }
    case .story: stories.map { Array($0.utf8) }
    case .scenario: scenarios.map { Array($0.utf8) }
    case .configuration: configurations.map { Array($0.utf8) }
    case .wire: wire.map { Array($0.utf8) }
    case .editor: EditorTalk.requests.map { Array($0.utf8) }
    case .pool: pools
    case .context: ContextVictim.corpus.map { Array($0.utf8) }
    }
  }

  static func words(_ target: Fuzz.Target) -> [[UInt8]] {
    let text: [String] =
      switch target {
      case .pool: ["LTRLPOOL", "\u{0}\u{0}\u{0}\u{0}", "\u{1}\u{0}\u{0}\u{0}"]
      case .trace, .columns, .keyframe: ["LTRCHUNK", "LTRINDEX", "\u{0}\u{0}\u{0}\u{0}"]
      case .console:
        [
          "\t", "[app<", "<", ">", "(", ")", ":", "taskID = ", "-> ", "\n",
          "Deactivation reason added: ",
          "99999999999999999999", "-1", "18:38:04.9+0800", "23:59:59.9", "Process exited: ",
          "pid: ",
          "domain:jetsam(1) code:17", "didEnterBackground", "none", "running-suspended",
        ]
      case .story:
        [
          "=", "+1s", "-9223372036854775808", "18446744073709551615", "seq=", " @a.swift:1", "late",
          "by=host", "\"", "\\", "main", "state.suspend", "app ", "epoch ", "1e300s", "#", "\n",
        ]
      case .scenario:
        [
          ":", "- ", "\n", "  ", "steps", "&a", "*a", "<<", "!!str", "[", "]", "{", "}", "|", ">",
          "1e999",
          "-1s", "99999999999h", "repeat", "launch", "\t", "---", "...", "%YAML",
        ]
      case .configuration:
        [
          ":", "- ", "\n", "  ", "rules:", "APP02:", "within:", "order:", "pair:", "never:",
          "at-most:",
          "event:", "where:", "{", "}", "[", "]", "[!", "*", "?", "\\", "work.end", "state ", "end",
          "data.*", "> 2s", "0x", "1e999", "-1", "99999999999h", "class: lock", "same: name",
        ]
      case .editor: EditorTalk.words
      case .context: ContextVictim.words
      case .wire:
        [
          "{", "}", "[", "]", "\"", ":", ",", "\\u0000", "\\ud800", "1e999", "-", "null", "true",
          "0x1",
        ]
      }
    return text.map { Array($0.utf8) }
  }

  // MARK: Texts

  private static let stories: [String] =
    everyKind + [notes]
    + (1...3).map { ImportedStory.text(seed: $0, lines: 40) }

  private static let notes = """
    app notes#1 pid=12 profile=ios13
    app notes#2 pid=13 profile=ios13 previous=notes#1
    +0s notes#1 main process.start reason=icon app=notes
    +0.1s notes#1 main state.transition from=not-running to=inactive
    +0.2s notes#1 main callback.begin didBecomeActive id=1
    +0.3s notes#1 main state.transition from=inactive to=active
    +0.4s notes#1 main callback.end id=1
    +1s notes#1 main data.dirty draft.txt version=1 bytes=12 @Notes/Editor.swift:41
    +2s notes#1 main task.begin id=7 name=save
    +3s notes#1 main state.transition from=active to=inactive
    +3s notes#1 main state.transition from=inactive to=background
    +4s notes#1 77 work.begin save id=9 kind=file
    +5s notes#1 main state.suspend by=host
    +9s notes#1 main state.purge cause=memory by=host
    +10s notes#2 main process.start reason=icon app=notes
    +10s notes#2 main data.restored draft.txt version=0

    """

  /// Two events of every kind, with every argument, a few kinds a story.
  private static let everyKind: [String] = stride(from: 0, to: KindInfo.all.count, by: 8).map {
    story(of: KindInfo.all.dropFirst($0).prefix(8))
  }

  private static func story(of kinds: some Sequence<KindInfo>) -> String {
    var story = Story()
    var events: [Event] = []
    for (index, info) in kinds.enumerated() {
      for round in 0..<2 {
        var event = Event(
          info.kind,
          at: HostTime(rawValue: Int64(index * 1_000 + round)),
          thread: ThreadID(rawValue: UInt32(round)),
          site: story.names.intern(
            Site(
              name: story.names.intern("site \(index)"),
              file: story.names.intern("a.swift"),
              line: 3
            )
          ),
          argumentCount: UInt8(info.fields.count),
          sequence: UInt64(events.count)
        )
        if let identity = info.identity {
          event.identity = value(identity, round, &story.names)
        }
        for (place, field) in info.fields.enumerated() {
          event[place] = value(field, round + place, &story.names)
        }
        events.append(event)
      }
    }
    var attributes = WriterAttributes(app: "every")
    attributes.pid = 9
    story.writers = [
      Story.Writer(
        label: "every#1",
        id: WriterID(high: 1, low: 2),
        attributes: attributes,
        events: events
      )
    ]
    return text(story)
  }

  private static func value(_ field: Field, _ round: Int, _ names: inout Names) -> UInt64 {
    switch field.type {
    case .name: UInt64(names.intern("\(field.name) \(round)").rawValue)
    case .bool: UInt64(round & 1)
    case .state, .work, .level, .resource: UInt64(round % 4)
    default: UInt64(round) &* 1_000_003
    }
  }

  private static func text(_ story: Story) -> String {
    var writer = StoryWriter()
    var lines = [writer.epochLine]
    for one in story.writers {
      lines.append(writer.header(for: one.id, one.attributes, label: one.label))
      for event in one.events {
        lines.append(writer.next(event, names: story.names, label: one.label))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Pieces of logs, each behind the first line, which names the columns.
  private static let logs: [String] = SampleLog.Format.allCases.flatMap { format in
    let text = SampleLog(seed: 5, apps: 2, sessions: 2, noise: 1).text(format)
    let lines = text.split(separator: "\n").prefix(48)
    return stride(from: 1, to: lines.count, by: 12).map { start in
      (lines.prefix(1) + lines.dropFirst(start).prefix(12)).joined(separator: "\n") + "\n"
    }
  }

  private static let scenarios = [
    """
    profile: ios13
    time-scale: 0.01
    app: notes
    steps:
      - launch
      - wait: 2s
      - touch: { view: editor }
      - home
      - repeat: { times: 3, steps: [reopen, home] }
      - suspend
      - purge
      - relaunch

    """,
    """
    apps:
      - notes
      - mail
    steps:
      - launch: notes
      - post: &p { type: UIDeviceBatteryLevelDidChange, value: "3" }
      - post: *p
      - expect: { state: suspended }

    """,
  ]

  private static let configurations = [
    OwnRulesPage.example,
    """
    profile: ios13
    thresholds: {launch: {warn: 3, kill: 20}}
    off: {MT02: mapped}
    suppress:
    - {rule: APP01, object: "*.cache", reason: made anew, until: 2027-01-31}
    rules:
      APP01: {never: {event: {event: work.begin, thread: main, where: {kind: file, queue: "a*"}}}}
      APP02: {at-most: {event: [memory.sample, cpu.sample], count: 9, per: process}}
    data: ["*.sqlite"]

    """,
  ]

  private static let wire = [
    #"{"event":"launch","reason":"icon","background":false,"url":null,"incarnation":2}"#,
    #"{"line":"welcome","profile":"ios13","timeScale":1000,"taskSeconds":30.5,"scenes":true}"#,
    #"{"a":[1,2.5,-3e7,{"b":"\u00e9\n\"x\""},[],{}],"c":null,"d":true}"#,
    #"{"event":"notification","type":"battery","key":"","value":"0.5"}"#,
  ]

  // MARK: Memory

  /// Records of all kinds there are and there are not, a quarter each.
  private static let pools = (0..<4 as Range<UInt32>).map { quarter in
    [UInt8](unsafeUninitializedCapacity: Fuzz.inputBytesMax) { bytes, count in
      count = drain_pool_sample(bytes.baseAddress, bytes.count, 64 * quarter, 64)
    }
  }

  // MARK: Traces of stories

  /// The bytes of a trace file that holds the story.
  private static func trace(_ text: String) -> [UInt8]? {
    guard let story = try? Story.parse(text) else { return nil }
    let path = Scratch.path("corpus")
    unlink(path)
    defer { unlink(path) }
    guard let writer = try? TraceWriter(path: path, options: .create),
      (try? story.write(to: writer)) != nil
    else { return nil }
    return try? TestFile.read(path)
  }

  /// The columns of its chunks, each behind the rows and kinds that its header names.
  private static func payloads(_ trace: [UInt8]) -> [[UInt8]] {
    let path = Scratch.path("corpus")
    try? TestFile.write(trace, to: path)
    defer { unlink(path) }
    guard let reader = try? TraceReader(path: path) else { return [] }
    return reader.streams.flatMap(\.chunks).compactMap { chunk in
      let header = Int(chunk.offset)
      let start = header + chunk.headerBytes
      let count = Int(TraceMutator.word(trace, header + 24))
      return TraceMutator.decompress(trace[start..<(start + chunk.payloadBytes)], count).map {
        Victims.columnsPrefix(rows: chunk.eventCount, kinds: chunk.kinds) + $0
      }
    }
  }

  private static func keyframe(_ text: String) -> [UInt8]? {
    guard let story = try? Story.parse(text) else { return nil }
    var state = LifeState()
    for event in story.writers[0].events { state.apply(event, names: story.names) }
    return state.encode(names: story.names)
  }
}

/// Stories of imported logs.
private enum ImportedStory {
  static func text(seed: Int, lines most: Int) -> String {
    let log = SampleLog(seed: UInt64(seed), apps: 2, sessions: 2, noise: 0)
    guard let imported = try? LogImport(bytes: Array(log.text(.console).utf8), name: "made.log")
    else { return "" }
    var writer = StoryWriter()
    var lines = [writer.epochLine]
    for (index, stream) in imported.streams.enumerated() {
      let label = "app#\(index + 1)"
      lines.append(
        writer.header(for: stream.id, stream.attributes, label: label)
      )
      for event in stream.events {
        lines.append(writer.next(event, names: imported.names, label: label))
      }
    }
    return lines.prefix(most).joined(separator: "\n") + "\n"
  }
}
