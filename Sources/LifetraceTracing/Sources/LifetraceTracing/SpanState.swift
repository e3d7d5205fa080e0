// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace
internal import Synchronization
internal import Tracing

/// What changes of a span; contexts lead to it, and not to the span, which has a context itself.
final class SpanState: Sendable {
  struct Now {
    var name: String
    var attributes = SpanAttributes()
    var sent: Lifetrace.MessageContext?
    var hasAnswered = false
    var hasEnded = false
  }

  private let kind: SpanKind
  /// What a server has to answer; nil for another span.
  private let question: Lifetrace.MessageContext?
  private let file: String
  private let line: UInt32
  /// Ties the end to the begin; 0 where no recorder listened.
  private let id: UInt64
  private let mutable: Mutex<Now>

  /// Above those that the SDK hands out.
  private static let lastID = Atomic<UInt64>(1 << 63)

  init(
    _ name: String,
    _ kind: SpanKind,
    _ question: Lifetrace.MessageContext?,
    file: String,
    line: UInt32
  ) {
    (self.kind, self.question, self.file, self.line) = (kind, question, file, line)
    mutable = Mutex(Now(name: name))
    guard Lifetrace.isEnabled else {
      id = 0
      return
    }
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let work: Lifetrace.WorkKind = kind == .client ? .network : .other
    // It may suspend: the time until its end is not that of its thread.
    Lifetrace.emit(
      .workBegin,
      at: site(name),
      identity: id,
      arguments: (UInt64(work.rawValue), 0, 1, 0),
      count: 3
    )
  }

  private func site(_ name: String) -> Lifetrace.Site {
    Lifetrace.Site(named: RecordedText.kept(name), inFile: file, line: line)
  }

  var now: Now { mutable.withLock { $0 } }
  var isRecording: Bool { id != 0 && !now.hasEnded }

  func change(_ body: (inout Now) -> Void) {
    mutable.withLock { if !$0.hasEnded { body(&$0) } }
  }

  /// Whom the messages of the span go to, as far as its attributes say.
  var peer: Lifetrace.Name {
    let attributes = now.attributes
    for key in ["peer.service", "server.address", "net.peer.name"] {
      if case .string(let text) = attributes.get(key) {
        return Lifetrace.Name(RecordedText.kept(text))
      }
    }
    return .none
  }

  func hasSent(_ message: Lifetrace.MessageContext) { change { $0.sent = message } }

  // MARK: Answers

  /// The keys of a status, which a server knows before it answers, and a client once it has the answer.
  private static let statusKeys = ["http.response.status_code", "http.status_code"]

  /// Emits the answer where the status is known since now.
  ///
  /// It has the flow of what it answers, turned round, as it has in what OpenTelemetry says of both. The ends of
  /// the two spans would not do: a server's comes when the last byte is on its way, and a client's when it has the first.
  func answerOnce() {
    let message = mutable.withLock { now -> Lifetrace.MessageContext? in
      guard !now.hasAnswered, Self.statusKeys.contains(where: { now.attributes.get($0) != nil })
      else { return nil }
      now.hasAnswered = true
      return kind == .client ? now.sent : question
    }
    guard id != 0, var message, !message.isNone else { return }
    let flow = message.flow
    message.flow = ~flow
    if kind == .client {
      message.clock = 0
      Lifetrace.receive(message, from: peer, bytes: 0, file: "", line: 0)
    } else if message.clock != 0 {
      // Who has sent no clock records nothing that this would arrive at.
      Lifetrace.emit(
        .messageTrace,
        identity: ~flow,
        arguments: (message.traceHigh, message.traceLow, flow, 0),
        count: 3
      )
      Lifetrace.resend(message, to: .none, bytes: 0, file: "", line: 0)
    }
  }

  // MARK: Within

  func mark(_ name: String) {
    guard isRecording else { return }
    Lifetrace.emit(.mark, at: site(name))
  }

  func log(_ text: String) {
    guard isRecording else { return }
    RecordedText.log(text, .error, at: site(now.name))
  }

  func end() {
    let name = mutable.withLock { now -> String? in
      defer { now.hasEnded = true }
      return now.hasEnded ? nil : now.name
    }
    guard id != 0, let name else { return }
    Lifetrace.emit(.workEnd, at: site(name), identity: id)
  }
}
