// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace
public import Tracing

/// A backend of swift-distributed-tracing that emits events of lifetrace.
///
///     InstrumentationSystem.bootstrap(LifetraceTracer())
///
/// A span is work, with its name and the line that started it. What a context is injected into is a message
/// that leaves; what one is extracted from is a message that has arrived: both carry a `traceparent` and a
/// `tracestate` of the W3C, so requests are followed over processes and machines, and to peers with
/// OpenTelemetry. Where no recorder listens a span costs a lock and an object, and a trace that came in goes on.
///
/// Times are those of the calls: an instant that is given to a span, or to what happens in it, is not used.
public struct LifetraceTracer: Tracer {
  /// A tracer has no state: spans and contexts do.
  public init() {}

  /// Begins work of that name.
  public func startSpan<Instant: TracerInstant>(
    _ operationName: String,
    context: @autoclosure () -> ServiceContext,
    ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant,
    function: String,
    file fileID: String,
    line: UInt
  ) -> LifetraceSpan {
    LifetraceSpan(operationName, within: context(), kind, file: fileID, line: line)
  }

  /// Does nothing: an event is safe when its call returns, whatever becomes of the process then.
  public func forceFlush() {}

  /// A message leaves, in the course of what `context` carries: its headers go into `carrier`.
  public func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext,
    into carrier: inout Carrier,
    using injector: Inject
  ) where Inject.Carrier == Carrier {
    let request = context.request
    let sent = Lifetrace.send(
      to: request?.state?.peer ?? .none,
      bytes: 0,
      within: request?.cause,
      file: "",
      line: 0
    )
    request?.state?.hasSent(sent)
    sent.inject { name, value in injector.inject(value, forKey: name, into: &carrier) }
  }

  /// A message has arrived: what its headers say goes into `context`.
  ///
  /// Headers that break the rules of the W3C are as none.
  public func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier,
    into context: inout ServiceContext,
    using extractor: Extract
  ) where Extract.Carrier == Carrier {
    let came = try? Lifetrace.MessageContext.extract { extractor.extract(key: $0, from: carrier) }
    guard let came else { return }
    Lifetrace.receive(came, from: .none, bytes: 0, file: "", line: 0)
    context.request = Request(cause: came, state: nil)
  }
}

/// What a context carries of a request.
struct Request: Sendable {
  /// What came in and led here; a trace alone where nothing did.
  var cause: Lifetrace.MessageContext
  /// That of the span that the context is of; nil behind an extraction.
  var state: SpanState?

  /// A request that begins here.
  static func beginning() -> Request {
    guard Lifetrace.isEnabled else { return Request(cause: .none, state: nil) }
    let trace = Lifetrace.MessageContext(
      traceHigh: .random(in: 1 ... .max),
      traceLow: .random(in: 1 ... .max),
      flow: 0,
      clock: 0
    )
    return Request(cause: trace, state: nil)
  }
}

private enum RequestKey: ServiceContextKey {
  typealias Value = Request
}

extension ServiceContext {
  var request: Request? {
    get { self[RequestKey.self] }
    set { self[RequestKey.self] = newValue }
  }
}
