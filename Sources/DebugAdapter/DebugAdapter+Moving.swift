// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceDebugger
import LifetraceJSON
import LifetraceJudging
import LifetraceReplay
import LifetraceTimeline
import LifetraceTrace
import LifetraceWords

/// Why it stands where it stands, as the client is told.
struct Stopping {
  /// The word of the protocol, or `start` or `end`.
  var reason: String
  /// What people read instead.
  var description: String?
  /// The stops that were reached.
  var stops: [Int] = []

  static func at(_ reason: String, _ description: String? = nil) -> Stopping {
    Stopping(reason: reason, description: description)
  }
}

/// Requests that go elsewhere: each is answered at once, and `stopped` says where it has led.
extension DebugAdapter {
  /// The next event of the thread.
  func stepIn(_ arguments: Arguments) throws -> Reply { try step(arguments, .forward) }

  /// The event of the thread before; with the granularity of an instruction, of any.
  func stepBack(_ arguments: Arguments) throws -> Reply { try step(arguments, .backward) }

  /// The next event of the thread that lies not within what began here.
  func next(_ arguments: Arguments) throws -> Reply {
    let key = try thread(arguments)
    let session = try session()
    let state = session.player.state(of: key.stream)
    guard arguments.text("granularity") != "instruction", let place = session.player.place,
      place.stream == key.stream, let span = state.openSpans(on: key.thread).last,
      span.sequence == session.player.timeline.event(at: place).sequence
    else { return try step(arguments, .forward) }
    return moving { [self] in
      guard let end = try session.end(of: span, in: key.stream) else {
        return try step(key, .forward)
      }
      session.player.seek(to: end)
      return .at("step")
    }
  }

  /// The end of what is open on the thread.
  func stepOut(_ arguments: Arguments) throws -> Reply {
    let key = try thread(arguments)
    let session = try session()
    guard let span = session.player.state(of: key.stream).openSpans(on: key.thread).last else {
      throw Refusal("Nothing is open on \(Wording.thread(key.thread)): there is nothing to leave.")
    }
    guard let end = try session.end(of: span, in: key.stream) else {
      throw Refusal("\(session.title(of: span)) never ends in this recording.")
    }
    return moving {
      session.player.seek(to: end)
      return .at("step")
    }
  }

  func goOn(_ arguments: Arguments) throws -> Reply { try advance(.forward) }

  func goBack(_ arguments: Arguments) throws -> Reply { try advance(.backward) }

  /// Nothing runs when this is answered in its turn; what ran was interrupted when it came.
  func pause(_ arguments: Arguments) throws -> Reply { Reply() }

  /// The same of what was cancelled.
  func cancel(_ arguments: Arguments) throws -> Reply { Reply() }

  // MARK: - Steps

  private func step(_ arguments: Arguments, _ direction: Direction) throws -> Reply {
    let key = try thread(arguments)
    let isAny = arguments.text("granularity") == "instruction"
    return moving { [self] in
      guard isAny else { return try step(key, direction) }
      return try stepAny(direction)
    }
  }

  /// Where a thread has no event left, those of others go on.
  private func step(_ key: ThreadKey, _ direction: Direction) throws -> Stopping {
    let player = try session().player
    var filter = EventFilter { event, _ in event.thread == key.thread }
    filter.streams = [key.stream]
    guard let place = try player.find(filter, direction) else { return try stepAny(direction) }
    player.seek(to: place)
    return .at("step")
  }

  private func stepAny(_ direction: Direction) throws -> Stopping {
    try session().player.step(direction) == 0 ? edge(direction) : .at("step")
  }

  private func edge(_ direction: Direction) -> Stopping {
    direction == .forward
      ? .at("end", "At the end of the recording") : .at("start", "At the start of the recording")
  }

  // MARK: - Going on

  private func advance(_ direction: Direction) throws -> Reply {
    let session = try session()
    return moving([("allThreadsContinued", .bool(true))]) { [self] in
      guard let halt = try nextHalt(direction) else {
        session.player.seek(toEvent: direction == .forward ? session.player.timeline.count : 0)
        return edge(direction)
      }
      for line in try session.go(to: halt) { say(line) }
      finding = halt.finding
      let reason = halt.finding == nil ? breakpoints.reason(halt.stops) : "exception"
      return Stopping(reason: reason, stops: halt.stops)
    }
  }

  /// The nearest place that is no mere log point, and no finding that nobody wants.
  private func nextHalt(_ direction: Direction) throws -> Halt? {
    let session = try session()
    let player = session.player
    var behind: EventPlace?
    var logs = 0
    while true {
      let look = { [self] in
        try session.nextHalt(direction, at: try nextFinding(direction))
      }
      guard var halt = try behind.map({ try player.visit($0, look) }) ?? look() else { return nil }
      let (kept, said) = breakpoints.met(halt, session)
      for text in said { say(text, "console", place(of: halt.place)) }
      logs += said.count
      player.reached(halt.stops.filter { !kept.contains($0) })
      halt.stops = kept
      if !kept.isEmpty || halt.finding != nil { return halt }
      guard logs < Breakpoints.logsMax else {
        say("Log points have said \(Quantity.count(logs, "line")): it stops here.", "important")
        return halt
      }
      behind = halt.place
    }
  }

  /// The nearest finding of those that the client wants to see.
  private func nextFinding(_ direction: Direction) throws -> Finding? {
    guard !filters.isEmpty else { return nil }
    let session = try session()
    let player = session.player
    let findings = try session.findings()
    let broken = player.nextFinding(direction, in: findings.violations) { [filters] in
      ExceptionFilter(rawValue: $0.severity.rawValue).map(filters.contains) ?? false
    }
    guard filters.contains(.undecidable),
      let open = player.nextFinding(direction, in: findings.undecidable, where: { _ in true })
    else { return broken }
    guard let broken, let first = session.place(of: broken), let second = session.place(of: open)
    else { return open }
    return player.timeline.isBefore(second, first) == (direction == .forward) ? open : broken
  }

  // MARK: - Telling

  /// Answers first; then moves, and says where that has led.
  private func moving(
    _ body: [(String, JSON)] = [],
    _ move: @escaping () throws -> Stopping
  ) -> Reply {
    Reply(body) { [self] in
      let before = finding
      finding = nil
      do {
        stopped(try move())
      } catch is SearchInterrupted {
        finding = before
        answerInterruptions()
        stopped(.at("pause", "Interrupted; nothing moved"))
      } catch {
        finding = before
        say("\((error as? CommandError)?.message ?? "\(error)")", "stderr")
        stopped(.at("pause"))
      }
    }
  }

  /// Says that it stands, where, and why; what the client knew by number is void.
  func stopped(_ why: Stopping) {
    guard let session = opened else { return }
    frames.removeAll()
    containers.removeAll()
    var body: [(String, JSON)] = [
      ("reason", .string(why.reason)), ("threadId", JSON(threads.number(of: hereKey(session)))),
      ("allThreadsStopped", .bool(true)),
    ]
    if let description = why.description { body.append(("description", .string(description))) }
    if let finding, let title = try? session.title(of: finding) {
      body.append(("text", .string(title)))
    }
    if !why.stops.isEmpty {
      body.append(("hitBreakpointIds", .array(why.stops.map { JSON($0) })))
    }
    event("stopped", body)
  }
}
