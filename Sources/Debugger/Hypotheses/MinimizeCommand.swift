// SPDX-License-Identifier: GPL-3.0-or-later
import LifetraceHypotheses
import LifetraceInterop
import LifetraceJudging
import LifetraceReplay
import LifetraceRules
import LifetraceTimeline
import LifetraceTrace
import LifetraceTraceFile
import LifetraceWords

/// `minimize`: the smallest part of the recording in which a rule is broken as it is in the whole.
enum MinimizeCommand {
  /// More events are only counted.
  private static let rowsMax = 100

  static let all: [Command] = [
    Command(
      name: "minimize",
      aliases: ["reduce"],
      synopsis: "[#N] [-o FILE]",
      summary: "find the least events that break a rule as the whole recording does",
      group: .explaining,
      details: [
        "Without #N: the violation at this place. What belongs together stays together, such as begin "
          + "and end of a callback, a save, or a message and its receipt; the app goes from state to "
          + "state as the system moves it; the launch stays, and the events that why names. Of the "
          + "rest none can be left out.",
        "It explains, and is no life that the app has lived. -o writes it as a recording of its own, "
          + "which replay and check open. Ctrl-C stops, with the least found so far.",
      ],
      examples: ["minimize #1", "minimize #1 -o small.lifetrace"],
      completes: .explanations
    ) { session, words in try minimize(session, words) }
  ]

  private static func minimize(_ session: Session, _ words: [String]) throws -> Answer {
    let (finding, file) = try read(words, session)
    let verdict = try session.verdict(of: finding)
    let player = session.player
    let progress = session.progress("Leaving out events", player.timeline.count, "event")
    defer { progress.clear() }
    let small: Minimization
    do throws(Minimization.Problem) {
      small = try Minimization(
        of: finding,
        verdict,
        by: session.settings.judgement,
        on: player.timeline,
        keeping: player.causes(of: verdict)?.places ?? [],
        isInterrupted: { player.isInterrupted() },
        progress: { progress.show(player.timeline.count - $0) }
      )
    } catch {
      throw problem(error, finding)
    }
    var answer = Answer()
    say(small, finding, session, &answer)
    if let file {
      try write(small, to: file, session)
      answer.say("Events are numbered anew in it: notes and reports name those of this recording.")
      answer.say(
        Line("Written. To open it: lifetrace replay \(Printable.line(file))"),
        [Fact(data: "file", .text(file))]
      )
    } else {
      answer.say(Line("To keep it as a recording: minimize #\(finding.number) -o FILE"))
    }
    return answer
  }

  private static func read(_ words: [String], _ session: Session) throws -> (Finding, String?) {
    var (words, file) = (words, String?.none)
    if let place = words.firstIndex(where: { $0 == "-o" || $0 == "--output" }) {
      guard words.indices.contains(place + 1) else {
        throw CommandError.usage("minimize -o takes the name of a new file.")
      }
      file = words[place + 1]
      words.removeSubrange(place...place + 1)
    }
    return (try session.violation(words, "minimize"), file)
  }

  private static func problem(_ problem: Minimization.Problem, _ finding: Finding) -> any Error {
    switch problem {
    case .stopped: SearchInterrupted()
    case .tooLong(let count):
      CommandError.no(
        "The lives of the app have \(Quantity.count(count, "event")), and minimize looks at no more "
          + "than \(Quantity.grouped(Minimization.eventsMax)): why #\(finding.number) names those "
          + "that matter."
      )
    case .notAlone:
      CommandError.no(
        "\(finding.rule) is not broken by the events of the app's lives alone: something else in the "
          + "recording has a part in it, such as missing events. For that: why #\(finding.number)"
      )
    }
  }

  private static func say(
    _ small: Minimization,
    _ finding: Finding,
    _ session: Session,
    _ answer: inout Answer
  ) {
    let timeline = session.player.timeline
    let count = small.events.count
    let least =
      small.isMinimal
      ? "none of them can be left out" : "there may be fewer: it was stopped before that was known"
    let checks = Quantity.count(small.trials, "check")
    answer.say(
      Line(
        "\(count) of \(Quantity.count(small.countBefore, "event")) of the app's lives break "
          + "\(finding.rule) as all of them do; \(least) (\(checks))."
      ),
      [
        Fact("rule", .text(finding.rule)), Fact("violation", .count(finding.number)),
        Fact("before", .count(small.countBefore)), Fact("trials", .count(small.trials)),
        Fact("minimal", .flag(small.isMinimal)),
      ]
    )
    let points = small.events.map {
      EventPoint(place: $0.place, number: timeline.number(of: $0.place))
    }.sorted { $0.number < $1.number }
    answer.list("events", points.prefix(rowsMax).map { .event($0, marker: " ") })
    if points.count > rowsMax {
      answer.say(Line("and \(Quantity.count(points.count - rowsMax, "more event"))"))
    }
  }

  private static func write(_ small: Minimization, to file: String, _ session: Session) throws {
    // Names of writers stand in texts only.
    let story = Story(
      writers: small.writers.map {
        Story.Writer(label: "", id: $0.id, attributes: $0.attributes, events: $0.events)
      },
      names: session.player.names
    )
    do throws(TraceFileError) {
      try story.write(to: try TraceWriter(path: file, options: .create))
    } catch {
      let name = Printable.line(file)
      throw CommandError.no(
        error.reason == .exists
          ? "\(name) exists, and minimize replaces no file: choose another name." : "\(error)"
      )
    }
  }
}
