// SPDX-License-Identifier: Apache-2.0
import LifetraceTrace

/// Reads a story line by line.
struct StoryReader {
  /// Events are numbered up to here: far from the end of 64 bits.
  static let sequenceMax: UInt64 = 1 << 62

  var story = Story()
  private var epoch = HostTime(rawValue: 0)
  /// Those of the writers that have their own.
  var epochOfWriter: [Int: HostTime] = [:]
  private(set) var writerOfLabel: [String: Int] = [:]
  /// Extents without an id, by writer, kind and name, so that an end finds its begin.
  private var open: [OpenKey: [UInt64]] = [:]
  private var nextIdentity: UInt64 = 1
  /// The kinds that the text describes, by name.
  private(set) var taught: [String: EventKind] = [:]
  /// The line that is read, from 1.
  var line = 0

  private struct OpenKey: Hashable {
    var writer: Int
    var kind: EventKind
    var name: NameID
  }

  init() {}

  mutating func read(_ text: Substring, _ number: Int) throws(StoryError) {
    line = number
    let tokens = try StoryToken.split(text, number: number)
    guard let first = tokens.first else { return }
    switch first.value {
    case "app" where first.key == nil: try readWriter(tokens)
    case "kind" where first.key == nil:
      try readKind(tokens)
    case "epoch" where first.key == nil:
      guard tokens.count == 2, let time = StoryValue.nanoseconds(tokens[1].value) else {
        throw error(first, "epoch takes one time, such as 1700000000s")
      }
      epoch = HostTime(rawValue: time)
    default: try readEvent(tokens)
    }
  }

  mutating func readKind(_ tokens: [StoryToken]) throws(StoryError) {
    let info = try KindInfo.story(tokens, line)
    story.names.teach(info)
    taught[info.name] = info.kind
  }

  private func error(_ token: StoryToken, _ message: String) -> StoryError {
    StoryError(line: line, column: token.column, message: message)
  }

  // MARK: Writers

  mutating func readWriter(_ tokens: [StoryToken]) throws(StoryError) {
    guard tokens.count > 1, tokens[1].key == nil else {
      throw error(tokens[0], "app needs a name, such as: app notes#1")
    }
    let label = tokens[1].value
    guard writerOfLabel[label] == nil else {
      throw error(tokens[1], "\(label) was described before")
    }
    var attributes = WriterAttributes(app: String(label.prefix { $0 != "#" }))
    attributes.evidence = .simulated
    attributes.clock = .virtual
    var writer = Story.Writer(label: label, id: Self.id(of: label), attributes: attributes)
    // The times on this line count from it, wherever it stands.
    for token in tokens where token.key == "epoch" {
      epochOfWriter[story.writers.count] = HostTime(rawValue: try nanoseconds(token))
    }
    for token in tokens.dropFirst(2) where token.key != "epoch" { try set(token, in: &writer) }
    writerOfLabel[label] = story.writers.count
    story.writers.append(writer)
  }

  private func nanoseconds(_ token: StoryToken) throws(StoryError) -> Int64 {
    guard let time = StoryValue.nanoseconds(token.value) else {
      throw error(token, "\(token.value) is no time; write 2.5s, 20ms, 7ns")
    }
    return time
  }

  private func set(_ token: StoryToken, in writer: inout Story.Writer) throws(StoryError) {
    let value = token.value
    guard let key = token.key else { throw error(token, "\(value) is no key=value") }
    func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(StoryError) -> Number {
      guard let number = Number(value) else { throw error(token, "\(value) is no number") }
      return number
    }
    switch key {
    case "app":
      if writer.attributes.process == writer.attributes.app { writer.attributes.process = value }
      writer.attributes.app = value
    case "process": writer.attributes.process = value
    case "role": writer.attributes.role = try oneOf(ProcessRole.allCases, token)
    case "pid": writer.attributes.pid = try number(UInt32.self)
    case "profile": writer.attributes.profile = value
    case "previous": writer.attributes.previous = try id(token)
    case "host": writer.attributes.host = value
    case "boot": writer.attributes.boot = value
    case "deviceBoot": writer.attributes.deviceBoot = try number(UInt32.self)
    case "started":
      let from = epochOfWriter[story.writers.count] ?? epoch
      writer.attributes.started = from.advanced(by: try nanoseconds(token))
    case "evidence":
      let tiers: [EvidenceTier] = [
        .child, .joined, .kernelEvents, .sampled, .log, .simulated,
      ]
      writer.attributes.evidence = try oneOf(tiers, token)
    case "clock":
      let clocks: [ClockDomain] = [.monotonic, .real, .virtual, .timeOfDay]
      writer.attributes.clock = try oneOf(clocks, token)
    case "realOffset": writer.attributes.realOffset = try nanoseconds(token)
    case "timeScale": writer.attributes.timeScale = try number(UInt32.self)
    case "id": writer.id = try id(token)
    default:
      guard try setOrigin(token, key, &writer.attributes.origin) else {
        throw error(token, "a writer has no \(key)")
      }
    }
  }

