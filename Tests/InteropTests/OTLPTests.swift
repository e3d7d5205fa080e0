// SPDX-License-Identifier: Apache-2.0
import LifetraceInterop
import LifetraceOTLP
import LifetraceTimeline
import LifetraceTrace
import Testing

/// What SDKs of OpenTelemetry send, made into a recording.
@Suite struct OTLPTests {
  /// A client and a server that says to be an hour ahead, in JSON.
  private static func spans(_ host: String, _ spans: String) -> String {
    """
    {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"\(host)"}},
    {"key":"host.name","value":{"stringValue":"\(host)"}},{"key":"process.pid","value":{"intValue":"7"}}]},
    "scopeSpans":[{"scope":{"name":"s"},"spans":[\(spans)]}]}]}
    """
  }

  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let client = spans(
    "phone",
    """
    {"traceId":"\(trace)","spanId":"b7ad6b7169203331","name":"GET /","kind":3,
    "startTimeUnixNano":"1000000000","endTimeUnixNano":"1010000000"}
    """
  )
  private static let server = spans(
    "server",
    """
    {"traceId":"\(trace)","spanId":"00f067aa0ba902b7","parentSpanId":"b7ad6b7169203331","name":"GET /",
    "kind":2,"startTimeUnixNano":"3601004000000","endTimeUnixNano":"3601006000000",
    "attributes":[{"key":"code.file.path","value":{"stringValue":"a.swift"}},
    {"key":"code.line.number","value":{"intValue":"9"}}]}
    """
  )

  private func story(_ texts: [String]) throws -> Story {
    var made = OTLPStory()
    for text in texts { made.add(try OTLPBatch(Array(text.utf8))) }
    return made.story
  }

