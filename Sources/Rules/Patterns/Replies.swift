// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// A reply comes before the deadline of who asked.
///
///     Replies { scene, late in late.story(scene) }
///
/// The deadline is the one that was opened last on the thread that sends the request. A reply that has
/// arrived is judged by the clock of who asked; of one that has not, when it was sent is known by that
/// clock to within bounds, and it cannot have come earlier. One that left in time and is not recorded to
/// have arrived may have been late or lost.
struct Replies: Pattern {
  /// A deadline of the app's own, and the thread that has opened it.
  struct Asked: Opened {
    let what: NameID
    let budget: Int64
    let thread: ThreadID
    let time: HostTime
    let sequence: UInt64
    let site: SiteID
  }

  /// A request that is not answered yet.
  struct Request: Sendable {
    let flow: UInt64
    let deadline: Asked
    let sent: Witness
  }

  /// A reply against the deadline of its request.
  struct Late: Sendable {
    let request: Request
    /// The reply as it left, where it has not arrived.
    let reply: RecordedMessages.Reply?
    /// Nanoseconds from the opening of the deadline on, and by how much that may be wrong.
    let length, error: Int64
    let sent: Sent

    /// When it left, of one that has not arrived.
    enum Sent { case surelyLate, perhapsLate, inTime }
  }

  /// More than this at once are not followed.
  private static let requestsMax = 256
  let says: @Sendable (Scene, Late) -> Story
  private(set) var deadlines: [UInt64: Asked] = [:]
  private(set) var requests: [Request] = []

  init(says: @escaping @Sendable (Scene, Late) -> Story) { self.says = says }

  var attention: [Trigger] {
    [EventKind.deadlineOpen, .deadlineClose, .messageSend, .messageReceive].map(Trigger.event)
  }

  mutating func apply(
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    switch event.kind {
    case .deadlineOpen: open(event, context)
    case .deadlineClose: close(event)
    case .messageSend: send(event, context)
    default:
      guard !requests.isEmpty, let flow = context.messages?.request(answeredBy: event.identity),
        let place = requests.firstIndex(where: { $0.flow == flow })
      else { return }
      let request = requests.remove(at: place)
      let length = event.time - request.deadline.time
      judge(request, nil, (length, 0), event, &context, names)
    }
  }

  private mutating func open(_ event: borrowing Event, _ context: borrowing RuleContext) {
    let deadline = Payload.DeadlineOpen(event)
    guard deadline.clock.value == .wall,
      context.hasRoom(deadlines.count, of: Self.requestsMax, for: "deadline")
    else { return }
    deadlines[event.identity] = Asked(
      what: deadline.what,
      budget: deadline.budget,
      thread: event.thread,
      time: event.time,
      sequence: event.sequence,
      site: event.site
    )
  }

  /// One that is met without the reply was about something else.
  private mutating func close(_ event: borrowing Event) {
    guard let closed = deadlines.removeValue(forKey: event.identity),
      event.time - closed.time <= closed.budget
    else { return }
    requests.removeAll { $0.deadline.sequence == closed.sequence }
  }

  private mutating func send(_ event: borrowing Event, _ context: borrowing RuleContext) {
    let (flow, thread) = (event.identity, event.thread)
    guard !deadlines.isEmpty, flow != 0, !requests.contains(where: { $0.flow == flow }),
      let deadline = deadlines.values.filter({ $0.thread == thread })
        .max(by: { $0.sequence < $1.sequence }),
      context.hasRoom(requests.count, of: Self.requestsMax, for: "request")
    else { return }
    let (stream, sequence, time) = (context.stream, event.sequence, event.time)
    let sent = Witness(label: "asked", stream: stream, sequence: sequence, time: time)
    requests.append(Request(flow: flow, deadline: deadline, sent: sent))
  }

  /// Replies that have not arrived, by when they were sent.
  mutating func finish(
    _ last: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    guard let messages = context.messages else { return }
    for request in requests {
      guard let reply = messages.replies(to: request.flow).first else { continue }
      let sent = messages.clocks.bounds(
        reply.send.time,
        of: reply.send.stream,
        on: context.stream
      )
      judge(request, reply, sent.since(request.deadline.time), last, &context, names)
    }
  }

  private func judge(
    _ request: Request,
    _ reply: RecordedMessages.Reply?,
    _ measured: (length: Int64, error: Int64)?,
    _ event: borrowing Event,
    _ context: inout RuleContext,
    _ names: borrowing Names
  ) {
    let place = reply.map { _ in (request.sent.sequence, request.sent.time) }
    let (length, error) = measured ?? (0, 0)
    var finding = Finding.unclear()
    var sent = Late.Sent.perhapsLate
    if measured != nil {
      let comparison = context.compare(
        length,
        request.deadline.budget,
        error: error,
        isScaled: false,
        since: request.deadline.sequence,
        endsHere: reply == nil
      )
      switch comparison {
      case .within where reply == nil: return context.held()
      case .within:
        // Who ended before the deadline has not waited for it in vain.
        guard event.time - request.deadline.time > request.deadline.budget else { return }
        sent = .inTime
      case .over: (finding, sent) = (.broken(), .surelyLate)
      case .unclear: break
      }
    }
    let late = Late(
      request: request,
      reply: reply,
      length: length,
      error: measured == nil ? .max : error,
      sent: sent
    )
    context.say(finding, at: place, event, names) { says($0, late) }
  }
}

extension Replies.Late {
  private var budget: Int64 { request.deadline.budget }

  /// When it was sent, as far as that is known.
  private var measured: Sentence { "\(duration: length, error: error)" }

  func story(_ scene: Scene) -> Story {
    let name = scene.names[request.deadline.what]
    let deadline: Sentence = "the deadline\(name.isEmpty ? "" : " \"\(name: name)\"")"
    let asked = scene.message(request.flow)
    var witnesses = [scene.witness("deadline", request.deadline), request.sent]
    guard let reply else {
      witnesses.append(scene.witness("reply"))
      return Story(
        "the reply to \(asked) came \(duration: length - budget) after \(deadline)",
        ["It came after \(measured), and \(duration: budget) were allowed."],
        witnesses
      )
    }
    witnesses.append(reply.send.witness("reply sent"))
    let messages = scene.context.messages
    let who = messages?.words(reply.send) ?? ""
    let evidence = messages?.clocks.evidence(
      scene.context.stream,
      reply.send.stream,
      at: request.deadline.time.advanced(by: budget)
    )?.words.capitalised
    switch sent {
    case .surelyLate:
      return Story(
        "the reply to \(asked) was sent \(duration: length - budget, error: error) after \(deadline)",
        [
          "\(who) sent it after \(measured), and \(duration: budget) were allowed; that it arrived is "
            + "not recorded.", evidence.map { "\($0)." },
        ].compactMap { $0 },
        witnesses
      )
    case .inTime:
      return Story(
        "the reply to \(asked) is not received in what is recorded",
        [],
        witnesses,
        because: "\(who) sent it after \(measured), within \(deadline), and whether it came "
          + "in time is not recorded"
      )
    case .perhapsLate:
      // By so much less the bounds would have to be wide.
      let missing = error - abs(length - budget)
      return Story(
        "the reply to \(asked) may have been sent after \(deadline)",
        [evidence.map { "\($0)." }].compactMap { $0 },
        witnesses,
        because: error == .max
          ? "nothing says by the clock of who asked when \(who) sent it"
          : "\(who) sent it after \(measured), and \(duration: budget) were allowed: undecidable by "
            + "\(duration: missing)"
      )
    }
  }
}
