// SPDX-License-Identifier: Apache-2.0

internal import CLifetrace

extension Lifetrace {
  /// What travels with a message, so that its receive is tied to its send.
  ///
  ///     let sent = Lifetrace.send(to: "server", bytes: body.count)          // in the client
  ///     sent.inject { request.headers[$0] = $1 }
  ///
  ///     let came = try Lifetrace.MessageContext.extract { request.headers[$0] }   // in the server
  ///     Lifetrace.receive(came, from: "client", bytes: body.count)
  ///     let on = Lifetrace.send(to: "store", bytes: 10, within: came)       // in the course of what came
  ///
  /// It is a [trace context of the W3C](https://www.w3.org/TR/trace-context) whose span id is the ``flow``, and
  /// whose tracestate has the ``clock``; so requests of peers with OpenTelemetry are tied too. A message that is
  /// sent again carries the same context, and one context may arrive at several: the first send is before
  /// all of them.
  public struct MessageContext: Hashable, Sendable {
    /// The first half of the trace id: of a request and all that it leads to.
    public var traceHigh: UInt64
    /// The second half.
    public var traceLow: UInt64
    /// A random number of this message; the span id of a traceparent.
    public var flow: UInt64
    /// The sender's hybrid logical clock; 0 where it is not known.
    public var clock: UInt64
    /// The flags of a traceparent: bit 0 says that the request is sampled.
    public var flags: UInt8
    /// The tracestate that came, with what other vendors have put there; it goes on with what is sent within.
    public var state: String

    /// A context of parts that were sent in a form of their own.
    public init(
      traceHigh: UInt64,
      traceLow: UInt64,
      flow: UInt64,
      clock: UInt64,
      flags: UInt8 = 1,
      state: String = ""
    ) {
      self.traceHigh = traceHigh
      self.traceLow = traceLow
      self.flow = flow
      self.clock = clock
      self.flags = flags
      self.state = state
    }

    /// No context: what ``Lifetrace/send(to:bytes:within:file:line:)`` answers where no recorder listens.
    public static let none = MessageContext(traceHigh: 0, traceLow: 0, flow: 0, clock: 0, flags: 0)

    /// Whether it ties nothing: its flow or its trace id is 0.
    public var isNone: Bool { flow == 0 || traceHigh | traceLow == 0 }

    init(_ context: lt_context, state: String) {
      self.init(
        traceHigh: context.trace_high,
        traceLow: context.trace_low,
        flow: context.flow,
        clock: context.clock,
        flags: context.flags,
        state: state
      )
    }

    var inC: lt_context {
      lt_context(
        trace_high: traceHigh,
        trace_low: traceLow,
        flow: flow,
        clock: clock,
        flags: flags
      )
    }
  }
}

// MARK: As text

extension Lifetrace.MessageContext {
  /// What was wrong with a context that came.
  public struct Malformed: Error, Hashable, CustomStringConvertible {
    /// What came.
    public let text: String
    /// What it lacks.
    public let reason: String

    /// A sentence with both.
    public var description: String { "traceparent \"\(text)\": \(reason)" }
  }

  /// Reads the texts of a traceparent and, for the clock and other vendors, a tracestate.
  ///
  /// - Throws: ``Malformed`` where the traceparent breaks the rules of the W3C. A tracestate that does is left
  ///   out, as they ask for.
  public init(traceparent: String, tracestate: String = "") throws(Malformed) {
    var context = lt_context()
    var (parent, state) = (traceparent, tracestate)
    let (error, isValid) = parent.withUTF8 { parent in
      state.withUTF8 { state in
        (
          parent.withMemoryRebound(to: CChar.self) { parent in
            state.withMemoryRebound(to: CChar.self) { state in
              lt_context_read(
                &context,
                parent.baseAddress,
                parent.count,
                state.baseAddress,
                state.count
              )
            }
          },
          state.withMemoryRebound(to: CChar.self) { state in
            state.baseAddress.map { lt_tracestate_is_valid($0, state.count) } ?? true
          }
        )
      }
    }
    guard error == LT_CONTEXT_WELL else { throw Malformed(traceparent, error) }
    self.init(context, state: isValid ? tracestate : "")
  }

