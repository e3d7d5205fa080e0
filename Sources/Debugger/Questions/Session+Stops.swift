// SPDX-License-Identifier: GPL-3.0-or-later
package import LifetraceJudging
package import LifetraceQuery
import LifetraceReplay
package import LifetraceTimeline
package import LifetraceTrace
import LifetraceWords

/// A place at which going on ends.
package struct Halt {
  /// Its event.
  package var place: EventPlace
  /// The numbers of the stops that are reached there.
  package var stops: [Int] = []
  /// The violation there that is told.
  package var finding: Finding?
}

extension Session {
  /// An expression; what is wrong with it is shown with a caret.
  ///
  /// Of several writers that it asks, the one that it does not name is `home`, or else the one in focus,
  /// unless it is asked of events, each of which has its own.
  /// A field that kinds of events give several types has that of `kind`, where it is asked at one event.
  package func question(
    _ text: String,
    isCondition: Bool,
    ofEvents: Bool = false,
    at kind: EventKind? = nil,
    about home: StreamID? = nil
  ) throws(CommandError) -> Question {
    let home = ofEvents ? nil : writer(home ?? player.focus)
    let schema = kind.map(self.schema.at) ?? self.schema
    do throws(QueryError) {
      return isCondition
        ? try Question(condition: text, schema: schema, home: home)
        : try Question(text, schema: schema, home: home)
    } catch {
      throw wrong(error, in: text)
    }
  }

  /// What is wrong with an expression, with a caret, and what may have been meant by a name that is none
  /// of its words.
  func wrong(_ error: QueryError, in text: String) -> CommandError {
    var wrong = Self.usage(error, in: text)
    guard !schema.words.contains(text) else { return wrong }
    if let object = try? dataObject(near(text) ?? text) {
      let name = Printable.line(object)
      wrong.message += "\n  Of the data object \(name): data(\"\(name)\").unsaved"
    } else if player.names.find(near(text) ?? text) != nil {
      let name = Printable.line(near(text) ?? text)
      wrong.message +=
        "\n  Of events by that name: name == \"\(name)\"; of any that mention it: find \(name)"
    } else if let writer = unknownWriter(text) {
      let known = Array(Set(player.labels.labels + player.labels.labels.map(Self.app))).sorted()
      let meant = nearest(to: writer, among: known) ?? player.labels[player.focus]
      wrong.message +=
        "\n  No writer is called \(Printable.line(writer)). Of \(meant): "
        + "\(meant)\(text.drop { $0 != "." })"
    }
    return wrong
  }

  /// `notes` of `notes#1`.
  private static func app(_ label: String) -> String { String(label.prefix { $0 != "#" }) }

  /// What stands where a writer would in `til.state`; nil where that is something else, or no such path.
  private func unknownWriter(_ text: String) -> String? {
    let head = String(text.prefix { $0.isLetter || $0.isNumber || "#_-".contains($0) })
    let rest = text.dropFirst(head.count)
    guard !head.isEmpty, rest.first == ".", rest.dropFirst().first?.isLetter == true,
      rest.dropFirst().allSatisfy({ $0.isLetter || $0 == "_" }), !schema.words.contains(head),
      schema.words.contains(String(rest.dropFirst()))
    else { return nil }
    return head
  }

  /// An expression about the state alone.
  func stateQuestion(_ text: String, _ command: String, _ advice: String) throws(CommandError)
    -> Question
  {
    let question = try question(text, isCondition: false)
    guard question.needsState, !question.needsEvent else {
      throw .usage("\(command) takes a value of the state, such as state or count tasks. \(advice)")
    }
    return question
  }

  /// A writer with all of its lives.
  private func writer(_ stream: StreamID) -> NamedWriter {
    let lives = player.allLives(of: stream)
    let streams = player.timeline.startOrder.filter { lives.contains(id($0)) }
    return NamedWriter(name: player.labels[stream], streams: streams)
  }

  /// Puts what is asked again and again anew, as writers have come to the recording: a name may mean one
  /// more life, and a watch is of all; what cannot be, and why, is kept as news.
  func askAnew() {
    for stop in player.stops.all {
      let old = stop.asking
      do throws(CommandError) {
        let question = try question(
          old.question.text,
          isCondition: !stop.isWatch,
          ofEvents: !stop.isWatch,
          about: stop.home
        )
        let lives = player.allLives(of: stop.home)
        let streams = stop.isWatch ? self.streams(of: question, own: lives) : nil
        let asking = Asking(question, player, aim: old.aim, of: streams)
        _ = player.stops.change(stop.number) { $0.asking = asking }
      } catch {
        newsKept.append("Stop \(stop.number) stays with the writers that it had: \(error.message)")
      }
    }
    for index in displays.indices {
      let (text, home) = (displays[index].question.text, displays[index].home)
      guard let made = try? question(text, isCondition: false, about: home) else { continue }
      displays[index].question = made
    }
  }

