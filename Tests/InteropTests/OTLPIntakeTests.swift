// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON
import LifetraceOTLP
import Testing

/// What is answered to requests of OTLP over HTTP, and what is kept of them.
@Suite struct OTLPIntakeTests {
  /// Keeps in memory; says why not, where it is to.
  private final class Kept {
    var batches: [[UInt8]] = []
    var why: String?
  }

  private static func json(_ spanID: String) -> String {
    """
    {"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",
    "spanId":"\(spanID)","name":"GET"},{"traceId":"","spanId":"00f067aa0ba902b7"}]}]}]}
    """
  }

  private func answer(
    _ body: [UInt8],
    _ path: String = "/v1/traces",
    method: String = "POST",
    type: String = "application/json",
    encoding: String = "",
    into kept: Kept = Kept()
  ) -> OTLPAnswer {
    let intake = OTLPIntake { bytes, _ in
      kept.batches.append(bytes)
      return kept.why
    }
    return intake.answer(
      OTLPRequest(
        method: method,
        path: path,
        contentType: type,
        contentEncoding: encoding,
        body: body
      )
    )
  }

  private func text(_ answer: OTLPAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

  @Test func aBatchIsKeptAndAnsweredInItsForm() {
    let (kept, body) = (
      Kept(), Array(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}"#.utf8)
    )
    let json = answer(body, "/v1/logs", type: "Application/JSON; charset=utf-8", into: kept)
    #expect(json.status == 200 && json.contentType == "application/json" && text(json) == "{}")
    #expect(kept.batches == [body])
    let wire = answer([], type: "application/x-protobuf", into: kept)
    #expect(wire.status == 200 && wire.contentType == "application/x-protobuf" && wire.body.isEmpty)
    #expect(kept.batches.count == 1, "a batch that holds nothing is none")
  }

  @Test func spansWithoutAnIdAreRefusedAndTheOthersTaken() throws {
    let kept = Kept()
    let said = answer(Array(Self.json("00f067aa0ba902b7").utf8), into: kept)
    #expect(
      text(said) == #"{"partialSuccess":{"rejectedSpans":"1","errorMessage":"#
        + #""a span needs the id of a trace and one of its own"}}"#
    )
    #expect(kept.batches.count == 1)
    // The same as protobuf: a trace of zeros, and no id.
    let span: [UInt8] = [0x0a, 16] + Array(repeating: 0, count: 16)
    let body = [0x0a, 22, 0x12, 20, 0x12, 18].map { UInt8($0) } + span
    let wire = answer(body, type: "application/x-protobuf", into: kept)
    let why = Array("a span needs the id of a trace and one of its own".utf8)
    let partial: [UInt8] = [0x08, 1, 0x12, UInt8(why.count)] + why
    #expect(wire.status == 200 && wire.body == [0x0a, UInt8(partial.count)] + partial)
    #expect(kept.batches.count == 1, "nothing was left of it")
  }

  @Test func whereThereIsNoRoomAllIsRefused() {
    let kept = Kept()
    kept.why = "no room"
    let said = answer(Array(Self.json("00f067aa0ba902b7").utf8), into: kept)
    #expect(said.status == 200, "a sender is not to send it again")
    #expect(
      text(said) == #"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no room"}}"#
    )
  }

  private static let refused: [(String, String, String, String, String, Int, String)] = [
    ("{", "/v1/traces", "POST", "application/json", "", 400, "not a batch of OTLP: byte 2: "),
    ("[]", "/v1/traces", "POST", "application/json", "", 400, "JSON, but no object"),
    ("{}\n{}", "/v1/traces", "POST", "application/json", "", 400, "byte 4: "),
    ("x", "/v1/logs", "POST", "application/json", "gzip", 400, "goes on as something else"),
    ("{}", "/v1/metrics", "POST", "application/json", "", 404, "OTEL_METRICS_EXPORTER=none"),
    ("{}", "/", "POST", "text/html", "", 404, "spans go to /v1/traces"),
    ("{}", "/v1/logs", "PUT", "application/json", "", 405, "/v1/logs takes POST"),
    ("{}", "/v1/logs", "POST", "text/html", "", 415, #"is \"text/html\": application/x-protobuf"#),
    ("{}", "/v1/logs", "POST", "", "", 415, "the Content-Type is missing"),
    ("{}", "/v1/logs", "POST", "application/json", "br", 415, #"is \"br\": gzip or none"#),
  ]

  @Test(arguments: refused)
  func whatIsWrongIsSaid(
    body: String,
    path: String,
    method: String,
    type: String,
    encoding: String,
    status: Int,
    words: String
  ) throws {
    let kept = Kept()
    let said = answer(
      Array(body.utf8),
      path,
      method: method,
      type: type,
      encoding: encoding,
      into: kept
    )
    #expect(said.status == status && said.contentType == "application/json")
    #expect(text(said).contains(words), "\(text(said))")
    #expect(try JSON(parsing: said.body)["code"]?.int != nil)
    #expect(kept.batches.isEmpty)
  }

  @Test func aRefusalOfProtobufIsAStatus() {
    let said = answer([0xff], type: "application/x-protobuf")
    #expect(said.status == 400 && said.body.starts(with: [0x08, 3, 0x12]))
    #expect(text(said).contains("not a batch of OTLP: byte 0: "))
  }

  @Test func bodiesHaveALimit() {
    let long = answer(
      Array(repeating: 0, count: OTLPLimits.bodyBytesMax + 1),
      type: "application/x-protobuf"
    )
    #expect(long.status == 413 && text(long).contains("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"))
    // 100,000 zeros by Python's gzip: more than 100 times as many as came.
    let bomb: [UInt8] =
      [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed]
      + [0xc1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f]
      + Array(repeating: 0, count: 0) + [
        0x6d, 0x0d, 0x0f, 0xa0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x57, 0x03, 0x7d, 0x95,
        0x11, 0xd4, 0xa0, 0x86, 0x01, 0x00,
      ]
    let bombed = answer(bomb, type: "application/x-protobuf", encoding: "gzip")
    #expect(bombed.status == 413, "\(text(bombed))")
    #expect(text(bombed).contains("what gzip has compressed is longer than the 13200 bytes"))
  }

  @Test func aBatchOf123BytesIsProtobufAllTheSame() throws {
    // A line feed and a brace to begin with: the field of the spans, and its length.
    let name = Array(repeating: UInt8(ascii: "n"), count: 89)
    let span: [UInt8] =
      [0x0a, 16] + Array(repeating: 1, count: 16) + [0x12, 8] + Array(repeating: 2, count: 8)
      + [0x2a, 89] + name
    let scope = [0x12, UInt8(span.count)] + span
    let resource = [0x12, UInt8(scope.count)] + scope
    let body = [0x0a, UInt8(resource.count)] + resource
    #expect(body.starts(with: Array("\n{".utf8)), "\(resource.count)")
    #expect(try OTLPBatch(body).records == 1)
  }
}
