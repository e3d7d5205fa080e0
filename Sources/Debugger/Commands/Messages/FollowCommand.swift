// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// `follow`: along a request over processes and hosts, or along with a recording that is being made.
///
/// It goes the way that `path` lists, an event a time.
enum FollowCommand {
  static let all: [Command] = [
    Command(
      name: "follow",
      synopsis: "[FLOW | TRACE | back | on | off]",
      summary: "follow a request over processes and hosts, step by step, or what is being recorded",
      group: .moving,
      details: [
        "With a flow, 16 digits, or the id of a trace, 32 digits, it goes to where the request begins; "
          + "without a word, to its next step behind here, and back to the one before. At a message "
          + "it needs no name. Each step says how long the request was in the process or on its way, "
          + "and from where to where; path lists them all. off ends it.",
        "With replay --follow, on goes to the end and stays there as it moves, off stays here; without "
          + "a word, where no request is followed, it says how far the recording is. next, find, until, "
          + "continue and finish wait for what comes behind the end; Ctrl-C stops them.",
      ],
      examples: ["follow b7ad6b7169203331", "follow", "follow back", "follow on"],
      completes: .flows,
      repeats: true,
      repeatsAs: "follow"
    ) { try follow($0, $1) }
  ]

  private static func follow(_ session: Session, _ words: [String]) throws -> Answer {
    switch words {
    case ["on"]: return try along(session, isAlong: true)
    case ["off"]:
      let wasRequest = session.request != nil
      session.request = nil
      guard wasRequest, session.follow == nil else { return try along(session, isAlong: false) }
      return Answer(.line("No request is followed any more.", [Fact("request", .none)]))
    case [], ["back"]:
      let direction: Direction = words.isEmpty ? .forward : .backward
      if let request = session.request { return try step(direction, along: request, session) }
      guard let flow = session.player.place.flatMap(session.player.flow(of:)) else {
        if words.isEmpty, session.follow != nil { return try along(session, isAlong: nil) }
        throw CommandError.no(
          "No request is followed, and this event is no message. To follow one: follow FLOW, or "
            + "next message"
        )
      }
      let request = try session.player.path(ofFlow: flow)
      session.request = request
      return try step(direction, along: request, session)
    default:
      let request = try MessageCommands.found(session, words, "follow")
      guard !request.hops.isEmpty else {
        throw CommandError.no("No message of that flow or trace is in the recording.")
      }
      session.request = request
      return go(to: 0, of: request, session)
    }
  }

  // MARK: A request

  /// To the next step of a request behind this place, or before it.
  private static func step(
    _ direction: Direction,
    along request: RequestPath,
    _ session: Session
  ) throws -> Answer {
    let (player, hops) = (session.player, request.hops)
    let numbers = hops.map { player.timeline.number(of: $0.place) }
    let here = player.here.ordinal
    if direction == .forward {
      guard let next = numbers.firstIndex(where: { $0 > here }) else {
        let ends = MessageCommands.remarks(request).map { " \($0)" }.joined()
        throw CommandError.no("The request has no step behind this place.\(ends)")
      }
      return go(to: next, of: request, session)
    }
    guard let last = numbers.lastIndex(where: { $0 < here }) else {
      throw CommandError.no("The request has no step before this place.")
    }
    return go(to: last, of: request, session)
  }

  private static func go(to number: Int, of request: RequestPath, _ session: Session) -> Answer {
    let hop = request.hops[number]
    session.player.seek(to: hop.place)
    let words = number == 0 ? "it begins in \(place(hop.place, session))" : words(of: hop, session)
    var answer = session.standing(Line("Step \(number + 1) of \(request.hops.count): \(words):"))
    answer.note(Fact(data: "step", .count(number + 1)))
    answer.note(Fact(data: "steps", .count(request.hops.count)))
    answer.note(Fact(data: "took", hop.took.map { .duration($0.length) } ?? .none))
    answer.note(Fact(data: "error", (hop.took?.error).map { .duration($0) } ?? .none))
    if number == request.hops.count - 1 {
      for remark in MessageCommands.remarks(request) { answer.say(Line(remark)) }
    }
    return answer
  }

  /// Where the request was since the step before, and how long.
  private static func words(of hop: RequestPath.Hop, _ session: Session) -> String {
    let player = session.player
    let label = player.labels[hop.place.stream]
    guard let took = hop.took, let since = hop.since else {
      let isSend = player.timeline.event(at: hop.place).kind == .messageSend
      return isSend
        ? "in \(place(hop.place, session)), how it came there is not recorded"
        : MessageCommands.missing
    }
    let time = MessageCommands.words(took)
    if hop.isAgain { return "\(time) before it was sent again by \(label)" }
    guard hop.isOnTheWay else { return "\(time) in \(label)" }
    return "\(time) on its way from \(place(since, session)) to \(place(hop.place, session))"
  }

  /// The process, with its host where there are several.
  private static func place(_ place: EventPlace, _ session: Session) -> String {
    let streams = session.player.timeline.streams
    let host = streams[Int(place.stream.rawValue)].attributes.host
    let isOneHost = streams.allSatisfy { $0.attributes.host == host }
    return session.player.labels[place.stream] + (isOneHost || host.isEmpty ? "" : " on \(host)")
  }

  // MARK: A recording that grows

  /// Goes along with the recording, stays, or, with nil, says how far it is.
  private static func along(_ session: Session, isAlong: Bool?) throws -> Answer {
    guard let follow = session.follow else {
      throw CommandError.no(
        "This recording is not followed. To follow one that is being made: lifetrace replay --follow FILE"
      )
    }
    if let isAlong { follow.goesAlong = isAlong }
    if isAlong == true { session.player.seek(toEvent: session.player.timeline.count) }
    let count = session.player.timeline.count
    var answer = Answer()
    let events = Quantity.count(count, "event")
    let how = follow.goesAlong ? "the prompt goes along" : "the prompt stays; follow on goes along"
    answer.say(
      follow.isLive
        ? "It is being recorded: \(events) so far; \(how)."
        : "Nobody records it any more: \(events).",
      [
        Fact("live", .flag(follow.isLive)), Fact("along", .flag(follow.goesAlong)),
        Fact("events", .count(count)),
      ]
    )
    return answer
  }
}