  /// The streams that a question of the state is about: `own` of the writer in focus, and those of the
  /// writers that it names.
  func streams(of question: Question, own: Set<StreamID>) -> Set<StreamID> {
    let others = question.writers.flatMap(\.streams).map(id)
    return question.asksOwn ? own.union(others) : Set(others)
  }

  /// Whom it is about: `notes#1 and its next lives`.
  func subject(of question: Question) -> String {
    let own = "\(player.labels[player.focus]) and its next lives"
    let others = question.writers.map(\.name).filter { $0 != player.labels[player.focus] }
    return Wording.list((question.asksOwn ? [own] : []) + others)
  }

  /// What a stop waits for: `watching state of notes#1 and its next lives`.
  func words(for stop: Stop) -> String {
    let asking = stop.asking
    let text = asking.question.text
    guard stop.isWatch else { return "\(stop.isTemporary ? "once " : "")where \(text)" }
    guard asking.question.writers.isEmpty else {
      return "watching \(text), of \(Wording.list(asking.question.writers.map(\.name)))"
    }
    let first = player.timeline.startOrder.first {
      asking.streams?.contains(id($0)) == true
    }
    let whose = first.map { " of \(player.labels.labels[$0])" } ?? ""
    return
      "watching \(text)\(whose)\((asking.streams?.count ?? 0) > 1 ? " and its next lives" : "")"
  }

  /// Says which stops were reached at an event, and of watches what has become of the value.
  func reached(_ numbers: [Int], at place: EventPlace) -> (lines: [Line], commands: [String]) {
    var lines: [Line] = []
    var commands: [String] = []
    for number in numbers {
      guard let stop = player.stops[number] else { continue }
      commands += stop.commands
      guard stop.isWatch else {
        let isOpen = stop.asking.truth(of: player.timeline.event(at: place)) == .unknown
        let text = stop.asking.question.text
        lines.append(
          Line(
            isOpen
              ? "Stop \(number): it cannot be decided whether this holds, events are missing: \(text)"
              : "Stop \(number): \(text)"
          )
        )
        continue
      }
      let question = stop.asking.question
      let (old, new) = player.values(of: question, at: place)
      let names = player.names
      let change = "\(old.text(question.type, names)) -> \(new.text(question.type, names))"
      let since = "#\(player.timeline.number(of: place))"
      let note =
        new.standing == .unknown
        ? ", unknown since \(since): events are missing"
        : player.isBehindGap(place) ? ", and events are missing before \(since)" : ""
      lines.append(Line("Stop \(number): \(question.text): \(change)\(note)"))
    }
    return (lines, commands)
  }

  /// The nearest place at which going on ends: at a stop, or at `finding`; does not move.
  ///
  /// It looks from `begin` on, or from where the player stands.
  package func nextHalt(
    _ direction: Direction,
    at finding: Finding?,
    from begin: Position? = nil
  ) throws(SearchInterrupted) -> Halt? {
    let stop = try player.nextStop(direction, from: begin)
    let found = finding.flatMap { finding in place(of: finding).map { (finding, $0) } }
    guard let stop else {
      return found.map { Halt(place: $0.1, finding: $0.0) }
    }
    guard let (finding, place) = found else { return Halt(place: stop.place, stops: stop.stops) }
    // Of a violation and a stop at one event, the violation is told, with the stop behind it.
    if place == stop.place { return Halt(place: place, stops: stop.stops, finding: finding) }
    return player.timeline.isBefore(stop.place, place) == (direction == .forward)
      ? Halt(place: stop.place, stops: stop.stops) : Halt(place: place, finding: finding)
  }

  /// Goes to a halt, says why it is one, and runs the commands of its stops.
  func go(to halt: Halt, _ remark: String) throws -> Answer {
    let (lines, commands) = reached(halt.stops, at: halt.place)
    let headline = try halt.finding.map { try self.headline($0) }
    player.seek(to: halt.place)
    // What cannot be decided is no violation to stand at.
    player.violation = halt.finding.flatMap { $0.isViolation ? $0 : nil }
    guard !halt.stops.isEmpty else { return standing(headline.map { line in "\(line)\(remark)" }) }
    player.reached(halt.stops)
    var answer = standing(headline)
    answer.parts = lines.map { .line($0, []) } + answer.parts
    answer.note(Fact(data: "stops", .list(halt.stops.map { .count($0) })))
    for line in commands {
      // One that cannot be answered here leaves the stop and the others what they are.
      do {
        guard let (command, words) = try CommandTable.read(line) else { continue }
        answer.parts += try command.run(self, words).parts
      } catch let error as CommandError {
        answer.say(Line("\(line): \(error.message)", .bad))
      }
    }
    return answer
  }
}
