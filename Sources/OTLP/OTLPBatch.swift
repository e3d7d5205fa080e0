// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// What an SDK of OpenTelemetry sends at once: spans and log records, by the process that they are of.
///
///     let batch = try OTLPBatch(bytes)
///
/// Protobuf and JSON, spans and logs, compressed or not, are told from each other by what they hold.
package struct OTLPBatch: Sendable {
  /// A process, and what it sent.
  package struct Resource: Sendable {
    var attributes: [(key: String, value: JSON)] = []
    var spans: [Span] = []
    var logs: [Log] = []
  }

  struct Span: Sendable {
    var trace: (high: UInt64, low: UInt64)
    var id: UInt64
    var parent: UInt64
    var name: String
    var kind: UInt64
    var start: Int64
    var end: Int64
    var attributes: [(key: String, value: JSON)]
    var events: [Log]
    /// The spans of messages that it is about.
    var links: [UInt64]
  }

  /// A log record, or an event of a span.
  struct Log: Sendable {
    var time: Int64
    var name: String
    var severity: UInt64
    var body: String
    var attributes: [(key: String, value: JSON)]
  }

  /// In the order in which they came.
  package internal(set) var resources: [Resource] = []
  /// Attributes above the limit of a record.
  package private(set) var attributesLeftOut = 0
  /// Spans without the id of a trace, or of their own: nothing could be tied to them.
  package private(set) var spansRefused = 0

  /// Spans and log records.
  package var records: Int { resources.reduce(0) { $0 + $1.spans.count + $1.logs.count } }

  /// Whether it says nothing.
  package var isEmpty: Bool { resources.allSatisfy { $0.spans.isEmpty && $0.logs.isEmpty } }

  /// What a batch is written in.
  package enum Form: CaseIterable, Sendable {
    case protobuf
    case json
  }

  /// Reads a batch of that form, which is not compressed.
  ///
  /// - Throws: ``OTLPError``.
  package init(_ bytes: [UInt8], as form: Form) throws(OTLPError) {
    switch form {
    case .protobuf: try read(WireMessage(bytes))
    case .json:
      let json: JSON
      do throws(JSONError) {
        json = try JSON(parsing: bytes, bytesMax: max(bytes.count, 1))
      } catch {
        throw OTLPError("byte \(error.byte + 1): \(error.problem)")
      }
      guard case .members = json else { throw OTLPError("JSON, but no object") }
      try read(json)
    }
  }

  /// Reads a batch; `inflatedBytesMax` is for one that is compressed.
  ///
  /// - Throws: ``OTLPError``.
  package init(_ bytes: [UInt8], inflatedBytesMax: Int = OTLPLimits.inflatedBytesMax)
    throws(OTLPError)
  {
    var bytes = bytes
    if Gunzip.begins(bytes) {
      do throws(Gunzip.Problem) {
        bytes = try Gunzip.inflate(
          bytes,
          bytesMax: inflatedBytesMax,
          ratioMax: OTLPLimits.ratioMax
        )
      } catch {
        throw OTLPError("what gzip has compressed \(error.words)")
      }
    }
    guard let first = bytes.first(where: { !" \t\r\n".utf8.contains($0) }) else { return }
    guard first == UInt8(ascii: "{") else {
      try read(WireMessage(bytes))
      return
    }
    do throws(OTLPError) {
      try read(json: bytes)
    } catch {
      // A line feed and a brace are a field of 123 bytes, too.
      guard bytes[0] == 0x0a, let wire = try? WireMessage(bytes) else { throw error }
      try read(wire)
    }
  }

  /// A batch, or lines of them, as collectors write files.
  private mutating func read(json bytes: [UInt8]) throws(OTLPError) {
    if let whole = try? JSON(parsing: bytes, bytesMax: max(bytes.count, 1)) {
      return try read(whole)
    }
    for (number, line) in bytes.split(separator: 0x0a).enumerated() {
      let json: JSON
      do throws(JSONError) {
        json = try JSON(parsing: line, bytesMax: max(line.count, 1))
      } catch {
        throw OTLPError("line \(number + 1), byte \(error.byte + 1): \(error.problem)")
      }
      try read(json)
    }
  }

  private mutating func read(_ batch: some OTLPFields) throws(OTLPError) {
    // Field 1 of protobuf is either; what its records hold tells which.
    for (key, scoped, records) in [
      ("resourceSpans", "scopeSpans", "spans"), ("resourceLogs", "scopeLogs", "logRecords"),
    ] {
      for one in try batch.messages(1, key) {
        var resource = Resource()
        for about in try one.messages(1, "resource") {
          resource.attributes += try attributes(about, 1)
        }
        for scope in try one.messages(2, scoped) {
          for record in try scope.messages(2, records) {
            if isSpan(record, key) {
              let span = try span(record)
              if span.trace != (0, 0), span.id != 0 {
                resource.spans.append(span)
              } else {
                spansRefused += 1
              }
            } else {
              resource.logs.append(try log(record))
            }
          }
        }
        resources.append(resource)
      }
      // Protobuf has no keys: one look is enough.
      if batch is WireMessage { return }
    }
  }

  /// A span begins with ids, which are bytes, a log record with numbers.
  private func isSpan(_ record: some OTLPFields, _ key: String) -> Bool {
    guard let wire = record as? WireMessage else { return key == "resourceSpans" }
    return wire.hasBytes(1) || wire.hasBytes(2)
  }

  private mutating func attributes(_ record: some OTLPFields, _ number: UInt64) throws(OTLPError)
    -> [(key: String, value: JSON)]
  {
    let (pairs, leftOut) = try record.attributes(number)
    attributesLeftOut += leftOut
    return pairs.map { (key: $0.0, value: $0.1) }
  }

  private mutating func span(_ record: some OTLPFields) throws(OTLPError) -> Span {
    var events: [Log] = []
    for event in try record.messages(11, "events") {
      events.append(
        Log(
          time: Int64(clamping: try event.number(1, "timeUnixNano")),
          name: try event.text(2, "name"),
          severity: 0,
          body: "",
          attributes: try attributes(event, 3)
        )
      )
    }
    var links: [UInt64] = []
    for link in try record.messages(13, "links").prefix(OTLPLimits.attributesMax) {
      links.append(try link.id(2, "spanId").low)
    }
    return Span(
      trace: try record.id(1, "traceId"),
      id: try record.id(2, "spanId").low,
      parent: try record.id(4, "parentSpanId").low,
      name: try record.text(5, "name"),
      kind: try record.number(6, "kind"),
      start: Int64(clamping: try record.number(7, "startTimeUnixNano")),
      end: Int64(clamping: try record.number(8, "endTimeUnixNano")),
      attributes: try attributes(record, 9),
      events: events,
      links: links
    )
  }

  private mutating func log(_ record: some OTLPFields) throws(OTLPError) -> Log {
    let attributes = try attributes(record, 6)
    let time = try record.number(1, "timeUnixNano")
    let body = try record.messages(5, "body").first?.any()
    var name = try record.text(12, "eventName")
    // As SDKs did before there was a field for it.
    if name.isEmpty { name = attributes.first { $0.key == "event.name" }?.value.string ?? "" }
    return Log(
      time: Int64(clamping: time == 0 ? try record.number(11, "observedTimeUnixNano") : time),
      name: name,
      severity: try record.number(2, "severityNumber"),
      body: body.map { $0 == .null ? "" : $0.string ?? $0.text } ?? "",
      attributes: attributes
    )
  }
}

extension Gunzip.Problem {
  /// Behind "what gzip has compressed".
  var words: String {
    switch self {
    case .notGzip: "goes on as something else"
    case .cut: "ends too early"
    case .damaged: "is damaged"
    case .tooLong(let bytesMax): "is longer than the \(bytesMax) bytes that are allowed for it"
    }
  }
}
