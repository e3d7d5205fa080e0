// SPDX-License-Identifier: Apache-2.0
import Lifetrace
import LifetraceTracing
import Logging
import Tracing

// What the tests record: one request with both of its ends here, or lines of a log.

/// Headers as a dictionary.
struct Headers: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    carrier[key] = value
  }

  func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
}

struct Refusal: Error, CustomStringConvertible { let description: String }

let tracer = LifetraceTracer()
let trace = "0af7651916cd43dd8448eb211c80319c"

func send(to peer: String, status: Int64?) -> [String: String] {
  var headers: [String: String] = [:]
  tracer.withSpan("GET", ofKind: .client) { span in
    span.attributes["server.address"] = peer
    tracer.inject(span.context, into: &headers, using: Headers())
    if let status { span.attributes["http.status_code"] = SpanAttribute.int64(status) }
  }
  return headers
}

func serve(_ headers: [String: String], _ body: () -> Void = {}) {
  var context = ServiceContext.topLevel
  tracer.extract(headers, into: &context, using: Headers())
  let span = tracer.startSpan("route not found", context: context, ofKind: .server)
  ServiceContext.withValue(span.context, operation: body)
  span.operationName = "/orders/{id}"
  span.attributes["http.response.status_code"] = SpanAttribute.int64(200)
  span.attributes["http.response.body.size"] = SpanAttribute.int64(10)
  span.end()
  span.end()
}

/// Prints what goes on from a server that got these headers.
func passOn(_ headers: [String: String]) {
  serve(headers) {
    let sent = send(to: "store", status: nil)
    print(sent["traceparent"] ?? "no traceparent")
    print(sent["tracestate"] ?? "no tracestate")
  }
}

func log(lines: Int) {
  var logger = Logger(label: "shop.orders") { LifetraceLogHandler(label: $0) }
  logger.logLevel = .trace
  logger[metadataKey: "region"] = "eu"
  for level in Logger.Level.allCases {
    logger.log(level: level, "at \(level)", metadata: ["b": "2", "a": "1"])
  }
  for number in 0..<lines {
    logger.info("order \(number) \(String(repeating: "x", count: 100))")
  }
  logger.info("the last one")
  logger.log(level: .info, "at info", metadata: ["b": "2", "a": "1"])
}

switch CommandLine.arguments.dropFirst().first {
case "request":
  tracer.withSpan("buy") { _ in
    serve(send(to: "shop", status: 200)) {
      _ = send(to: "store", status: 503)
      _ = send(to: "mail", status: nil)
    }
  }
case "roots":
  tracer.withSpan("sync") { _ in
    _ = send(to: "one", status: nil)
    _ = send(to: "two", status: nil)
  }
case "foreign":
  passOn(["traceparent": "00-\(trace)-b7ad6b7169203331-01", "tracestate": "rojo=1"])
case "malformed":
  passOn(["traceparent": "00-\(trace)-0000000000000000-01"])
case "failure":
  try? tracer.withSpan("save") { span in
    span.addEvent("retry")
    span.setStatus(SpanStatus(code: .error, message: "disk full"))
    throw Refusal(description: "no room")
  }
case "log": log(lines: 0)
case "flood": log(lines: 20_000)
default: print("which one?")
}