  func oneOf<Choice>(_ choices: [Choice], _ token: StoryToken) throws(StoryError) -> Choice {
    guard let choice = choices.first(where: { "\($0)" == token.value }) else {
      let known = choices.map { "\($0)" }.joined(separator: ", ")
      throw error(token, "\(token.value) is not one of \(known)")
    }
    return choice
  }

  /// A writer by label or by its 32 digits.
  private func id(_ token: StoryToken) throws(StoryError) -> WriterID {
    if let known = writerOfLabel[token.value] { return story.writers[known].id }
    guard token.value.utf8.count == 32, let high = StoryValue.hex(String(token.value.prefix(16))),
      let low = StoryValue.hex(String(token.value.suffix(16)))
    else {
      throw error(token, "\(token.value) is no writer described above, nor 32 hexadecimal digits")
    }
    return WriterID(high: high, low: low)
  }

  /// The id of a writer that the text gives none: FNV-1a of its label, twice.
  static func id(of label: String) -> WriterID {
    func hash(_ seed: UInt64) -> UInt64 {
      label.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
    return WriterID(high: hash(0xcbf2_9ce4_8422_2325), low: hash(0x9ae1_6a3b_2f90_404f))
  }

  // MARK: Events

  private mutating func readEvent(_ tokens: [StoryToken]) throws(StoryError) {
    guard tokens.count >= 4 else {
      throw error(tokens[0], "an event is TIME WRITER THREAD KIND …, or the line begins with app")
    }
    guard let time = StoryValue.nanoseconds(tokens[0].value), tokens[0].key == nil else {
      throw error(tokens[0], "\(tokens[0].value) is no time; write +2.5s, 20ms, 7ns")
    }
    guard let writer = writerOfLabel[tokens[1].value] else {
      throw error(
        tokens[1],
        "\(tokens[1].value) is not described by a line: app \(tokens[1].value)"
      )
    }
    let thread = try thread(tokens[2])
    let kind = try kind(tokens[3])
    var line = EventLine(kind: kind, info: story.names.info(of: kind))
    for token in tokens.dropFirst(4) { try add(token, to: &line) }
    let from = epochOfWriter[writer] ?? epoch
    try finish(&line, writer, from.advanced(by: time), thread, tokens[3])
  }

  private func thread(_ token: StoryToken) throws(StoryError) -> ThreadID {
    if token.value == "main" { return .main }
    guard token.value.hasPrefix("t"), let id = UInt32(token.value.dropFirst()) else {
      throw error(token, "\(token.value) is no thread; write main or t12")
    }
    return ThreadID(rawValue: id)
  }

  func kind(_ token: StoryToken) throws(StoryError) -> EventKind {
    if let info = KindInfo.byName[token.value] { return info.kind }
    if let taught = taught[token.value] { return taught }
    if let unknown = KindInfo.unknown(named: token.value) { return unknown }
    let family = token.value.prefix { $0 != "." }
    let near = KindInfo.all.map(\.name).filter { $0.hasPrefix(family) }
    let known = near.isEmpty ? KindInfo.all.map(\.name) : near
    throw error(
      token,
      "no kind is called \(token.value); there are \(known.joined(separator: ", "))"
    )
  }

  /// What a line has said so far.
  struct EventLine {
    var kind: EventKind
    var info: KindInfo?
    var identity: UInt64?
    var siteName = NameID.empty
    var file = NameID.empty
    var fileLine: UInt32 = 0
    var labels: [(Field, UInt64)] = []
    var arguments: [UInt64] = []
    var hasName = false
    var flags: EventFlags = []
    var observer = Observer.own
    var sequence: UInt64?

    mutating func set(_ index: Int, _ bits: UInt64) {
      while arguments.count <= index { arguments.append(0) }
      arguments[index] = bits
    }
  }

  private mutating func add(_ token: StoryToken, to line: inout EventLine) throws(StoryError) {
    guard let key = token.key else { return try addBare(token, to: &line) }
    if token.isKeyQuoted { return try addLabel(key, token, to: &line) }
    if let identity = line.info?.identity, identity.name == key, identity.type != .name {
      line.identity = try bits(token, identity.type)
      return
    }
    if let index = line.info?.fields.firstIndex(where: { $0.name == key }),
      let type = line.info?.fields[index].type
    {
      let family = EventFamily.allCases.first { "\($0)" == token.value }
      if line.kind == .loss && key == "family", let family {
        return line.set(index, UInt64(family.rawValue))
      }
      return line.set(index, try bits(token, type))
    }
    switch key {
    case "by": line.observer = try oneOf(Observer.allCases, token)
    case "site": line.siteName = story.names.intern(token.value)
    case "seq":
      guard let sequence = UInt64(token.value) else {
        throw error(token, "\(token.value) is no number")
      }
      line.sequence = sequence
    case "identity" where line.info == nil || line.info?.identity == nil:
      line.identity = try bits(token, .hex)
    case "arg0", "arg1", "arg2", "arg3":
      line.set(Int(key.suffix(1)) ?? 0, try bits(token, .hex))
    default: try addLabel(key, token, to: &line)
    }
  }

  mutating func addLabel(
    _ key: String,
    _ token: StoryToken,
    to line: inout EventLine
  ) throws(StoryError) {
    let type = StoryValue.type(of: token)
    var value = token
    if type == .bytes { value.value.removeLast() }
    line.labels.append((Field(key, type), try bits(value, type)))
  }

  private mutating func addBare(_ token: StoryToken, to line: inout EventLine) throws(StoryError) {
    if !token.isQuoted {
      switch token.value {
      case "late":
        line.flags.insert(.late)
        return
      case "inferred":
        line.flags.insert(.inferred)
        return
      case "sampled":
        line.flags.insert(.sampled)
        return
      default: break
      }
      if token.isSource { return try addSource(token, to: &line) }
    }
    guard !line.hasName else { throw error(token, "\(token.value) is a second name") }
    line.hasName = true
    let name = story.names.intern(token.value)
    if line.info?.isNameIdentity == true {
      line.identity = UInt64(name.rawValue)
    } else {
      line.siteName = name
    }
  }

  private mutating func addSource(_ token: StoryToken, to line: inout EventLine) throws(StoryError)
  {
    var file = token.value.unicodeScalars.dropFirst()
    if let colon = file.lastIndex(of: ":"),
      let number = UInt32(String(file[file.index(after: colon)...]))
    {
      line.fileLine = number
      file = file[..<colon]
    }
    guard !file.isEmpty else { throw error(token, "@ is followed by file:line") }
    line.file = story.names.intern(String(file))
  }

  private mutating func bits(_ token: StoryToken, _ type: FieldType) throws(StoryError) -> UInt64 {
    guard let bits = StoryValue.bits(token, type, &story.names) else {
      throw error(token, "\(token.value) is no \(StoryValue.noun(type))")
    }
    return bits
  }

  mutating func finish(
    _ line: inout EventLine,
    _ writer: Int,
    _ time: HostTime,
    _ thread: ThreadID,
    _ token: StoryToken
  ) throws(StoryError) {
    let fixed = line.info?.fields.count ?? 0
    guard fixed + line.labels.count <= Event.argumentsMax else {
      throw error(token, "an event carries at most \(Event.argumentsMax) arguments")
    }
    for (index, (_, bits)) in line.labels.enumerated() { line.set(fixed + index, bits) }
    let site = Site(
      name: line.siteName,
      file: line.file,
      line: line.fileLine,
      labels: line.labels.map(\.0)
    )
    let next = story.writers[writer].events.last.map { $0.sequence + 1 } ?? 0
    let sequence = line.sequence ?? next
    guard sequence >= next, sequence <= Self.sequenceMax else {
      throw error(token, "seq=\(sequence) is out of order: numbers go up, here from \(next)")
    }
    var event = Event(
      line.kind,
      at: time,
      thread: thread,
      site: story.names.intern(site),
      identity: line.identity ?? identity(for: line, writer),
      argumentCount: UInt8(line.arguments.count),
      observer: line.observer,
      flags: line.flags,
      sequence: sequence,
      stream: StreamID(rawValue: UInt32(writer))
    )
    for (index, argument) in line.arguments.enumerated() { event[index] = argument }
    story.writers[writer].events.append(event)
  }

  /// The id of an extent whose line gives none: an end takes that of the last open begin of its name.
  private mutating func identity(for line: EventLine, _ writer: Int) -> UInt64 {
    guard let identity = line.kind.info?.identity, identity.type == .int else { return 0 }
    if line.info?.ending != nil || line.kind == .wakeBegin {
      let key = OpenKey(writer: writer, kind: line.kind, name: line.siteName)
      defer { nextIdentity += 1 }
      open[key, default: []].append(nextIdentity)
      return nextIdentity
    }
    let begin =
      line.kind == .wakeCompletion
      ? EventKind.wakeBegin : KindInfo.all.first { $0.ending == line.kind }?.kind
    if line.kind == .taskExpire {
      return last(OpenKey(writer: writer, kind: .taskBegin, name: line.siteName), take: false)
    }
    guard let begin else { return 0 }
    return last(OpenKey(writer: writer, kind: begin, name: line.siteName), take: true)
  }

  private mutating func last(_ key: OpenKey, take: Bool) -> UInt64 {
    let found: OpenKey?
    if key.name == .empty {
      found =
        open.filter { $0.key.writer == key.writer && $0.key.kind == key.kind }
        .max { $0.value.last ?? 0 < $1.value.last ?? 0 }?.key
    } else {
      found = key
    }
    guard let found, let id = open[found]?.last else { return 0 }
    if take { open[found]?.removeLast() }
    return id
  }
}
