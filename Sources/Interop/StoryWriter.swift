// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
package import LifetraceTimeline

/// Prints events as lines of a story.
///
///     var writer = StoryWriter(epoch: firstTime)
///     print(writer.header(for: stream.writer, stream.attributes, label: "notes#1"))
///     print(writer.line(for: event, names: names, label: "notes#1"))
///
/// What it prints, ``Story/parse(_:)`` reads back to the same events.
package struct StoryWriter: Sendable {
  /// Times are printed relative to this one.
  package var epoch: HostTime
  /// By stream, where times are relative to another one, or along a line; empty where none are.
  private let clocks: [StreamClock?]
  /// By stream, as far as they were met.
  private var nextSequence: [UInt64] = []
  /// The kinds that need no line before their events, or had it.
  private var told = KindSet(KindInfo.all.map(\.kind))
  private var words = StoryWords()

  /// A printer that counts time from `epoch`.
  package init(epoch: HostTime = HostTime(rawValue: 0)) {
    self.epoch = epoch
    clocks = []
  }

  /// A printer that puts the times of all streams on the axis of their recording.
  ///
  /// Read back, times of a clock that messages bound are those of the axis.
  package init(clocks: [StreamClock]) {
    let zero = TraceTime(rawValue: 0)
    let first = clocks.first?.host(zero) ?? HostTime(rawValue: 0)
    epoch = first
    let others = clocks.map { !$0.isMoved || $0.host(zero) != first ? $0 : nil }
    self.clocks = others.contains { $0 != nil } ? others : []
  }

  /// The line that says from when times are counted; empty for 0.
  package var epochLine: String {
    epoch.rawValue == 0 ? "" : "epoch \(epoch.rawValue)ns"
  }

  /// The line that describes a writer.
  package func header(
    for id: WriterID,
    _ attributes: WriterAttributes,
    label: String,
    stream: StreamID? = nil,
    previous: String? = nil
  ) -> String {
    var parts = ["app", StoryValue.label(label)]
    func add(_ key: String, _ value: String) { parts.append("\(key)=\(value)") }
    func addWord(_ key: String, _ value: String) {
      if !value.isEmpty { add(key, StoryValue.word(value)) }
    }
    add("app", StoryValue.word(attributes.app))
    if attributes.process != attributes.app { add("process", StoryValue.word(attributes.process)) }
    add("role", "\(attributes.role)")
    if attributes.pid != 0 { add("pid", "\(attributes.pid)") }
    addWord("profile", attributes.profile)
    if let previousID = attributes.previous {
      add("previous", previous.map(StoryValue.label) ?? previousID.text)
    }
    addWord("host", attributes.host)
    addWord("boot", attributes.boot)
    if attributes.deviceBoot != 0 { add("deviceBoot", "\(attributes.deviceBoot)") }
    let own = stream.flatMap(clock)
    if let own { add("epoch", "\(own.host(TraceTime(rawValue: 0)).rawValue)ns") }
    let started = own?.trace(attributes.started).rawValue ?? attributes.started - epoch
    add("started", StoryValue.time(started))
    add("evidence", "\(attributes.evidence)")
    add("clock", "\(attributes.clock)")
    if attributes.realOffset != 0 { add("realOffset", "\(attributes.realOffset)ns") }
    if attributes.timeScale != 1000 { add("timeScale", "\(attributes.timeScale)") }
    let origin = attributes.origin
    if let session = origin.session { add("session", session.text) }
    addWord("run", origin.run)
    if let machine = origin.machine { add("machine", machine.text) }
    if let recorder = origin.recorder { add("recorder", recorder.text) }
    add("id", id.text)
    return parts.joined(separator: " ")
  }

  /// The line of the next event; says its number where numbers are missing.
  ///
  /// Before the first event of a kind that this version does not know stands the line that describes it.
  package mutating func next(_ event: Event, names: Names, label: String) -> String {
    var line = OutputBytes(room: 256)
    putNext(event, names: names, label: label, to: &line)
    return line.takeText()
  }

  /// Puts the line of the next event, without its end.
  ///
  /// All events are to be of one recording, whose names may grow: what they share is made once, and
  /// `names` is asked for where something is new.
  package mutating func putNext(
    _ event: borrowing Event,
    names: @autoclosure () -> Names,
    label: String,
    to line: inout OutputBytes
  ) {
    let clock = meet(event.stream, label)
    put(event, clock, names, to: &line)
  }

  /// Puts the lines of the next events of one stream, each with its end.
  ///
  /// The same lines as ``putNext(_:names:label:to:)`` puts; what is asked once a call takes as long as some lines.
  package mutating func putLines(
    _ events: borrowing Span<Event>,
    names: () -> Names,
    label: String,
    to line: inout OutputBytes
  ) {
    guard !events.isEmpty else { return }
    let clock = meet(events[0].stream, label)
    for place in events.indices {
      put(events[place], clock, names, to: &line)
      line.makeRoom(1)
      line.put(UInt8(ascii: "\n"))
    }
  }

  /// The clock of a stream of which lines come.
  private mutating func meet(_ stream: StreamID, _ label: String) -> StreamClock? {
    while nextSequence.count <= stream.rawValue { nextSequence.append(0) }
    words.meet(stream, label)
    return clock(of: stream)
  }

  @inline(__always)
  private mutating func put(
    _ event: borrowing Event,
    _ clock: StreamClock?,
    _ names: () -> Names,
    to line: inout OutputBytes
  ) {
    let stream = Int(event.stream.rawValue)
    let isExpected = nextSequence[stream] == event.sequence
    nextSequence[stream] = event.sequence &+ 1
    if !told.contains(event.kind) { tell(event.kind, names(), to: &line) }
    // Handed to a method of this value, the words would be held twice, and copied at each change.
    StoryValue.putTime(time(of: event, clock), to: &line)
    words.putPlace(of: event, to: &line)
    words.put(event, names, to: &line)
    if !isExpected {
      line.putLiteral(" seq=")
      line.putNumber(event.sequence)
    }
  }

  private mutating func tell(_ kind: EventKind, _ names: Names, to line: inout OutputBytes) {
    told.insert(kind)
    guard let text = names.info(of: kind)?.storyLine else { return }
    line.put(text)
    line.putLiteral("\n")
  }

  /// The line of an event.
  package func line(for event: Event, names: Names, label: String) -> String {
    var line = OutputBytes(room: 256)
    var words = StoryWords()
    StoryValue.putTime(time(of: event, clock(of: event.stream)), to: &line)
    words.meet(event.stream, label)
    words.putPlace(of: event, to: &line)
    words.put(event, { names }, to: &line)
    return line.takeText()
  }

  private func clock(of stream: StreamID) -> StreamClock? {
    Int(stream.rawValue) < clocks.count ? clocks[Int(stream.rawValue)] : nil
  }

  @inline(__always)
  private func time(of event: borrowing Event, _ clock: StreamClock?) -> Int64 {
    guard let clock else { return event.time - epoch }
    return clock.trace(event.time).rawValue
  }

  /// What happened, without when and where: `data.dirty draft.txt version=3 @Notes/Editor.swift:41`.
  package static func words(for event: Event, names: Names) -> String {
    var line = OutputBytes(room: 256)
    var words = StoryWords()
    words.put(event, { names }, to: &line)
    return line.takeText()
  }
}