  /// `00-` with trace id, flow and flags, 55 bytes; empty for ``none``.
  public var traceparent: String {
    var context = inC
    return String(unsafeUninitializedCapacity: Int(LT_TRACEPARENT_ROOM)) { room in
      room.withMemoryRebound(to: CChar.self) {
        guard let text = $0.baseAddress else { return 0 }
        return lt_context_traceparent(&context, text, $0.count)
      }
    }
  }

  /// `lt=` with the clock, and what other vendors have put there, at most 512 bytes; may be empty.
  public var tracestate: String {
    var context = inC
    return String(unsafeUninitializedCapacity: Int(LT_TRACESTATE_ROOM)) { room in
      room.withMemoryRebound(to: CChar.self) { room in
        guard let text = room.baseAddress else { return 0 }
        return lt_context_tracestate(&context, state, text, room.count)
      }
    }
  }

  /// Hands out the headers of a request, or the environment of a child in the names that it has there.
  ///
  /// Of ``none`` it hands out nothing.
  public func inject(_ put: (_ name: String, _ value: String) -> Void) {
    guard !isNone else { return }
    put("traceparent", traceparent)
    let state = tracestate
    if !state.isEmpty { put("tracestate", state) }
  }

  /// Takes a context from the headers of a request; nil where there is no traceparent.
  ///
  /// Several lines of a tracestate are one, with commas between them.
  ///
  /// - Throws: ``Malformed`` for a traceparent that breaks the rules: a request without a context, that is.
  public static func extract(_ header: (String) -> String?) throws(Malformed) -> Self? {
    guard let parent = header("traceparent") else { return nil }
    return try Self(traceparent: parent, tracestate: header("tracestate") ?? "")
  }

  /// What this process was started with, in `TRACEPARENT` and `TRACESTATE`; nil without.
  ///
  /// - Throws: ``Malformed``.
  public static func ofEnvironment() throws(Malformed) -> Self? {
    var context = lt_context()
    var (parent, state): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
    _ = lt_context_of_environment(&context, &parent, &state)
    guard let parent else { return nil }
    return try Self(
      traceparent: String(cString: parent),
      tracestate: state.map { String(cString: $0) } ?? ""
    )
  }

  /// For the environment of a child process; empty for ``none``.
  public var environment: [String: String] {
    var variables: [String: String] = [:]
    inject { name, value in variables[name.uppercased()] = value }
    return variables
  }
}

// MARK: As bytes

extension Lifetrace.MessageContext {
  /// How many ``bytes`` it takes.
  public static var byteCount: Int { Int(LT_CONTEXT_BYTES) }

  /// The fixed form: trace id, flow and clock, each with its highest byte first; zeros for ``none``.
  ///
  /// Flags and what other vendors have said are not in it.
  public var bytes: [UInt8] {
    var context = inC
    return Array(unsafeUninitializedCapacity: Self.byteCount) { room, count in
      guard let base = room.baseAddress else { return }
      lt_context_encode(&context, base)
      count = Self.byteCount
    }
  }

  /// Reads the fixed form; bytes behind it are not looked at.
  ///
  /// - Throws: ``Malformed`` where there are fewer than 32 bytes, or a trace id or flow of 0.
  public init(bytes: [UInt8]) throws(Malformed) {
    var context = lt_context()
    let error = bytes.withUnsafeBufferPointer {
      lt_context_decode(&context, $0.baseAddress, $0.count)
    }
    guard error == LT_CONTEXT_WELL else { throw Malformed("\(bytes.count) bytes", error) }
    self.init(context, state: "")
  }
}

extension Lifetrace.MessageContext.Malformed {
  /// The longest part of a text that came which is shown again.
  private static let shownMax = 80

  init(_ text: String, _ error: lt_context_error) {
    let printable = text.unicodeScalars.prefix(Self.shownMax).map {
      $0.isASCII && $0.value >= 0x20 && $0.value < 0x7f ? Character($0) : "?"
    }
    self.text = String(printable)
    reason = String(cString: lt_context_error_text(error))
  }
}
