// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

/// A request of OTLP over HTTP, as far as an answer depends on it.
package struct OTLPRequest: Sendable {
  /// Such as `POST`.
  package var method: String
  /// Without a query.
  package var path: String
  /// Of the body; empty where the header is missing.
  package var contentType: String
  /// Empty where the header is missing.
  package var contentEncoding: String
  package var body: [UInt8]

  package init(
    method: String = "POST",
    path: String,
    contentType: String,
    contentEncoding: String = "",
    body: [UInt8]
  ) {
    self.method = method
    self.path = path
    self.contentType = contentType
    self.contentEncoding = contentEncoding
    self.body = body
  }
}

/// What is answered to it, in the form that it came in (https://opentelemetry.io/docs/specs/otlp).
///
/// A sender repeats none of what is refused: all codes but 200 say that the same bytes would be refused again.
package struct OTLPAnswer: Hashable, Sendable {
  /// A code of HTTP.
  package let status: Int
  /// Its phrase.
  package let reason: String
  /// Of the body.
  package let contentType: String
  package let body: [UInt8]

  /// What was sent.
  package enum Signal: String, CaseIterable, Sendable {
    case spans = "/v1/traces"
    case logs = "/v1/logs"
  }

  /// Why nothing was taken of a request.
  package enum Refusal: Int, Sendable {
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case tooLarge = 413
    case unsupported = 415

    var reason: String {
      switch self {
      case .badRequest: "Bad Request"
      case .notFound: "Not Found"
      case .methodNotAllowed: "Method Not Allowed"
      case .tooLarge: "Content Too Large"
      case .unsupported: "Unsupported Media Type"
      }
    }

    /// The code of `google.rpc.Status`, which the body is.
    fileprivate var code: Int {
      switch self {
      case .badRequest, .unsupported: 3
      case .notFound: 5
      case .tooLarge: 8
      case .methodNotAllowed: 12
      }
    }
  }

  private init(_ status: Int, _ reason: String, _ form: OTLPBatch.Form, _ fields: [Field]) {
    (self.status, self.reason) = (status, reason)
    switch form {
    case .protobuf:
      contentType = "application/x-protobuf"
      body = Field.wire(fields)
    case .json:
      contentType = "application/json"
      body = Array(Field.json(fields).text.utf8)
    }
  }

  /// Nothing was taken, and why.
  init(refusing refusal: Refusal, _ why: String, in form: OTLPBatch.Form) {
    self.init(
      refusal.rawValue,
      refusal.reason,
      form,
      [Field(1, "code", .number(refusal.code)), Field(2, "message", .text(why))]
    )
  }

  /// All was taken but so many records, for which there is a reason.
  init(taking signal: Signal, but refused: Int, _ why: String, in form: OTLPBatch.Form) {
    let count = signal == .spans ? "rejectedSpans" : "rejectedLogRecords"
    let partial = [Field(1, count, .long(refused)), Field(2, "errorMessage", .text(why))]
    self.init(200, "OK", form, refused == 0 ? [] : [Field(1, "partialSuccess", .message(partial))])
  }

  /// A field of an answer, by its number in protobuf and its key in JSON.
  private struct Field {
    indirect enum Value {
      case number(Int)
      /// 64 bits, which are a text in JSON.
      case long(Int)
      case text(String)
      case message([Field])
    }

    let number: UInt8
    let key: String
    let value: Value

    init(_ number: UInt8, _ key: String, _ value: Value) {
      (self.number, self.key, self.value) = (number, key, value)
    }

    static func json(_ fields: [Field]) -> JSON {
      .object(
        fields.map { field in
          switch field.value {
          case .number(let number): (field.key, .int(Int64(number)))
          case .long(let number): (field.key, .string("\(number)"))
          case .text(let text): (field.key, .string(text))
          case .message(let fields): (field.key, json(fields))
          }
        }
      )
    }

    static func wire(_ fields: [Field]) -> [UInt8] {
      fields.flatMap { field -> [UInt8] in
        switch field.value {
        case .number(let number), .long(let number): [field.number << 3] + varint(number)
        case .text(let text): lengthed(field.number, Array(text.utf8))
        case .message(let fields): lengthed(field.number, wire(fields))
        }
      }
    }

    private static func lengthed(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
      [number << 3 | 2] + varint(bytes.count) + bytes
    }

    private static func varint(_ value: Int) -> [UInt8] {
      var (bytes, rest) = ([UInt8](), UInt64(bitPattern: Int64(value)))
      while rest > 0x7f {
        bytes.append(UInt8(rest & 0x7f) | 0x80)
        rest >>= 7
      }
      return bytes + [UInt8(rest)]
    }
  }
}
