// SPDX-License-Identifier: Apache-2.0
internal import Lifetrace
public import Tracing

/// A span of work that is recorded.
///
/// Of attributes the address of the peer is kept (`peer.service`, `server.address`), with the messages that the
/// span sends, and that of a status code of HTTP the instant when it is set: then a server answers, and a client
/// has the answer. Events of a span are marks, errors and the message of a failed status log lines. Links are
/// not kept: each message that was extracted is an event already.
public struct LifetraceSpan: Span {
  /// The context of what happens within the span.
  public let context: ServiceContext
  private let state: SpanState

  init(
    _ name: String,
    within parent: ServiceContext,
    _ kind: SpanKind,
    file: String,
    line: UInt
  ) {
    var request = parent.request ?? .beginning()
    // Of a span within a span the outer one answers.
    let question = request.state == nil && kind == .server ? request.cause : nil
    state = SpanState(name, kind, question, file: file, line: UInt32(clamping: line))
    request.state = state
    var context = parent
    context.request = request
    self.context = context
  }

  /// Whether a recorder listened when the span began, and it has not ended.
  public var isRecording: Bool { state.isRecording }

  /// What the span is called; its end has the last one.
  public var operationName: String {
    get { state.now.name }
    nonmutating set { state.change { $0.name = newValue } }
  }

  /// What was said of the span, while it lasts.
  public var attributes: SpanAttributes {
    get { state.now.attributes }
    nonmutating set {
      state.change { $0.attributes = newValue }
      state.answerOnce()
    }
  }

  /// Emits the message of a failed status as a line of text.
  public func setStatus(_ status: SpanStatus) {
    guard status.code == .error, let message = status.message else { return }
    state.log(message)
  }

  /// Emits a mark.
  public func addEvent(_ event: SpanEvent) { state.mark(event.name) }

  /// Emits the error as a line of text.
  public func recordError<Instant: TracerInstant>(
    _ error: any Error,
    attributes: SpanAttributes,
    at instant: @autoclosure () -> Instant
  ) {
    state.log("\(error)")
  }

  /// Does nothing: the message of a link was an event when its context was extracted.
  public func addLink(_ link: SpanLink) {}

  /// Ends the work; a second end is none.
  public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { state.end() }
}
