// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceJSON
package import LifetraceJudging
package import LifetraceTrace
import LifetraceWords

/// The trace-event format of Chrome: one JSON array, times in microseconds with three decimals.
///
/// Each lane is a thread of a process, as the format knows no other; the lanes of devices and apps are
/// those of a process of their own. An arrow is a pair of flow events at the instants it ties, which
/// are slices of no length: arrows stand at slices only.
package struct ChromeFormat: ExportFormat, ~Copyable {
  package static var wantsPicture: Bool { true }
  package static var wantsEvents: Bool { false }

  private var bytes = OutputBytes()
  private var labels: [String] = []
  /// By lane: what its events say of where they stand.
  private var places: [String] = []
  private var counterNames: [String] = []
  private var titles: [Title: String] = [:]
  private var isFirst = true

  /// Nothing is written yet.
  package init() {}

  package var pending: Int { bytes.count }

  package mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.take(body)
  }

  package mutating func begin(_ facts: ExportFacts) {
    labels = facts.labels
    bytes.put("[\n")
  }

  package mutating func finish() { bytes.put("\n]\n") }

  // MARK: Lanes

  package mutating func lane(_ lane: Lane) {
    // Processes are told apart by number; 0 is that of devices.
    let pid = lane.stream.map { Int($0.rawValue) + 1 } ?? 0
    places.append("\"pid\":\(pid),\"tid\":\(lane.id)")
    counterNames.append(JSON.string(lane.name).text)
    if case .counter = lane.kind { return }
    if case .process = lane.kind {
      describe(lane, "process_name", "{\"name\":\(JSON.string(lane.name).text)}")
      return
    }
    if lane.id == 0 { describe(lane, "process_name", "{\"name\":\"devices\"}") }
    describe(lane, "thread_name", "{\"name\":\(JSON.string(lane.name).text)}")
    describe(lane, "thread_sort_index", "{\"sort_index\":\(lane.rank)}")
  }

  private mutating func describe(_ lane: Lane, _ what: String, _ arguments: String) {
    separate()
    bytes.put("{\"ph\":\"M\",\(places[Int(lane.id)]),\"name\":\"\(what)\",\"args\":\(arguments)}")
  }

  // MARK: Slices, instants, counters

  package mutating func begin(_ slice: Slice, _ names: borrowing Names) {
    open("B", slice.lane, slice.time)
    put(slice.title, slice.event, names)
    putArguments(slice.event, names)
  }

  package mutating func end(
    _ slice: Slice,
    at time: Int64,
    _ ending: Slice.Ending,
    _ names: borrowing Names
  ) {
    guard ending != .open else { return }
    open("E", slice.lane, time)
    bytes.put(ending == .cut ? ",\"args\":{\"cut\":true}}" : "}")
  }

  package mutating func instant(_ instant: Instant, _ names: borrowing Names) {
    let hasFlows = instant.begins.first != nil || instant.ends.first != nil
    open(hasFlows ? "X" : "i", instant.lane, instant.time)
    bytes.put(hasFlows ? ",\"dur\":0" : ",\"s\":\"t\"")
    put(instant.title, instant.event, names)
    putArguments(instant.event, names)
    for flow in instant.begins.all { put(flow, "s", instant) }
    for flow in instant.ends.all { put(flow, "f", instant) }
  }

  private mutating func put(_ flow: UInt64, _ phase: String, _ instant: Instant) {
    open(phase, instant.lane, instant.time)
    let bound = phase == "f" ? ",\"bp\":\"e\"" : ""
    bytes.put(
      ",\"id\":\"0x\(String(flow, radix: 16))\",\"cat\":\"flow\",\"name\":\"flow\"\(bound)}"
    )
  }

  package mutating func counter(_ lane: Lane.ID, _ value: Int64, at time: Int64) {
    open("C", lane, time)
    bytes.put(",\"name\":\(counterNames[Int(lane)]),\"args\":{\"value\":\(value)}}")
  }

  package mutating func finding(
    _ finding: Finding,
    in lane: Lane.ID,
    at time: Int64,
    _ names: borrowing Names
  ) {
    let texts = FindingText(finding, labels: labels)
    open("i", lane, time)
    let pairs = JSON.object(texts.pairs.map { ($0.0, .string($0.1)) })
    bytes.put(
      ",\"s\":\"p\",\"cat\":\"\(texts.outcome)\",\"name\":\(JSON.string(texts.title).text),"
        + "\"args\":\(pairs.text)}"
    )
  }

  /// An instant over all processes, at the begin: what is gone has no time.
  package mutating func damage(_ file: String, _ problem: String) {
    separate()
    let pairs = JSON.object([("file", .string(file))])
    bytes.put(
      "{\"ph\":\"i\",\"pid\":0,\"tid\":0,\"ts\":0,\"s\":\"g\",\"cat\":\"damage\","
        + "\"name\":\(JSON.string("damaged: \(problem)").text),\"args\":\(pairs.text)}"
    )
  }

  // MARK: Parts

  private mutating func separate() {
    if !isFirst { bytes.put(",\n") }
    isFirst = false
  }

  private mutating func open(_ phase: String, _ lane: Lane.ID, _ time: Int64) {
    separate()
    let (whole, rest) = max(0, time).quotientAndRemainder(dividingBy: 1_000)
    bytes.put("{\"ph\":\"")
    bytes.put(phase)
    bytes.put("\",")
    bytes.put(places[Int(lane)])
    bytes.put {
      JSON.put(",\"ts\":", to: &$0)
      JSON.put(whole, to: &$0)
      guard rest > 0 else { return }
      $0.append(UInt8(ascii: "."))
      for unit: Int64 in [100, 10, 1] {
        $0.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit % 10))
      }
    }
  }

  private mutating func put(_ title: Title, _ event: borrowing Event, _ names: borrowing Names) {
    let text: String
    if let known = titles[title] {
      text = known
    } else {
      text =
        ",\"cat\":\"\(event.kind.family.word)\",\"name\":"
        + JSON.string(title.text(copy names, labels: labels)).text
      titles[title] = text
    }
    bytes.put(text)
  }

  /// What the event carries, by name, and its number.
  private mutating func putArguments(_ event: borrowing Event, _ names: borrowing Names) {
    var pairs: [(String, JSON)] = [("event", JSON(event.sequence))]
    if let place = SourcePlace(event.site, names) { pairs.append(("source", .string("\(place)"))) }
    pairs += EventJSON.values(copy event, copy names).filter {
      $0.0 != "event" && $0.0 != "source"
    }
    if event.flags.contains(.late) { pairs.append(("late", .bool(true))) }
    if event.flags.contains(.inferred) { pairs.append(("inferred", .bool(true))) }
    if event.observerCode != 0 { pairs.append(("by", .string(event.observer.word))) }
    bytes.put {
      JSON.put(",\"args\":", to: &$0)
      JSON.write(pairs, to: &$0)
      $0.append(UInt8(ascii: "}"))
    }
  }
}
