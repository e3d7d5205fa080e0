// SPDX-License-Identifier: Apache-2.0
package import LifetraceTrace
package import LifetraceTimeline
import LifetraceWords

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
  /// Those of these streams relative to theirs, or along a line: their clocks are others.
  private let clocks: [StreamID: StreamClock]
  private var nextSequence: [StreamID: UInt64] = [:]
  private var told = KindSet()

  /// A printer that counts time from `epoch`.
  package init(epoch: HostTime = HostTime(rawValue: 0)) {
    self.epoch = epoch
    clocks = [:]
  }

  /// A printer that puts the times of all streams on the axis of their recording.
  ///
  /// Read back, times of a clock that messages bound are those of the axis.
  package init(clocks: [StreamClock]) {
    let zero = TraceTime(rawValue: 0)
    let first = clocks.first?.host(zero) ?? HostTime(rawValue: 0)
    epoch = first
    self.clocks = Dictionary(
      uniqueKeysWithValues: clocks.enumerated().filter { !$1.isMoved || $1.host(zero) != first }
        .map { (StreamID(rawValue: UInt32($0)), $1) }
    )
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
    let own = stream.flatMap { clocks[$0] }
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
  package mutating func next(_ event: Event, names: borrowing Names, label: String) -> String {
    let expected = nextSequence[event.stream] ?? 0
    nextSequence[event.stream] = event.sequence &+ 1
    let line = line(for: event, names: names, label: label)
    let numbered = event.sequence == expected ? line : "\(line) seq=\(event.sequence)"
    guard event.kind.info == nil, !told.contains(event.kind) else { return numbered }
    told.insert(event.kind)
    guard let kind = names.info(of: event.kind)?.storyLine else { return numbered }
    return kind + "\n" + numbered
  }

  /// The line of an event.
  package func line(for event: Event, names: borrowing Names, label: String) -> String {
    let clock = clocks.isEmpty ? nil : clocks[event.stream]
    var line = StoryValue.time(clock?.trace(event.time).rawValue ?? event.time - epoch)
    line += " "
    line += StoryValue.label(label)
    line += " "
    line += Wording.thread(event.thread)
    line += " "
    Self.add(event, names, to: &line)
    return line
  }

  /// What happened, without when and where: `data.dirty draft.txt version=3 @Notes/Editor.swift:41`.
  package static func words(for event: Event, names: borrowing Names) -> String {
    var line = ""
    add(event, names, to: &line)
    return line
  }

  private static func add(_ event: Event, _ names: borrowing Names, to line: inout String) {
    let info = KindInfo.said(event.kind, names)
    let site = names[event.site]
    let siteName = names[site.name]
    line += info?.name ?? KindInfo.unknownName(event.kind)
    if info?.isNameIdentity == true {
      line += " "
      line += StoryValue.word(names[event.identityName])
      if !siteName.isEmpty {
        line += " site="
        line += StoryValue.word(siteName)
      }
    } else {
      if !siteName.isEmpty {
        line += " "
        line += StoryValue.word(siteName)
      }
      if event.identity != 0 {
        let field = info?.identity ?? Field("identity", .hex)
        line += " "
        line += field.name
        line += "="
        line += StoryValue.text(FieldValue(event.identity, field.type, names))
      }
    }
    for index in 0..<min(Int(event.argumentCount), Event.argumentsMax) {
      let isLast = index == Int(event.argumentCount) - 1
      if let part = argument(index, of: event, info, site.labels, isLast, names) {
        line += " "
        line += part
      }
    }
    if site.file != .empty {
      let file = names[site.file]
      line += " @"
      line += StoryValue.word(file)
      // What stands behind the last colon is the line.
      if site.line != 0 || file.utf8.contains(UInt8(ascii: ":")) {
        line += ":"
        line += String(site.line)
      }
    }
    if event.flags.contains(.late) { line += " late" }
    if event.flags.contains(.inferred) { line += " inferred" }
    if event.flags.contains(.sampled) { line += " sampled" }
    if event.observer != .own {
      line += " by="
      line += event.observer.word
    }
  }

  /// One `key=value`; nil for a zero that the count does not need.
  static func argument(
    _ index: Int,
    of event: Event,
    _ info: KindInfo?,
    _ labels: [Field],
    _ isLast: Bool,
    _ names: borrowing Names
  ) -> String? {
    let bits = event[index]
    let fields = info?.fields ?? []
    if index < fields.count {
      let field = fields[index]
      if event.kind == .loss && index == 0,
        let family = EventFamily(rawValue: UInt8(clamping: bits))
      {
        return "family=\(family)"
      }
      let isWord = [.state, .work, .level, .resource, .bool, .log].contains(field.type)
      if bits == 0 && !isWord && !isLast { return nil }
      return "\(field.name)=\(StoryValue.text(FieldValue(bits, field.type, names)))"
    }
    if index - fields.count < labels.count {
      let label = labels[index - fields.count]
      let key = StoryValue.key(label.name) { key in
        KindInfo.isReserved(key) || key == "identity" || info?.identity?.name == key
          || fields.contains { $0.name == key }
      }
      return "\(key)=\(StoryValue.labelText(FieldValue(bits, label.type, names)))"
    }
    return "arg\(index)=0x\(String(bits, radix: 16))"
  }
}