  @Test func aClientAndAServerBoundEachOthersClocks() throws {
    let story = try story([Self.client, Self.server])
    #expect(story.writers.map(\.label) == ["phone#1", "server#1"])
    #expect(story.writers[1].attributes.host == "server" && story.writers[1].attributes.pid == 7)
    #expect(
      story.writers[0].events.map(\.kind)
        == [.workBegin, .messageTrace, .messageSend, .messageReceive, .messageTrace, .workEnd]
    )
    #expect(
      story.writers[1].events.map(\.kind)
        == [.messageReceive, .messageTrace, .workBegin, .messageTrace, .messageSend, .workEnd]
    )
    let flow: UInt64 = 0xb7ad_6b71_6920_3331
    #expect(story.writers[0].events[2].identity == flow)
    #expect(
      story.writers[1].events[0].identity == flow && story.writers[1].events[4].identity == ~flow
    )
    let timeline = Timeline(story.source)
    let alignment = timeline.alignment
    #expect(alignment.clockCount == 2 && alignment.isOneAxis)
    let received = story.writers[1].events[0].time
    let (client, server) = (StreamID(rawValue: 0), StreamID(rawValue: 1))
    let interval = alignment.recording.interval(received, of: server, on: client)
    // 4 ms of the round trip are in the server: what is left on both ways is 8 of 10 ms.
    let width = try #require(interval.width)
    #expect(width <= 8_100_000 && width > 0)
  }

  @Test func whatIsOnlyInOneTraceIsNotAnswered() throws {
    let story = try story([Self.client])
    #expect(
      story.writers[0].events.map(\.kind) == [.workBegin, .messageTrace, .messageSend, .workEnd]
    )
  }

  @Test func statesAreLogRecords() throws {
    func record(_ time: Int, _ key: String, _ state: String, _ name: String) -> String {
      """
      {"timeUnixNano":"\(time)","body":{},\(name)"attributes":[{"key":"\(key)","value":{"stringValue":"\(state)"}},
      {"key":"event.name","value":{"stringValue":"device.app.lifecycle"}}]}
      """
    }
    let records = [
      record(1, "ios.app.state", "created", "\"eventName\":\"device.app.lifecycle\","),
      record(2, "ios.app.state", "active", "\"eventName\":\"device.app.lifecycle\","),
      record(3, "ios.state", "background", ""), record(4, "android.app.state", "foreground", ""),
      record(5, "ios.app.state", "terminate", ""),
      #"{"timeUnixNano":"6","severityNumber":17,"body":{"stringValue":"it broke"}}"#,
    ]
    let text = """
      {"resourceLogs":[{"scopeLogs":[{"logRecords":[\(records.joined(separator: ","))]}]}]}
      """
    let writer = try #require(try story([text]).writers.first)
    #expect(writer.attributes.role == .app && writer.attributes.app == "unknown_service")
    #expect(
      writer.events.map(\.kind)
        == [
          .processStart, .transition, .transition, .transition, .transition, .transition,
          .processExit,
          .log,
        ]
    )
    let to = writer.events.filter { $0.kind == .transition }.map { Payload.Transition($0).to.value }
    #expect(to == [.inactive, .active, .inactive, .background, .inactive])
    #expect(writer.events[1].flags == .inferred && writer.events[2].flags == [])
  }

  // MARK: Protobuf

  private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    precondition(bytes.count < 1 << 14)
    return [number << 3 | 2, UInt8(bytes.count & 0x7f) | 0x80, UInt8(bytes.count >> 7)] + bytes
  }

  private static func fixed(_ number: UInt8, _ value: UInt64) -> [UInt8] {
    [number << 3 | 1] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func pair(_ key: String, _ text: String) -> [UInt8] {
    field(1, field(1, Array(key.utf8)) + field(2, field(1, Array(text.utf8))))
  }

  /// The client, as protobuf.
  private static let wire: [UInt8] = {
    let trace: [UInt8] = [
      0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31,
      0x9c,
    ]
    let id: [UInt8] = [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31]
    let pid = field(1, field(1, Array("process.pid".utf8)) + field(2, [3 << 3, 7]))
    let resource = pair("service.name", "phone") + pair("host.name", "phone") + pid
    let times = fixed(7, 1_000_000_000) + fixed(8, 1_010_000_000)
    let span = field(1, trace) + field(2, id) + field(5, Array("GET /".utf8)) + [6 << 3, 3] + times
    return field(1, field(1, resource) + field(2, field(2, span)))
  }()

  @Test func protobufSaysTheSameAsJSON() throws {
    var made = OTLPStory()
    made.add(try OTLPBatch(Self.wire))
    let (one, other) = (made.story, try story([Self.client]))
    #expect(one.writers.map(\.id) == other.writers.map(\.id))
    func said(_ story: Story) -> [String] {
      story.writers.flatMap(\.events).map {
        "\($0.time.rawValue) \($0.kind) \($0.identity) \($0.arguments)"
      }
    }
    #expect(said(one) == said(other))
    #expect(one.names.strings == other.names.strings)
  }

  @Test func protobufThatIsCutAnywhereIsRefusedOrShort() {
    for count in 0..<Self.wire.count {
      if let batch = try? OTLPBatch(Array(Self.wire.prefix(count))) { #expect(batch.isEmpty) }
    }
  }

  @Test func depthHasALimit() {
    var value: [UInt8] = Self.field(1, [0x78])
    for _ in 0..<40 { value = Self.field(5, Self.field(1, value)) }
    let attribute = Self.field(1, Self.field(1, [0x61]) + Self.field(2, value))
    let bytes = Self.field(1, Self.field(1, attribute))
    let error = #expect(throws: OTLPError.self) { try OTLPBatch(bytes) }
    #expect(error?.description == "messages lie in each other more than 32 deep")
  }

  @Test func attributesHaveALimit() throws {
    let pairs = (0..<200).map { #"{"key":"k\#($0)","value":{"boolValue":true}}"# }
    let text = Self.spans(
      "a",
      #"{"traceId":"\#(Self.trace)","spanId":"00f067aa0ba902b7","attributes":[\#(pairs.joined(separator: ","))]}"#
    )
    #expect(try OTLPBatch(Array(text.utf8)).attributesLeftOut == 72)
  }

  @Test(arguments: ["{", "[", "nonsense", "{}\n{", "\u{1f}\u{8b}"])
  func whatIsNoBatchIsRefusedOrEmpty(text: String) {
    if let batch = try? OTLPBatch(Array(text.utf8)) { #expect(batch.isEmpty) }
  }

  // MARK: gzip

  /// `{"resourceSpans":[]}` 200 times, by Python's gzip.
  private static let often: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc8, 0xb1, 0x0d, 0x00,
    0x20, 0x08, 0x00, 0xc1, 0x5d, 0x18, 0xc3, 0x35, 0x2c, 0x8d, 0x85, 0x31, 0xb4, 0x6a, 0x20,
    0x56, 0xc4, 0xdd, 0xd9, 0xc2, 0xea, 0xaf, 0xbc, 0x10, 0x53, 0xdf, 0xd7, 0xa6, 0xd6, 0x33,
    0x96, 0x4b, 0x69, 0xfd, 0x05, 0xc7, 0x71, 0x1c, 0xc7, 0x71, 0x1c, 0xc7, 0x71, 0x1c, 0xc7,
    0x71, 0x5f, 0x2f, 0x01, 0xee, 0x3c, 0x03, 0x3f, 0xa0, 0x0f, 0x00, 0x00,
  ]

  /// A sentence, in a code of its own.
  private static let once: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x25, 0x8d, 0x31, 0x0e, 0xc2,
    0x30, 0x0c, 0x45, 0xaf, 0xf2, 0x95, 0xb9, 0x27, 0x68, 0x67, 0x36, 0x36, 0x46, 0xc4, 0x10,
    0xa5, 0xa6, 0x89, 0x48, 0xe3, 0x2a, 0x76, 0x54, 0x10, 0xe2, 0xee, 0x38, 0xed, 0xf2, 0xf5,
    0xbe, 0xfd, 0x64, 0x7f, 0x5d, 0x25, 0xe1, 0x56, 0x03, 0x5d, 0x79, 0x11, 0x37, 0xe2, 0xfe,
    0x18, 0xe0, 0x84, 0x57, 0x32, 0x76, 0x4a, 0x6f, 0x85, 0x46, 0xaf, 0x88, 0x5e, 0x0c, 0x08,
    0x4d, 0x9a, 0xcf, 0xc8, 0xa4, 0x4a, 0x55, 0xc0, 0x4f, 0x5c, 0xca, 0x92, 0x93, 0x44, 0xa4,
    0x82, 0xa4, 0x03, 0x84, 0x4f, 0xdf, 0x23, 0xf0, 0x4c, 0x5d, 0x48, 0x6a, 0xde, 0x5e, 0xb0,
    0xf9, 0x8f, 0x8c, 0xc7, 0x8d, 0xea, 0xbb, 0x5c, 0x70, 0xdb, 0x3a, 0x88, 0xda, 0x02, 0xab,
    0x61, 0xfe, 0xf4, 0x69, 0x37, 0xb6, 0x6c, 0x75, 0x82, 0x18, 0x0a, 0xe5, 0x2c, 0x96, 0xbe,
    0xb7, 0x8e, 0x7c, 0x2a, 0xe7, 0x84, 0x2b, 0x4d, 0x88, 0xbc, 0x63, 0x6d, 0x21, 0x62, 0x67,
    0x9e, 0x2d, 0x5a, 0x9e, 0xed, 0x7f, 0x2f, 0x21, 0xb6, 0xf0, 0xc2, 0x91, 0xee, 0xf7, 0x07,
    0x0a, 0x24, 0x23, 0x9a, 0xeb, 0x00, 0x00, 0x00,
  ]

  @Test func gzipIsInflated() throws {
    let text = String(repeating: "{\"resourceSpans\":[]}", count: 200)
    #expect(try Gunzip.inflate(Self.often, bytesMax: 4_000, ratioMax: 100) == Array(text.utf8))
    let once = String(
      decoding: try Gunzip.inflate(Self.once, bytesMax: 4_000, ratioMax: 100),
      as: UTF8.self
    )
    #expect(once.hasPrefix("{\"resourceLogs\"") && once.hasSuffix("woodchuck chuck\"}"))
    #expect(
      try Gunzip.inflate(Self.often + Self.once, bytesMax: 9_000, ratioMax: 100).count == 4_000
        + once.utf8.count
    )
  }

  @Test func gzipHasLimits() {
    #expect(throws: Gunzip.Problem.tooLong(bytesMax: 3_999)) {
      try Gunzip.inflate(Self.often, bytesMax: 3_999, ratioMax: 100)
    }
    #expect(throws: Gunzip.Problem.tooLong(bytesMax: Self.often.count)) {
      try Gunzip.inflate(Self.often, bytesMax: 4_000, ratioMax: 1)
    }
  }

  @Test func gzipThatIsCutAnywhereIsRefused() {
    for bytes in [Self.often, Self.once] {
      for count in 0..<bytes.count {
        #expect(throws: Gunzip.Problem.self) {
          try Gunzip.inflate(Array(bytes.prefix(count)), bytesMax: 9_000, ratioMax: 1_000)
        }
      }
    }
  }

  @Test func gzipThatIsDamagedAnywhereNeverCrashes() {
    for bytes in [Self.often, Self.once] {
      for bit in 0..<bytes.count * 8 {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << (bit % 8)
        let found = try? Gunzip.inflate(damaged, bytesMax: 9_000, ratioMax: 1_000)
        #expect((found?.count ?? 0) <= 9_000)
      }
    }
  }
}
