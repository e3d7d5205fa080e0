// SPDX-License-Identifier: Apache-2.0
import LifetraceLifecycle
import LifetraceTrace
import LifetraceWords

/// Family MS: messages between processes and machines, whose clocks are known to within bounds.
enum Machines {
  static let family = RuleFamily(
    "MS",
    "Messages between processes",
    [handled, replied, heard, ordered]
  )

  static let handled = Rule(
    "MS01",
    "A message that has reached the app is handled before the app is suspended or ends by its own doing.",
    source: "UIApplicationDelegate application(_:didReceiveRemoteNotification:"
      + "fetchCompletionHandler:): call the handler when you have finished processing",
    severity: .warning,
    fix: "Begin a background task before what arrived is handed on, and end it when it is handled.",
    restsOnAllWork: true,
    thresholds: ["task-tail"],
    Unhandled { scene, message, isSure in
      let name = scene.message(message.flow)
      let end: Sentence = scene.context.change?.suspends == true ? "was suspended" : "ended"
      let holder = scene.state.spans.values.first { $0.sequence == message.within }
      let witnesses =
        (holder.map { [scene.witness("arrived in", $0)] } ?? [])
        + [scene.witness("received", message), scene.here("\(end)")]
      guard isSure else {
        return Story("\(name) may not have been handled before the app \(end)", [], witnesses)
      }
      return Story(
        "\(name)\(scene.from(message.peer)) was not handled before the app \(end)",
        [
          message.within != nil
            ? "It arrived \(scene.before(message)), within something that was still open."
            : "It arrived \(scene.before(message)), and the app has reported nothing since.",
          scene.way(message.flow, until: message.time),
        ].compactMap { $0 },
        witnesses
      )
    }
  )

  static let replied = Rule(
    "MS02",
    "A reply comes before the deadline of who asked.",
    source: "the app's own words: a deadline that was open on the thread that sent the request",
    severity: .warning,
    fix: "Answer earlier, or send the deadline along, so that the other side can give up in time.",
    roles: .all,
    looksAcross: true,
    Replies { scene, late in late.story(scene) }
  )

  static let heard = Rule(
    "MS03",
    "A message that was sent is received.",
    source: "the recording of both sides: what is sent is received, unless it is lost on the way",
    severity: .warning,
    fix: "Send it again until it is acknowledged, and let the receiver drop what it has already.",
    roles: .all,
    looksAcross: true,
    // Who has waited in vain does not hear the answer.
    under: RuleInfo.Under(["MS02"], sharing: ["reply sent", "sent"]),
    Each(attention: [.event(.messageSend)], countsOnce: true) { event, context, names in
      guard let messages = context.messages, event.identity != 0 else { return nil }
      if messages.areTooMany { return .unclear(tooMany) }
      guard let first = messages.firstSend(of: event.identity), first.stream == context.stream,
        first.sequence == event.sequence
      else { return nil }
      guard messages.isUnheard(event.identity) else { return .held }
      return unheard(first, names[Payload.MessageSend(event).peer], messages)
    } says: { scene in
      let peer = scene.names[Payload.MessageSend(scene.event).peer]
      return Story(
        "\(scene.message(scene.event.identity)) to \(name: peer) is not received in what is recorded",
        arrivals(scene, peer),
        [scene.witness("sent")]
      )
    }
  )

  static let tooMany: Sentence =
    "of more than \(count: UInt64(RecordedMessages.endsMax), of: "send") and receives none is looked at"

  /// What becomes of a message that nobody has received; nil where its receiver is no part of the recording.
  private static func unheard(
    _ send: RecordedMessages.End,
    _ peer: String,
    _ messages: RecordedMessages
  ) -> Finding? {
    let receivers = messages.streams(of: peer, but: send.stream)
    guard !receivers.isEmpty else { return nil }
    var isCovered = false
    for receiver in receivers {
      let sent = messages.clocks.bounds(send.time, of: send.stream, on: receiver.id)
      if receiver.isOver(before: sent) { continue }
      if let doubt = receiver.doubt(ofMessageSent: sent) {
        // What began behind one that was there may have got what waited for it.
        return .unclear(doubt)
      }
      isCovered = true
    }
    return isCovered ? .broken() : .unclear("\(name: peer) was not running when it was sent")
  }

  /// How the recordings of who was to receive it went on.
  private static func arrivals(_ scene: Scene, _ peer: String) -> [Sentence] {
    guard let messages = scene.context.messages else { return [] }
    let (time, own) = (scene.event.time, scene.context.stream)
    return messages.streams(of: peer, but: own).compactMap { receiver in
      let sent = messages.clocks.bounds(time, of: own, on: receiver.id)
      guard !receiver.isOver(before: sent), let span = receiver.span,
        let latest = sent.since(span.upperBound)
      else { return nil }
      let rest: Sentence = "\(duration: -latest.length, error: latest.error)"
      return receiver.hasEnded
        ? "\(name: receiver.label) ended \(rest) later, and nothing of its messages is missing."
        : "\(name: receiver.label) is recorded for \(rest) more, and nothing of its messages is "
          + "missing."
    }
  }

  static let ordered = Rule(
    "MS04",
    "No message is received before it was sent.",
    source: "Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978",
    severity: .info,
    fix:
      "Report a send before the message leaves, give each message a flow of its own, and look at "
      + "the clock: lifetrace clocks says which machine is contradicted.",
    roles: .all,
    looksAcross: true,
    Each(attention: [.event(.messageReceive)], countsOnce: true) { event, context, _ in
      guard let messages = context.messages else { return nil }
      if messages.areTooMany { return .unclear(tooMany) }
      guard let send = messages.firstSend(of: event.identity), send.stream != context.stream
      else { return nil }
      let sent = messages.clocks.bounds(send.time, of: send.stream, on: context.stream)
      if let earliest = sent.earliest, earliest - event.time > roundingMax { return .broken() }
      guard messages.clocks.isSetAside(event.identity, from: send.stream, to: context.stream)
      else { return .held }
      return .unclear("what is proved of the two clocks without it does not say when it was sent")
    } says: { scene in
      let flow = scene.event.identity
      guard let messages = scene.context.messages, let send = messages.firstSend(of: flow) else {
        return Story("\(scene.message(flow)) may have been received before it was sent", [], [])
      }
      let (time, own) = (scene.event.time, scene.context.stream)
      let sent = messages.clocks.bounds(send.time, of: send.stream, on: own)
      let witnesses = [scene.witness("received"), send.witness("sent")]
      let evidence = messages.clocks.evidence(own, send.stream, at: time)?.words.capitalised
      guard let earliest = sent.earliest, earliest - time > roundingMax else {
        return Story(
          "\(scene.message(flow)) may have been received before it was sent",
          [evidence.map { "\($0)." }].compactMap { $0 },
          witnesses
        )
      }
      return Story(
        "\(scene.message(flow)) was received before it was sent",
        [
          "\(messages.words(send)) sent it at least \(duration: earliest - time) later.",
          evidence.map { "\($0)." },
        ].compactMap { $0 },
        witnesses
      )
    }
  )

  /// By so many nanoseconds bounds may be off where counters are made times.
  private static let roundingMax: Int64 = 16
}
