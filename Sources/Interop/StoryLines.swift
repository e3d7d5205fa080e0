// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceTrace

/// Reads a recording in JSON lines, as `export jsonl` writes it.
///
///     var lines = StoryLines()
///     for line in file { try lines.read(line) }
///     lines.story
///
/// Lines of writers come before their events, as a story's do; what `dump --json` prints lacks them.
/// What a line says beside that is passed over, such as the time since the start.
package struct StoryLines {
  /// A line longer than this is an error.
  package static let lineBytesMax = 1 << 20

  private var reader = StoryReader()
  /// Texts that are longer than a recording holds, by ``Chunk/stringBytesMax``; the rest is cut off.
  package private(set) var cutTexts = 0

  /// Nothing is read yet.
  package init() {}

  /// What was read.
  package var story: Story { reader.story }

  /// Reads the next line; an empty one is passed over.
  ///
  /// - Throws: ``StoryError`` with the number of the line, and what would have done.
  package mutating func read(_ line: some Collection<UInt8>) throws(StoryError) {
    reader.line += 1
    guard !line.isEmpty else { return }
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: line, bytesMax: Self.lineBytesMax)
    } catch {
      throw StoryError(line: reader.line, column: error.byte + 1, message: error.problem)
    }
    if line.count > Chunk.stringBytesMax { cutTexts += Self.longTexts(json) }
    switch try text(json, "kind") {
    case EventJSON.writerKind: try readWriter(json)
    case EventJSON.kindKind: try readKind(json)
    // What could not be read of the recording that was exported; this one is whole.
    case EventJSON.damageKind: break
    case let kind: try readEvent(json, kind)
    }
  }

  private static func longTexts(_ json: JSON) -> Int {
    if let text = json.string { return text.utf8.count > Chunk.stringBytesMax ? 1 : 0 }
    let inner = json.array ?? json.object.map { Array($0.values) } ?? []
    return inner.reduce(0) { $0 + longTexts($1) }
  }

  private func error(_ message: String) -> StoryError {
    StoryError(line: reader.line, column: 1, message: message)
  }

  private func text(_ json: JSON, _ key: String) throws(StoryError) -> String {
    guard let text = json[key]?.string else {
      throw error("the line has no \"\(key)\" that is a string; is it what export jsonl wrote?")
    }
    return text
  }

  private func number(_ json: JSON, _ key: String) throws(StoryError) -> Int64 {
    guard let number = json[key]?.int else {
      throw error("the line has no \"\(key)\" that is a whole number")
    }
    return number
  }

  private func token(_ key: String?, _ value: String) -> StoryToken {
    StoryToken(column: 1, key: key, value: value, isQuoted: true)
  }

  private mutating func readWriter(_ json: JSON) throws(StoryError) {
    var tokens = [token(nil, "app"), token(nil, try text(json, "writer"))]
    for key in ["id", "app", "process", "role", "profile", "host", "boot", "evidence", "clock"] {
      tokens.append(token(key, try text(json, key)))
    }
    for key in ["previous"] + EventJSON.originKeys {
      if let value = json[key]?.string { tokens.append(token(key, value)) }
    }
    for key in ["pid", "deviceBoot", "timeScale"] {
      tokens.append(token(key, "\(try number(json, key))"))
    }
    for key in ["started", "realOffset"] {
      tokens.append(token(key, "\(try number(json, key))ns"))
    }
    try reader.readWriter(tokens)
  }

  private mutating func readKind(_ json: JSON) throws(StoryError) {
    var tokens = [
      token(nil, "kind"), token(nil, "\(try number(json, "number"))"),
      token(nil, try text(json, "name")), token("family", try text(json, "family")),
    ]
    if let ending = json["ending"]?.int { tokens.append(token("ending", "\(ending)")) }
    if let identity = json["identity"]?.string { tokens.append(token("identity", identity)) }
    for field in json["fields"]?.array ?? [] {
      tokens.append(token("field", field.string ?? ""))
    }
    try reader.readKind(tokens)
  }

  private mutating func readEvent(_ json: JSON, _ name: String) throws(StoryError) {
    let label = try text(json, "writer")
    guard let writer = reader.writerOfLabel[label] else {
      throw error(
        "\(label) is not described by a line of the kind \(EventJSON.writerKind) before"
      )
    }
    let kind = try reader.kind(token(nil, name))
    var line = StoryReader.EventLine(kind: kind, info: reader.story.names.info(of: kind))
    guard let thread = UInt32(exactly: try number(json, "thread")),
      let sequence = UInt64(exactly: try number(json, "sequence")),
      let fileLine = UInt32(exactly: json["line"]?.int ?? 0)
    else { throw error("thread, sequence and line are numbers from 0") }
    line.sequence = sequence
    line.siteName = reader.story.names.intern(json["site"]?.string ?? "")
    line.file = reader.story.names.intern(json["file"]?.string ?? "")
    line.fileLine = fileLine
    line.observer = try reader.oneOf(
      Observer.allCases,
      token("observer", try text(json, "observer"))
    )
    for (flag, name) in EventJSON.flags where json[name]?.bool == true { line.flags.insert(flag) }
    line.identity = 0
    let identity = line.info?.identity ?? Field("identity", .hex)
    if let value = json[EventJSON.identityKey(identity)] {
      line.identity = try bits(value, identity)
    }
    try readArguments(json, &line)
    let time = HostTime(rawValue: try number(json, "time"))
    try reader.finish(&line, writer, time, ThreadID(rawValue: thread), token(nil, name))
  }

  private mutating func readArguments(
    _ json: JSON,
    _ line: inout StoryReader.EventLine
  ) throws(StoryError) {
    let given = json["arguments"]?.object ?? [:]
    let fields = line.info?.fields ?? []
    for (index, field) in fields.enumerated() {
      if let value = given[field.name] { line.set(index, try bits(value, field)) }
    }
    for label in json["labels"]?.array ?? [] {
      let tokens = try StoryToken.split(Substring(label.string ?? ""), number: reader.line)
      guard tokens.count == 1, let key = tokens[0].key else {
        throw error("a label is one word, such as key=value")
      }
      try reader.addLabel(key, tokens[0], to: &line)
    }
    for index in fields.count
      + line.labels.count..<max(
        fields.count + line.labels.count,
        Event.argumentsMax
      )
    {
      if let value = given["arg\(index)"] { line.set(index, try bits(value, Field("", .hex))) }
    }
  }

  private mutating func bits(_ value: JSON, _ field: Field) throws(StoryError) -> UInt64 {
    switch (value, field.type) {
    case (.int(let number), .int), (.int(let number), .duration), (.int(let number), .bytes):
      return UInt64(bitPattern: number)
    case (.bool(let truth), .bool): return truth ? 1 : 0
    case (.string(let text), _):
      let token = token(field.name, text)
      if let bits = StoryValue.bits(token, field.type, &reader.story.names) { return bits }
    default: break
    }
    throw error("\"\(field.name)\" is \(value.text), which is no \(StoryValue.noun(field.type))")
  }
}
