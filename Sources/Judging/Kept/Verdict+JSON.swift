// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceRules
import LifetraceTrace
import LifetraceWords

// A verdict as a program keeps it: arrays in the order of its members, a sentence part by part.

extension Verdict {
  var json: JSON {
    let reason: JSON
    if case .undecidable(let why) = outcome { reason = why.json } else { reason = .null }
    return .array([
      .string(rule), .string(severity.rawValue), .string(outcome.word), reason,
      JSON(Int(stream.rawValue)), .string(app), JSON(incarnation), JSON(bits: sequence),
      .int(time.rawValue), .array(witnesses.map(\.json)), title.json,
      .array(details.map(\.json)), advice.json, JSON(occasions),
    ])
  }
}

extension Witness {
  fileprivate var json: JSON {
    .array([
      .string(label), JSON(Int(stream.rawValue)), JSON(bits: sequence), .int(time.rawValue),
      source?.json ?? .null,
    ])
  }
}

extension SourcePlace {
  fileprivate var json: JSON { .array([.string(file), JSON(Int(line))]) }
}

extension Sentence {
  fileprivate var json: JSON { .array(parts.map(\.json)) }
}

extension Sentence.Part {
  fileprivate var json: JSON {
    switch self {
    case .text(let text): .string(text)
    case .name(let name): .array([.string("name"), .string(name)])
    case .object(let name): .array([.string("object"), .string(name)])
    case .event(let name, let stream):
      .array([
        .string("event"), .string(name.writer), JSON(bits: name.sequence),
        JSON(Int(stream.rawValue)),
      ])
    case .place(let place): .array([.string("place"), place.json])
    case .duration(let length, let error):
      .array([.string("duration"), .int(length), .int(error)])
    case .bytes(let count): .array([.string("bytes"), JSON(bits: count)])
    case .count(let count, let thing):
      .array([.string("count"), JSON(bits: count), .string(thing)])
    }
  }
}

/// Reads verdicts of a recording with so many streams; nil for what is none.
struct KeptReader {
  let streams: Int

  func verdict(_ json: JSON) -> Verdict? {
    guard let all = json.array, all.count == 14, let rule = all[0].string,
      let severity = all[1].string.flatMap(Severity.init),
      let outcome = outcome(all[2], all[3]), let stream = stream(all[4]),
      let app = all[5].string, let incarnation = all[6].int, let sequence = all[7].int,
      let time = all[8].int, let witnesses = list(all[9], witness),
      let title = sentence(all[10]), let details = list(all[11], sentence),
      let advice = sentence(all[12]), let occasions = all[13].int
    else { return nil }
    return Verdict(
      rule: rule,
      severity: severity,
      outcome: outcome,
      stream: stream,
      app: app,
      incarnation: Int(incarnation),
      sequence: UInt64(bitPattern: sequence),
      time: HostTime(rawValue: time),
      witnesses: witnesses,
      title: title,
      details: details,
      advice: advice,
      occasions: Int(occasions)
    )
  }

  private func list<Value>(_ json: JSON, _ read: (JSON) -> Value?) -> [Value]? {
    guard let all = json.array else { return nil }
    let values = all.compactMap(read)
    return values.count == all.count ? values : nil
  }

  private func stream(_ json: JSON) -> StreamID? {
    guard let number = json.int, (0..<Int64(streams)).contains(number) else { return nil }
    return StreamID(rawValue: UInt32(number))
  }

  private func outcome(_ word: JSON, _ reason: JSON) -> Verdict.Outcome? {
    switch word.string {
    case "violated": .violated
    case "undecidable": sentence(reason).map { .undecidable($0) }
    default: nil
    }
  }

  private func witness(_ json: JSON) -> Witness? {
    guard let all = json.array, all.count == 5, let label = all[0].string,
      let stream = stream(all[1]), let sequence = all[2].int, let time = all[3].int
    else { return nil }
    let source = place(all[4])
    guard source != nil || all[4] == .null else { return nil }
    return Witness(
      label: label,
      stream: stream,
      sequence: UInt64(bitPattern: sequence),
      time: HostTime(rawValue: time),
      source: source
    )
  }

  private func place(_ json: JSON) -> SourcePlace? {
    guard let all = json.array, all.count == 2, let file = all[0].string,
      let line = all[1].int.flatMap(UInt32.init(exactly:))
    else { return nil }
    return SourcePlace(file: file, line: line)
  }

  private func sentence(_ json: JSON) -> Sentence? {
    list(json, part)?.reduce("", +)
  }

  private func part(_ json: JSON) -> Sentence? {
    if let text = json.string { return Sentence(text) }
    guard let all = json.array, let tag = all.first?.string else { return nil }
    switch (tag, all.count) {
    case ("name", 2): return all[1].string.map { "\(name: $0)" }
    case ("object", 2): return all[1].string.map { "\(object: $0)" }
    case ("event", 4):
      guard let writer = all[1].string, let sequence = all[2].int, let stream = stream(all[3])
      else { return nil }
      let name = EventName(writer: writer, sequence: UInt64(bitPattern: sequence))
      return "\(event: name, of: stream)"
    case ("place", 2): return place(all[1]).map { "\($0)" }
    case ("duration", 3):
      guard let length = all[1].int, let error = all[2].int else { return nil }
      return "\(duration: length, error: error)"
    case ("bytes", 2): return all[1].int.map { "\(bytes: UInt64(bitPattern: $0))" }
    case ("count", 3):
      guard let count = all[1].int, let thing = all[2].string else { return nil }
      return "\(count: UInt64(bitPattern: count), of: thing)"
    default: return nil
    }
  }
}
