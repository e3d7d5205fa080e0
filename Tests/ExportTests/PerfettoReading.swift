// SPDX-License-Identifier: Apache-2.0

/// What a trace processor makes of an export for Perfetto: slices closed in the order of a stack.
///
/// Read by the numbers of Perfetto's own protocol files, not by those of the code that writes.
struct PerfettoPicture {
  struct Slice: Hashable {
    var process: String
    var lane: String
    var name: String
    var begin: Int64
    /// -1 where it did not end.
    var length: Int64
    var event: UInt64?
    var isCut = false
  }

  struct Point: Hashable {
    var process: String
    var lane: String
    var name: String
    var time: Int64
    var event: UInt64?
    var texts: [String: String]
  }

  struct Sample: Hashable {
    var process: String
    var counter: String
    var time: Int64
    var value: Int64
  }

  private struct ArrowEnd {
    var text: String
    var place: String
  }

  private struct Track {
    var name = ""
    var parent: UInt64?
    var process: String?
  }

  private(set) var slices: [Slice] = []
  private(set) var instants: [Point] = []
  private(set) var samples: [Sample] = []
  /// From the name and the time of one event to those of another.
  private(set) var arrows: [[String]] = []
  /// The same as processes and numbers of events.
  private(set) var arrowEvents: [ExpectedPicture.Arrow: Int] = [:]
  /// What did not fit: an end without a begin, a number that was not said before.
  private(set) var problems: [String] = []

  private var tracks: [UInt64: Track] = [:]
  private var interned: [Int: [UInt64: String]] = [:]

  init(_ bytes: [UInt8]) {
    guard let trace = ProtoMessage(bytes[...]) else {
      problems = ["no message"]
      return
    }
    var events: [(time: Int64, event: ProtoMessage)] = []
    for packet in trace.messages(1) {
      if let descriptor = packet.message(60) { learn(descriptor) }
      if let data = packet.message(12) { intern(data) }
      if let event = packet.message(11) {
        if packet.number(10) != 1 { problems.append("a packet of another sequence") }
        events.append((Int64(packet.number(8) ?? 0), resolved(event)))
      }
    }
    // As a trace processor does: by time, equal ones as they came.
    let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    var open: [UInt64: [Int]] = [:]
    var flows: [UInt64: ArrowEnd] = [:]
    for index in order { take(events[index].event, events[index].time, &open, &flows) }
  }

  /// Interned names are looked for where the packet stands, since they are said before it.
  private mutating func resolved(_ event: ProtoMessage) -> ProtoMessage {
    for (field, table) in [(10, 2), (3, 1), (34, 4)] {
      for number in event.numbers(field) where interned[table]?[number] == nil {
        problems.append("number \(number) of table \(table) was not said before its use")
      }
    }
    for annotation in event.messages(4) {
      for (field, table) in [(1, 3), (17, 29)] {
        for number in annotation.numbers(field) where interned[table]?[number] == nil {
          problems.append("number \(number) of table \(table) was not said before its use")
        }
      }
    }
    return event
  }

  private mutating func learn(_ descriptor: ProtoMessage) {
    guard let uuid = descriptor.number(1) else { return }
    let process = descriptor.message(3)?.text(6)
    if let parent = descriptor.number(5), tracks[parent] == nil {
      problems.append("a track before its parent")
    }
    tracks[uuid] = Track(
      name: descriptor.text(2) ?? "",
      parent: descriptor.number(5),
      process: process
    )
  }

  private mutating func intern(_ data: ProtoMessage) {
    for field in data.fields {
      guard case .bytes(let bytes) = field.value, let entry = ProtoMessage(bytes),
        let number = entry.number(1)
      else { continue }
      if interned[field.number]?[number] != nil { problems.append("\(number) was said twice") }
      interned[field.number, default: [:]][number] = entry.text(2) ?? ""
    }
  }

  private mutating func take(
    _ event: ProtoMessage,
    _ time: Int64,
    _ open: inout [UInt64: [Int]],
    _ flows: inout [UInt64: ArrowEnd]
  ) {
    guard let uuid = event.number(11), let track = tracks[uuid] else {
      problems.append("an event without a track")
      return
    }
    let process = process(of: uuid)
    let (texts, number) = annotations(event)
    let name = event.text(23) ?? event.number(10).flatMap { interned[2]?[$0] } ?? ""
    switch event.number(9) {
    case 1:
      open[uuid, default: []].append(slices.count)
      slices.append(
        Slice(
          process: process,
          lane: track.name,
          name: name,
          begin: time,
          length: -1,
          event: number
        )
      )
    case 2:
      guard let place = open[uuid]?.popLast() else { return problems.append("an end too many") }
      slices[place].length = time - slices[place].begin
      slices[place].isCut = texts["cut"] == "1"
    case 3:
      instants.append(
        Point(
          process: process,
          lane: track.name,
          name: name,
          time: time,
          event: number,
          texts: texts
        )
      )
    case 4:
      let value = Int64(bitPattern: event.number(30) ?? 0)
      samples.append(Sample(process: process, counter: track.name, time: time, value: value))
    default: problems.append("an event of no type")
    }
    let end = ArrowEnd(text: "\(name) \(time)", place: "\(process):\(number.map { "\($0)" } ?? "")")
    for flow in event.numbers(47) where flows.updateValue(end, forKey: flow) != nil {
      problems.append("a flow begins twice")
    }
    for flow in event.numbers(48) {
      guard let from = flows.removeValue(forKey: flow) else { continue }
      arrows.append([from.text, end.text])
      guard name.hasPrefix("message") else { continue }
      arrowEvents[ExpectedPicture.Arrow(from: from.place, to: end.place), default: 0] += 1
    }
  }

  private func annotations(_ event: ProtoMessage) -> ([String: String], UInt64?) {
    var texts: [String: String] = [:]
    var number: UInt64?
    for annotation in event.messages(4) {
      guard let name = annotation.number(1).flatMap({ interned[3]?[$0] }) else { continue }
      let text =
        annotation.text(6) ?? annotation.number(17).flatMap { interned[29]?[$0] }
        ?? [2, 3, 4, 5, 7].lazy.compactMap { annotation.number($0) }.first.map { "\($0)" }
      texts[name] = text
      if name == "event", let value = annotation.number(3) { number = value }
    }
    return (texts, number)
  }

  private func process(of uuid: UInt64) -> String {
    var at: UInt64? = uuid
    while let track = at.flatMap({ tracks[$0] }) {
      if let process = track.process { return process }
      at = track.parent
    }
    return ""
  }
}
