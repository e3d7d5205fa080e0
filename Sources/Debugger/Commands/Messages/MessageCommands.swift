// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceLifecycle
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Commands that go from process to process, along messages.
enum MessageCommands {
  static let all: [Command] = [
    Command(
      name: "message",
      aliases: ["msg"],
      synopsis: "[N]",
      summary: "go from a send to its receive, in whatever process, and back",
      group: .moving,
      details: [
        "At a receive it goes to the send: to the first, where the message was sent again, as that "
          + "one is before all receives. At a send it goes to the receive; of several it lists them, "
          + "and message N goes to one.",
        "Between machines it says how long the message was on its way, and ± how much, as their "
          + "clocks are bounded: lifetrace clocks.",
      ],
      examples: ["next message", "message", "message 2"]
    ) { try message($0, $1) },
    Command(
      name: "path",
      synopsis: "[FLOW | TRACE]",
      summary: "show the way of a request over processes and machines, with the time in each",
      group: .explaining,
      details: [
        "Of the message here, or of one that is named by its flow, 16 digits, or the id of its trace, "
          + "32 digits: the span id and the trace id of a traceparent. A request is all messages of "
          + "a trace; one that says nothing of a trace is alone.",
        "Each row has what went before: in which process the request was, or that it was on its way.",
      ],
      examples: ["path", "path b7ad6b7169203331"],
      completes: .flows
    ) { try path($0, $1) },
  ]

  // MARK: message

  private static func message(_ session: Session, _ words: [String]) throws -> Answer {
    let player = session.player
    guard words.count <= 1 else { throw CommandError.usage("message takes a number, or nothing.") }
    guard let place = player.place, let flow = player.flow(of: place) else {
      throw CommandError.no("This event is no message. To go to one: next message")
    }
    let message = try player.correspondence(of: flow)
    // What stands at the message's own event says which end one is at.
    let isSend =
      player.timeline.event(at: place).kind == .messageTrace
      ? message.sends.contains { $0.stream == place.stream }
      : player.timeline.event(at: place).kind == .messageSend
    guard isSend else {
      guard words.isEmpty else {
        throw CommandError.usage("message takes a number at a send; this is a receive.")
      }
      return try toSend(of: message, at: place, session)
    }
    guard let first = message.receives.first else {
      throw CommandError.no("No receive of this message is in the recording.")
    }
    if let word = words.first {
      guard let number = Int(word), message.receives.indices.contains(number - 1) else {
        let count = Quantity.count(message.receives.count, "receive")
        throw CommandError.no("There is no receive \(word): this message has \(count).")
      }
      return go(to: message.receives[number - 1], of: message, session)
    }
    return message.receives.count == 1
      ? go(to: first, of: message, session) : list(message, session)
  }

  private static func toSend(
    of message: Correspondence,
    at place: EventPlace,
    _ session: Session
  ) throws -> Answer {
    guard let send = message.firstSend else {
      throw CommandError.no("The send of this message is not in the recording.")
    }
    let received = message.receives.contains(place) ? place : nil
    session.player.seek(to: send)
    return session.standing(words(of: message, to: received, session))
  }

  private static func go(to receive: EventPlace, of message: Correspondence, _ session: Session)
    -> Answer
  {
    session.player.seek(to: receive)
    return session.standing(words(of: message, to: receive, session))
  }

  /// How long it was on its way, and how often it was sent.
  private static func words(
    of message: Correspondence,
    to receive: EventPlace?,
    _ session: Session
  ) -> Line? {
    var parts: [String] = []
    if let send = message.firstSend, let receive {
      parts.append("\(Self.words(session.player.time(from: send, to: receive))) on its way")
    }
    if message.sends.count > 1 {
      parts.append("sent \(Quantity.count(message.sends.count, "time")), from the first")
    }
    return parts.isEmpty ? nil : Line("\(parts.joined(separator: "; ")):")
  }

  private static func list(_ message: Correspondence, _ session: Session) -> Answer {
    let player = session.player
    var answer = Answer()
    answer.say(
      "It arrived \(Quantity.count(message.receives.count, "time")); message N goes to one:",
      [Fact("sends", .count(message.sends.count))]
    )
    let rows = message.receives.enumerated().map { number, place in
      let took = message.firstSend.map { player.time(from: $0, to: place) }
      return Listing.Row.facts(
        [
          Fact("n", .count(number + 1), right: true),
          Fact(
            "receive",
            .event(EventPoint(place: place, number: player.timeline.number(of: place)))
          ),
        ] + facts(took)
      )
    }
    answer.list("receives", rows, indent: 2)
    return answer
  }

  // MARK: path

  private static func path(_ session: Session, _ words: [String]) throws -> Answer {
    let path = try found(session, words)
    guard !path.hops.isEmpty else {
      throw CommandError.no("No message of that flow or trace is in the recording.")
    }
    var answer = Answer()
    answer.say(title(of: path, session), [Fact("messages", .count(path.messages))])
    answer.note(
      Fact(
        data: "trace",
        path.trace.map { .text(Wording.trace(high: $0.high, low: $0.low)) } ?? .none
      )
    )
    answer.list("hops", path.hops.map { .facts(facts($0, session)) }, indent: 2)
    answer.list("times", times(path, session), indent: 2)
    for remark in remarks(path) { answer.say(Line(remark)) }
    answer.note(Fact(data: "remarks", .texts(remarks(path))))
    return answer
  }

  /// The request that the words name; without one, that of the message here.
  static func found(_ session: Session, _ words: [String], _ name: String = "path") throws
    -> RequestPath
  {
    let player = session.player
    guard words.count <= 1 else {
      throw CommandError.usage("\(name) takes a flow or the id of a trace, or nothing.")
    }
    guard let word = words.first else {
      guard let flow = player.place.flatMap(player.flow(of:)) else {
        throw CommandError.no(
          "This event is no message, and \(name) follows one from process to process. To go to one: next "
            + "message; what led here: why"
        )
      }
      return try player.path(ofFlow: flow)
    }
    let digits = word.hasPrefix("0x") ? word.dropFirst(2) : Substring(word)
    if digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    {
      return try player.path(of: RequestTrace(high: high, low: low))
    }
    guard digits.utf8.count <= 16, let flow = UInt64(digits, radix: 16) else {
      throw CommandError.usage(
        "\(word) is no flow, which has up to 16 hexadecimal digits, and no id of a trace, which has 32."
      )
    }
    return try player.path(ofFlow: flow)
  }

  private static func title(of path: RequestPath, _ session: Session) -> Line {
    let streams = Set(path.hops.map(\.place.stream))
    let hosts = Set(
      streams.map { session.player.timeline.streams[Int($0.rawValue)].attributes.host }
    )
    let what =
      path.trace.map { "Trace \(Wording.trace(high: $0.high, low: $0.low))" } ?? "A message alone"
    let over = Quantity.count(streams.count, "process")
    let machines = hosts.count > 1 ? " on \(Quantity.count(hosts.count, "machine"))" : ""
    return Line("\(what): \(Quantity.count(path.messages, "message")) over \(over)\(machines)")
  }

  private static func facts(_ hop: RequestPath.Hop, _ session: Session) -> [Fact] {
    let player = session.player
    let point = EventPoint(place: hop.place, number: player.timeline.number(of: hop.place))
    let label = player.labels[hop.place.stream]
    let isSend = player.timeline.event(at: hop.place).kind == .messageSend
    let before =
      hop.isOnTheWay ? "on its way" : hop.isAgain ? "before it was sent again" : "in \(label)"
    let missing = isSend ? "" : Self.missing
    return [
      Fact("event", .event(point)),
      Fact("on-its-way", .flag(hop.isOnTheWay), ""),
      Fact("again", .flag(hop.isAgain), ""),
    ] + facts(hop.took)
      + [Fact(words: hop.took == nil ? missing : before, .faint)]
  }

  /// Of a receive whose send nobody recorded.
  static let missing = "its send is not recorded"

  /// What the whole took in each process, and on its way, in the order in which they were met.
  private static func times(_ path: RequestPath, _ session: Session) -> [Listing.Row] {
    var order: [String] = []
    var sums: [String: TimeBetween] = [:]
    for hop in path.hops {
      guard let took = hop.took else { continue }
      let place = hop.isOnTheWay ? "on its way" : "in \(session.player.labels[hop.place.stream])"
      if sums[place] == nil { order.append(place) }
      let sum = sums[place] ?? TimeBetween(length: 0, error: 0)
      sums[place] = TimeBetween(
        length: sum.length.addingSaturated(took.length),
        error: sum.error.flatMap { one in took.error.map { one.addingSaturated($0) } }
      )
    }
    return order.map { place in
      .facts([Fact("where", .text(place))] + facts(sums[place]))
    }
  }

  static func remarks(_ path: RequestPath) -> [String] {
    var remarks: [String] = []
    if path.trace == nil {
      remarks.append(
        "It says nothing of a trace: what led to it, and what it led to, is not known."
      )
    }
    if path.unheard > 0 {
      let count = Quantity.count(path.unheard, "message")
      remarks.append("Of \(count) no receive is in the recording.")
    }
    if path.unsent > 0 {
      let count = Quantity.count(path.unsent, "message")
      remarks.append("Of \(count) no send is in the recording.")
    }
    if path.leftOut > 0 {
      let count = Quantity.count(path.leftOut, "message")
      remarks.append("\(count) more were not followed.")
    }
    if path.hops.contains(where: { $0.took.map { $0.error == nil } ?? false }) {
      remarks.append("Times with ±? are between clocks that messages bound on one side only.")
    }
    return remarks
  }

  // MARK: Times

  /// `1.2 ms`, `1.2 ms ±80 µs`, `1.2 ms ±?`.
  static func words(_ time: TimeBetween) -> String {
    let length = Quantity.duration(time.length)
    return switch time.error {
    case 0: length
    case .some(let error): "\(length) ±\(Quantity.duration(error))"
    case nil: "\(length) ±?"
    }
  }

  private static func facts(_ time: TimeBetween?) -> [Fact] {
    guard let time else { return [Fact("took", .none, "")] }
    return [
      Fact("took", .duration(time.length), words(time), right: true),
      Fact(data: "error", time.error.map { .duration($0) } ?? .none),
    ]
  }
}
